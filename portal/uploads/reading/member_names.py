"""Names of archive members: a path below the archive's root that nobody has to be afraid of, and each only once."""

import hashlib
import re
import unicodedata

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

_DRIVE = re.compile(r"[A-Za-z]:")
_UNSEEN = frozenset({"Cc", "Zl", "Zp"})


def cleaned(raw: bytes, limits: Limits) -> str:
    """The name without a leading ``./`` and a trailing ``/``; empty for the root itself."""
    if len(raw) > limits.name_bytes:
        shown = raw.decode("utf-8", "backslashreplace")
        raise Refused(f"has a name of more than {limits.name_bytes:,} bytes", shown)
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise Refused(
            "has a name that is not UTF-8", raw.decode("utf-8", "backslashreplace")
        ) from wrong
    if reason := _objection(name):
        raise Refused(reason, name)
    parts = [part for part in name.removesuffix("/").split("/") if part != "."]
    if ".." in parts:
        raise Refused("leads out of the archive", name)
    if "" in parts:
        raise Refused("has a name with an empty part", name)
    return "/".join(parts)


def _objection(name: str) -> str:
    if not name:
        return "has a member without a name"
    if name.startswith("/") or _DRIVE.match(name):
        return "has an absolute name"
    if "\\" in name:
        return "has a back-slash in its name"
    if not (name.isascii() and name.isprintable()) and not _UNSEEN.isdisjoint(
        map(unicodedata.category, name)
    ):
        return "has a control character in its name"
    return ""


class Names:
    """The names seen so far, as hashes, so that the longest names of a full archive take a few megabytes."""

    def __init__(self) -> None:
        self._files: set[bytes] = set()
        self._folders: set[bytes] = set()

    def add(self, name: str, *, is_folder: bool) -> None:
        """Refuse what a file system that ignores case or composes accents would store as one file."""
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        key = hashlib.blake2b(folded.encode(), digest_size=16).digest()
        if key in self._files or (key in self._folders and not is_folder):
            raise Refused(
                "is there twice, or under a name that differs only in case or accents", name
            )
        (self._folders if is_folder else self._files).add(key)
