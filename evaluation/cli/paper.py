"""Lines on a terminal. Text that a candidate wrote is cleaned here before a terminal can obey it."""

import os
import re
import sys
import textwrap
import unicodedata
from typing import TextIO

_STYLES = {"good": "32", "bad": "31", "dim": "2", "bold": "1", "odd": "33"}
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_OWN_CODES = re.compile(r"\x1b\[[0-9;]*m")
_PIPE_COLUMNS = 120
_LEAST_COLUMNS, _MOST_COLUMNS = 20, 140
_UNKNOWN_COLUMNS = 80
_LEAST_ROOM = 24  # beside a hanging indent; with less the text goes below
_SMALL_INDENT = "    "


def clean(text: str) -> str:
    """Replace what could move a cursor, change a colour, end a line or turn the writing direction."""
    return "".join(
        c if unicodedata.category(c) not in _HIDDEN else "\N{REPLACEMENT CHARACTER}"
        for c in text.expandtabs()
    )


class Paper:
    """Where a command writes: plain when piped, with colour and a line that is replaced when on a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._terminal = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        # no-color.org: set and not empty.
        self._colour = self._terminal and not os.environ.get("NO_COLOR")
        self._pending = False

    @property
    def terminal(self) -> bool:
        return self._terminal

    @property
    def width(self) -> int:
        if not self._terminal:
            return _PIPE_COLUMNS
        columns = os.get_terminal_size(self._stream.fileno()).columns or _UNKNOWN_COLUMNS
        return max(_LEAST_COLUMNS, min(_MOST_COLUMNS, columns))

    def style(self, text: str, *names: str) -> str:
        if not self._colour or not names:
            return text
        codes = ";".join(_STYLES[name] for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def line(self, text: str = "") -> None:
        """Write one line; it replaces a pending one."""
        self.settle()
        self._stream.write(f"{text}\n")
        self._stream.flush()

    def pending(self, text: str) -> None:
        """Show what is being done; only a terminal sees it and the next line takes its place."""
        if self._terminal:
            # One column less: a full line would wrap, and only its last row could be taken back.
            self._stream.write(f"\r\x1b[2K{clean(text)[: self.width - 1]}")
            self._stream.flush()
            self._pending = True

    def settle(self) -> None:
        """Take a pending line back."""
        if self._pending:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._pending = False

    def wrapped(self, text: str, *, indent: str, first: str | None = None) -> None:
        """Write cleaned text in lines that fit, each behind ``indent``, the first one behind ``first``.

        ``first`` is as it shall be written and may hold styles; it is never the candidate's.
        """
        lead = indent if first is None else first
        taken = len(_OWN_CODES.sub("", lead))
        if self.width - max(taken, len(indent)) < _LEAST_ROOM:
            if first is not None:
                self.line(lead.rstrip())
            lead = indent = indent[: len(_SMALL_INDENT)]
            taken = len(lead)
        lines = textwrap.wrap(
            clean(text),
            width=self.width,
            initial_indent=" " * taken,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        if not lines:
            self.line(lead.rstrip())
            return
        self.line(lead + lines[0][taken:])
        for one in lines[1:]:
            self.line(one)
