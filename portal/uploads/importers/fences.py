"""Fenced blocks of a model's reply, as a Markdown reader sees them and as models really write them.

Beyond the specification: a fence may stand at any indentation, a block of a known language may begin at the end of a
line of prose, its last line may end in the fence, and a new fence with a language inside an open block of the same
fence begins a new block, because the old one was left open.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"(`{3,}+|~{3,}+)[ \t]*+([^`]*+)\Z")
_LATE_FENCE = re.compile(r"[^`](`{3,}+)[ \t]*+([A-Za-z+#-]++)\Z")
_TAG_END = re.compile(r"[\s:,;={}()\[\]]")
_LATE_CHARACTERS = 64  # of a fence and its language behind prose
_NESTED_LEVELS = 4


@dataclass(frozen=True, slots=True)
class Block:
    """The lines between two fences. ``tag`` is the language, lower case, or empty; ``closed`` says that it ends."""

    tag: str
    text: str
    closed: bool


@dataclass(frozen=True, slots=True)
class _Opening:
    mark: str
    tag: str
    indent: int


def blocks(
    text: str, languages: frozenset[str], *, levels: int = _NESTED_LEVELS
) -> Iterator[Block]:
    """Yield the blocks in their order, in linear time; those within a block of prose stand in its place."""
    for block in _outer(text, languages):
        inner: tuple[Block, ...] = ()
        wraps = _begins_with_fence(block.text)
        if levels > 1 and (block.tag not in languages or wraps):
            nested = blocks(block.text, languages, levels=levels - 1)
            inner = tuple(one for one in nested if one.tag in languages or (wraps and not one.tag))
        if inner:
            yield from inner
        else:
            yield block


def _outer(text: str, languages: frozenset[str]) -> Iterator[Block]:
    opening: _Opening | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        if "```" not in line and "~~~" not in line:
            # Nearly every line, and all that follows is slow.
            if opening is not None:
                lines.append(f"{_unindented(line, opening.indent)}\n")
            continue
        found = _opening(line, languages, inside=opening)
        if opening is None:
            opening, lines = found, []
        elif found is not None:
            yield Block(opening.tag, "".join(lines), closed=False)
            opening, lines = found, []
        elif _closes(line, opening):
            yield Block(opening.tag, "".join(lines), closed=True)
            opening = None
        elif (rest := _before_fence(line, opening)) is not None:
            yield Block(opening.tag, "".join([*lines, f"{rest}\n"]), closed=True)
            opening = None
        else:
            lines.append(f"{_unindented(line, opening.indent)}\n")
    if opening is not None:
        yield Block(opening.tag, "".join(lines), closed=False)


def _opening(line: str, languages: frozenset[str], *, inside: _Opening | None) -> _Opening | None:
    """Tell whether a block begins here; within an open one only a known language can begin another."""
    bare = line.strip()
    indent = len(line) - len(line.lstrip(" \t"))
    if match := _FENCE.match(bare):
        found = _Opening(match[1], _tag(match[2]), indent)
    elif match := _LATE_FENCE.search(bare, max(0, len(bare) - _LATE_CHARACTERS)):
        found = _Opening(match[1], _tag(match[2]), 0)
        if found.tag not in languages or inside is not None:
            return None
    else:
        return None
    if inside is None:
        return found
    same = found.mark == inside.mark and found.tag in languages
    return found if same else None


def _closes(line: str, opening: _Opening) -> bool:
    bare = line.strip()
    indent = len(line) - len(line.lstrip(" \t"))
    only_fence = bare.strip(opening.mark[0]) == "" and len(bare) >= len(opening.mark)
    return only_fence and indent <= opening.indent + 3


def _before_fence(line: str, opening: _Opening) -> str | None:
    """Give what stands before a fence of back-ticks that ends a line of code; None where none does."""
    bare = line.rstrip()
    code = bare.rstrip("`")
    if opening.mark[0] != "`" or len(bare) - len(code) < len(opening.mark) or not code.strip():
        return None
    return _unindented(code, opening.indent)


def _unindented(line: str, indent: int) -> str:
    return line[:indent].lstrip(" \t") + line[indent:] if indent else line


def _tag(words: str) -> str:
    """Take the language out of ``cpp``, ``{.cpp}``, ``cpp title="k"``, ``cpp:kernel.cu``."""
    return _TAG_END.split(words.strip().lstrip("{."), maxsplit=1)[0].lower()


def _begins_with_fence(text: str) -> bool:
    return text.lstrip()[:3] in ("```", "~~~")
