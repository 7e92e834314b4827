"""Lines on a terminal. Text that a candidate wrote is cleaned here before a terminal can obey it."""

import os
import sys
import textwrap
import unicodedata
from typing import TextIO

_STYLES = {"good": "32", "bad": "31", "dim": "2", "bold": "1", "odd": "33"}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    """Replace what could move a cursor, change a colour, end a line or turn the writing direction."""
    return "".join(
        c if unicodedata.category(c) not in _HIDDEN else "\N{REPLACEMENT CHARACTER}" for c in text
    )


class Paper:
    """Where a command writes: plain when piped, with colour and a line that is replaced when on a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._colour = self._terminal and "NO_COLOR" not in os.environ
        self._pending = False

    @property
    def width(self) -> int:
        if not self._terminal:
            return 120
        return max(60, min(140, os.get_terminal_size(self._stream.fileno()).columns))

    def style(self, text: str, *names: str) -> str:
        if not self._colour or not names:
            return text
        codes = ";".join(_STYLES[name] for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def line(self, text: str = "") -> None:
        """Write one line; it replaces a pending one."""
        if self._pending:
            self._stream.write("\r\x1b[2K")
            self._pending = False
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def pending(self, text: str) -> None:
        """Show what is being done; only a terminal sees it and the next line takes its place."""
        if self._terminal:
            self._stream.write(f"\r\x1b[2K{text}")
            self._stream.flush()
            self._pending = True

    def wrapped(self, text: str, *, indent: str, first: str | None = None) -> None:
        """Write cleaned text in lines that fit, each behind ``indent``."""
        lines = textwrap.wrap(
            clean(text),
            width=self.width,
            initial_indent=indent if first is None else first,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        for one in lines or [indent.rstrip()]:
            self.line(one)
