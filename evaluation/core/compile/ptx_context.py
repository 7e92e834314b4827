"""ptxas names lines of a PTX file that the author never sees; this puts the lines themselves beside its words.

For people only: the words may have been written by the author, and nothing is decided here.
"""

import re

_NAMED = re.compile(r"^ptxas \S*kernel\.ptx, line (\d{1,9});", re.MULTILINE)
_PLACE = re.compile(r"\s*\.loc\s+(\d{1,9})\s+(\d{1,9})\s")
_FILE = re.compile(r'\s*\.file\s+(\d{1,9})\s+"([^"]{1,200})"')
_MOST = 10
_LONGEST = 200


def with_context(log: str, ptx: str) -> str:
    """Return ``log`` with the named PTX lines, up to ten, and the places in kernel.cu that they come from."""
    lines = ptx.split("\n")
    numbers = dict.fromkeys(int(number) for number in _NAMED.findall(log))
    shown = [number for number in numbers if 1 <= number <= len(lines)][:_MOST]
    if not shown:
        return log
    ours = {
        match[1]
        for line in lines
        if (match := _FILE.match(line)) and match[2].endswith("/kernel.cu")
    }
    text = "".join(
        f"  kernel.ptx:{n}{_origin(lines, n, ours)}: {lines[n - 1].strip()[:_LONGEST]}\n"
        for n in shown
    )
    return f"{log}PTX lines named above:\n{text}"


def _origin(lines: list[str], number: int, ours: set[str]) -> str:
    """The nearest .loc above the line, unless a function begins in between."""
    for line in reversed(lines[:number]):
        if match := _PLACE.match(line):
            return f" (kernel.cu:{match[2]})" if match[1] in ours else ""
        if line.startswith((".visible", ".entry", ".func")):
            break
    return ""
