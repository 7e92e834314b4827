"""Text that g++ -E prints in a way that nvcc's front end reads as something else.

g++ separates the tokens that it prints, but not those it could not make sense of: a stray backslash
and a literal that does not end. Found by trying with nvcc 13.0: a macro that gives ``R`` right before
an open quote prints a raw string, a backslash before a comment prints a line splice. Either makes the
front end take the text of one raw string for code, includes in it as well.
"""

from collections.abc import Iterator

from evaluation.core.source.directives import Line
from evaluation.core.source.lexer import Token, TokenKind, lex
from evaluation.core.source.literals import STRINGS
from evaluation.core.source.policy_names import pragma_operands
from evaluation.core.source.policy_rules import Sighting, seen

_PRINTED = frozenset({None, "define", "pragma"})  # other directives do not reach the output


def misread(lines: tuple[Line, ...]) -> Iterator[Sighting]:
    for line in lines:
        if line.dead or line.directive not in _PRINTED:
            continue
        pragma = line.directive == "pragma"
        for token in line.operands:
            if _is_backslash(token) or (_is_open_quote(token) and (pragma or _is_glued(token))):
                yield seen("misread_text", token)
        for token, operand in pragma_operands(line.operands):
            if operand.kind in STRINGS and _is_misread_pragma(operand):
                yield seen("misread_text", token)


def _is_backslash(token: Token) -> bool:
    return token.kind is TokenKind.INVALID and token.spelling == "\\"


def _is_open_quote(token: Token) -> bool:
    return token.kind is TokenKind.UNTERMINATED and not token.spelling.startswith("/*")


def _is_glued(token: Token) -> bool:
    """Say whether what a macro gives can stand right before the token."""
    return not token.first and not token.spaced


def _is_misread_pragma(operand: Token) -> bool:
    """Read the text of a ``_Pragma``. Of a raw string g++ 12 drops the R and leaves an open quote."""
    if operand.kind is TokenKind.RAW_STRING:
        return True
    body = operand.spelling[operand.spelling.index('"') + 1 : operand.spelling.rindex('"')]
    said = body.replace('\\"', '"').replace("\\\\", "\\")
    # The sign at the end keeps a last backslash from being a splice here.
    tokens = lex(f"{said};".encode("utf-8", "surrogateescape")).tokens
    return any(_is_backslash(token) or _is_open_quote(token) for token in tokens)
