"""Names that a stranger chose and numbers of things, made fit for a message: one line, printable, bounded."""

LIMIT_CHARACTERS = 120


def quoted(name: str, *, limit: int = LIMIT_CHARACTERS) -> str:
    """Escape what does not print in ASCII, shorten, and put it in single quotes."""
    escaped = name[: limit + 1].encode("unicode_escape").decode("ascii").replace("'", "\\'")
    shown = escaped if len(name) <= limit and len(escaped) <= limit else escaped[:limit] + "..."
    return f"'{shown}'"


def counted(number: int, noun: str, *, many: str = "") -> str:
    """``1 include``, ``2 includes``; ``many`` where an s is not enough."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"
