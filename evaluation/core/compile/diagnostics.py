"""Compiler output made fit to show: bounded, plain text, without the jail's paths (docs/rules.md, R11).

The text is for people only. Anything in it may have been written by the author.
"""

import re
import unicodedata

LIMIT_BYTES = 64 * 1024

_NOTICE_BYTES = 128
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC, DCS and other strings, up to their terminator
    r"|\x1b[ -/]*[0-~]?"  # the short ones
)
_LINE_ENDS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_JAIL_PREFIXES = re.compile(r"(?<![\w/.-])/(?:w|tmp|toolchain|slim|capi)/")
_KEPT_CONTROLS = frozenset("\n\t")


def clean(
    head: bytes, *, dropped: int = 0, tail: bytes = b"", limit_bytes: int = LIMIT_BYTES
) -> str:
    """Return what a tool said as plain text of at most ``limit_bytes`` in UTF-8.

    ``dropped`` bytes after ``head`` were not kept, but for the last of them in ``tail``.
    """
    if not dropped:
        return shortened(_plain(head), limit_bytes=limit_bytes)
    return _joined(_plain(head), _plain(tail), dropped - len(tail), limit_bytes)


def shortened(text: str, *, limit_bytes: int = LIMIT_BYTES) -> str:
    """Return the text, or its head and its tail and how much is left out in between."""
    if len(text.encode()) <= limit_bytes:
        return text
    middle = len(text) // 2
    return _joined(text[:middle], text[middle:], 0, limit_bytes)


def _joined(first: str, last: str, lost: int, limit_bytes: int) -> str:
    half = (limit_bytes - _NOTICE_BYTES) // 2
    kept_first = first.encode()[:half].decode(errors="ignore")
    kept_last = last.encode()[-half:].decode(errors="ignore")
    lost += len(first.encode()) - len(kept_first.encode())
    lost += len(last.encode()) - len(kept_last.encode())
    return f"{kept_first}\n[ {lost} bytes left out ]\n{kept_last}"


def _plain(raw: bytes) -> str:
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", raw.decode(errors="replace")))
    visible = "".join(one for one in text if one in _KEPT_CONTROLS or not _hidden(one))
    return _JAIL_PREFIXES.sub("", visible)


def _hidden(one: str) -> bool:
    """Control and format characters: they move the cursor or reverse the reading direction."""
    return unicodedata.category(one) in {"Cc", "Cf"}
