"""Text from outside as a column takes it."""

_CUT = "…"


def stored(text: str, limit: int) -> str:
    """The text in at most ``limit`` characters, without NUL and lone surrogates, which PostgreSQL refuses."""
    whole = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return whole if len(whole) <= limit else whole[: limit - 1] + _CUT
