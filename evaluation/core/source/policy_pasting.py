"""Names built with ``##``: followed where that is simple, and said where it is not.

Followed are operands that are one token, parameters of the macro itself, parameters that a wrapper
macro hands on, and arguments that are object-like macros of one token.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product

from evaluation.core.source.directives import Line, Macro, text
from evaluation.core.source.lexer import PROBE_NAMES, Token, TokenKind
from evaluation.core.source.policy_rules import Sighting, seen
from evaluation.core.source.policy_words import NAMESPACES, kind_of

_PASTE = frozenset({"##", "%:%:"})
_LIMIT_CHAINS = 64
_LIMIT_USES = 256  # of one macro
_LIMIT_ARGUMENT_TOKENS = 64  # of one use
_LIMIT_SPELLINGS = 16  # of one use

Part = str | int | None  # a spelling, the index of a parameter, or what cannot be followed


@dataclass(frozen=True, slots=True)
class _Chain:
    """``a##b##c`` in the macro ``owner``."""

    owner: str
    parts: tuple[Part, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class _Stream:
    """Tokens in which macros are used: the text (no parameters), or the body of the macro ``owner``."""

    owner: str
    parameters: tuple[str, ...]
    tokens: tuple[Token, ...]
    places: Mapping[str, tuple[int, ...]]


def pasted(lines: tuple[Line, ...], macros: tuple[Macro, ...]) -> Iterator[Sighting]:
    """Say which uses of ``##`` build a watched name and which ones cannot be followed."""
    chains = [chain for macro in macros for chain in _chains(macro)]
    if not chains:
        return
    streams = [_stream("", (), text(lines))]
    streams += [_stream(one.name.spelling, one.parameters or (), one.body) for one in macros]
    simple = {
        macro.name.spelling: macro.body[0].spelling
        for macro in macros
        if macro.parameters is None and len(macro.body) == 1
    }
    # The list grows while wrappers are found; the bound also ends macros that wrap each other.
    for chain in islice(chains, _LIMIT_CHAINS):
        for used in _expanded(chain, streams):
            if None in used.parts:
                yield seen("token_pasting", used.token)
            elif any(isinstance(part, int) for part in used.parts):
                chains.append(used)
            else:
                yield from _built(used, simple)
    if len(chains) > _LIMIT_CHAINS:
        yield seen("token_pasting", chains[_LIMIT_CHAINS].token)


def _stream(owner: str, parameters: tuple[str, ...], tokens: tuple[Token, ...]) -> _Stream:
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if token.kind is TokenKind.IDENTIFIER:
            places.setdefault(token.spelling, []).append(place)
    found = {name: tuple(where) for name, where in places.items()}
    return _Stream(owner, parameters, tokens, found)


def _chains(macro: Macro) -> Iterator[_Chain]:
    """Find ``a##b##c`` in a macro; the comma idiom ``, ##__VA_ARGS__`` builds no name."""
    body = macro.body
    parameters = macro.parameters or ()
    parts: list[Part] = []
    for place, token in enumerate(body):
        if token.spelling in _PASTE:
            continue
        part: Part = token.spelling
        if token.spelling in parameters:
            part = parameters.index(token.spelling)
        elif token.kind is TokenKind.HASH:
            part = None
        parts.append(part)
        if place + 1 < len(body) and body[place + 1].spelling in _PASTE:
            continue
        if len(parts) > 1 and parts[0] != ",":
            yield _Chain(macro.name.spelling, tuple(parts), token)
        parts = []


def _expanded(chain: _Chain, streams: list[_Stream]) -> Iterator[_Chain]:
    """Replace the parameters of a chain by the arguments of each use of its macro."""
    if not any(isinstance(part, int) for part in chain.parts):
        yield chain
        return
    for stream in streams:
        for place in stream.places.get(chain.owner, ())[:_LIMIT_USES]:
            arguments = _arguments(stream, place + 1)
            if arguments is not None:
                parts = tuple(_filled(part, arguments) for part in chain.parts)
                yield _Chain(stream.owner, parts, stream.tokens[place])


def _filled(part: Part, arguments: list[list[Part]]) -> Part:
    if not isinstance(part, int):
        return part
    argument = arguments[part] if part < len(arguments) else []
    return (argument or [""])[0] if len(argument) <= 1 else None


def _arguments(stream: _Stream, place: int) -> list[list[Part]] | None:
    """Read ``(a, b)`` at ``place``; None where the macro's name is not called."""
    tokens = stream.tokens[place : place + _LIMIT_ARGUMENT_TOKENS]
    if not tokens or tokens[0].spelling != "(":
        return None
    arguments: list[list[Part]] = [[]]
    depth = 0
    for token in tokens:
        word = token.spelling
        depth += (word == "(") - (word == ")")
        if depth == 0:
            return arguments
        if word == "," and depth == 1:
            arguments.append([])
        elif token is not tokens[0]:
            known = word in stream.parameters
            arguments[-1].append(stream.parameters.index(word) if known else word)
    return [[None, None]]


def _built(chain: _Chain, simple: Mapping[str, str]) -> Iterator[Sighting]:
    words = [part for part in chain.parts if isinstance(part, str)]
    choices = [{word, simple.get(word, word)} for word in words]
    for parts in islice(product(*(sorted(one) for one in choices)), _LIMIT_SPELLINGS):
        name = "".join(parts)
        if name in {"#", "%:"}:
            yield seen("hidden_directive", chain.token, name)
        elif name in PROBE_NAMES:
            yield seen("has_include_hidden", chain.token, name)
        elif kind_of(name, called=True) is not None or name in NAMESPACES:
            yield seen("pasted_name", chain.token, name)
