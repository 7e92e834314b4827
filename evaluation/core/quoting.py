"""Names that a stranger chose and numbers of things, made fit for a message: one line, printable, bounded."""

LIMIT_CHARACTERS = 120


def quoted(name: str, *, limit: int = LIMIT_CHARACTERS) -> str:
    """Escape what does not print in ASCII, shorten, and put it in single quotes."""
    escaped = _escaped(name, limit).replace("'", "\\'")
    return f"'{_shortened(escaped, name, limit)}'"


def printable(line: str, *, limit: int) -> str:
    """The same for a line of words that are quoted already: quotes and backslashes stay, so no word can end early."""
    escaped = "".join(one if _is_plain(one) else _escaped(one, 1) for one in line[: limit + 1])
    return _shortened(escaped, line, limit)


def _is_plain(letter: str) -> bool:
    return letter.isascii() and letter.isprintable()


def _escaped(text: str, limit: int) -> str:
    return text[: limit + 1].encode("unicode_escape").decode("ascii")


def _shortened(escaped: str, text: str, limit: int) -> str:
    return escaped if len(text) <= limit and len(escaped) <= limit else escaped[:limit] + "..."


def on_one_line(text: str) -> str:
    """Text that somebody else wrote, for a line of a terminal: what does not print becomes a space."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def counted(number: int, noun: str, *, many: str = "") -> str:
    """``1 include``, ``2 includes``; ``many`` where an s is not enough."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"
