"""The one way to say no to an upload: a sentence that its owner may see."""

import unicodedata

SHOWN_CHARACTERS = 200


class Refused(Exception):
    """The upload is refused whole; ``sentence`` names the member and is safe to show as plain text."""

    def __init__(self, reason: str, member: str = "") -> None:
        self.reason = reason
        self.member = shown(member)
        self.sentence = f"{self.member}: {reason}" if member else reason
        super().__init__(self.sentence)


class TooLarge(Refused):
    """One document or kernel is beyond its limit; whoever reads a kernel may go on without it."""


def shown(name: str | bytes) -> str:
    """A hostile name as one bounded line of printable characters."""
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    escaped = "".join(_printable(character) for character in text[:SHOWN_CHARACTERS])
    return escaped[:SHOWN_CHARACTERS] + ("…" if len(text) > SHOWN_CHARACTERS else "")


def _printable(character: str) -> str:
    # Controls, direction marks, surrogates, private and unassigned characters, line and paragraph separators.
    if unicodedata.category(character)[0] == "C" or unicodedata.category(character) in {"Zl", "Zp"}:
        return character.encode("unicode_escape").decode("ascii")
    return character
