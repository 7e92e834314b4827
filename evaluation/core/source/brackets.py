"""Which tokens stand inside the brackets of an attribute or an asm statement."""

from collections.abc import Callable, Sequence

from evaluation.core.source.lexer import Token

OPENING = frozenset({"(", "[", "<:", "{", "<%"})
CLOSING = frozenset({")", "]", ":>", "}", "%>"})
SQUARE = frozenset({"[", "<:"})

_ATTRIBUTES = frozenset({"__attribute__", "__attribute"})
_ASM = frozenset({"asm", "__asm__", "__asm"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto"})


def in_attributes(tokens: Sequence[Token]) -> list[bool]:
    """Mark what lies inside ``__attribute__((...))`` and ``[[...]]``."""

    def starts(place: int) -> bool:
        word = tokens[place].spelling
        following = tokens[place + 1].spelling if place + 1 < len(tokens) else ""
        return word in _ATTRIBUTES or (word in SQUARE and following in SQUARE)

    return _inside(tokens, starts, frozenset())


def in_asm(tokens: Sequence[Token]) -> list[bool]:
    """Mark what lies inside ``asm volatile (...)`` and its other spellings."""
    return _inside(tokens, lambda place: tokens[place].spelling in _ASM, _QUALIFIERS)


def _inside(
    tokens: Sequence[Token], starts: Callable[[int], bool], between: frozenset[str]
) -> list[bool]:
    """Mark the tokens of each bracket that follows a start, words of ``between`` allowed.

    A bracket that does not close reaches to the end. One pass, whatever the nesting.
    """
    marks: list[bool] = []
    depth = 0
    expecting = False
    for place, token in enumerate(tokens):
        word = token.spelling
        if depth:
            depth += (word in OPENING) - (word in CLOSING)
        elif expecting and word in OPENING:
            depth = 1
            expecting = False
        else:
            expecting = starts(place) or (expecting and word in between)
        marks.append(depth > 0)
    return marks
