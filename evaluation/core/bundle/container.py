"""A bundle as one file: a zip archive in the one form that equal contents can have (docs/adr/0009-bundle.md).

Members are stored as they are, in a given order, without times, modes, comments or extra fields. So there is exactly
one right archive for a list of members, and the reader accepts that one alone: it walks the members, packs them again
and compares. Links, paths, two tables of contents that differ, bytes before or behind and members that grow when they
are unpacked cannot be said in this form. Source: APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Final

from evaluation.core.errors import InvalidInput
from evaluation.core.quoting import quoted

Members = tuple[tuple[str, bytes], ...]

_LOCAL: Final = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL: Final = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END: Final = struct.Struct("<4sHHHHIIH")
_LOCAL_SIGNATURE: Final = b"PK\x03\x04"
_CENTRAL_SIGNATURE: Final = b"PK\x01\x02"
_END_SIGNATURE: Final = b"PK\x05\x06"
_VERSION: Final = 10  # 1.0: members are stored
_FIRST_DAY: Final = 0x21  # 1980-01-01, the earliest day that the format knows
_LONGEST_NAME: Final = 80


def pack(members: Members) -> bytes:
    """The archive of these members, whose names are ASCII and whose bytes are less than 4 GiB in all."""
    return b"".join(_pieces(members))


def _pieces(members: Members) -> Iterator[bytes]:
    directory: list[bytes] = []
    place = 0
    for name, content in members:
        raw = name.encode("ascii")
        shared = (0, 0, 0, _FIRST_DAY, zlib.crc32(content), len(content), len(content), len(raw), 0)
        local = _LOCAL.pack(_LOCAL_SIGNATURE, _VERSION, *shared) + raw
        directory += [
            _CENTRAL.pack(_CENTRAL_SIGNATURE, _VERSION, _VERSION, *shared, 0, 0, 0, 0, place),
            raw,
        ]
        yield local
        yield content
        place += len(local) + len(content)
    table = b"".join(directory)
    count = len(members)
    yield table
    yield _END.pack(_END_SIGNATURE, 0, 0, count, count, len(table), place, 0)


def _is_packed(members: Members, content: bytes) -> bool:
    """Whether ``content == pack(members)``, without making another copy of a large archive."""
    place = 0
    for piece in _pieces(members):
        if not content.startswith(piece, place):
            return False
        place += len(piece)
    return place == len(content)


def unpack(
    content: bytes, *, where: str, limit_of: Callable[[str], int | None], most: int
) -> Members:
    """The members of an archive that ``pack`` would make of them; InvalidInput for every other content.

    ``limit_of`` says how many bytes a member of that name may have and None for a name that none may have; ``most`` is
    the largest number of members.
    """
    found: dict[str, bytes] = {}
    for name, held in _walk(content, where, limit_of):
        if name in found:
            raise InvalidInput(where=where, key=name, rule="is there twice")
        if len(found) == most:
            raise InvalidInput(where=where, key="", rule=f"has more than {most} members")
        found[name] = held
    members = tuple(found.items())
    if not _is_packed(members, content):
        rule = (
            "is not what its members are packed to: a byte was changed, "
            "or something stands in front, behind or between"
        )
        raise InvalidInput(where=where, key="", rule=rule)
    return members


def _walk(
    content: bytes, where: str, limit_of: Callable[[str], int | None]
) -> Iterator[tuple[str, bytes]]:
    place = 0
    while content[place : place + len(_LOCAL_SIGNATURE)] == _LOCAL_SIGNATURE:
        if len(content) - place < _LOCAL.size:
            raise InvalidInput(where=where, key="", rule="ends inside a member")
        fields = _LOCAL.unpack_from(content, place)
        method, size, length = fields[3], fields[7], fields[9]
        place += _LOCAL.size
        raw = content[place : place + min(length, _LONGEST_NAME + 1)]
        name = raw.decode("ascii", errors="backslashreplace")
        limit = limit_of(name)
        if limit is None:
            raise InvalidInput(
                where=where, key="", rule=f"holds {quoted(name)}, which is no part of a bundle"
            )
        if method:
            raise InvalidInput(
                where=where, key=name, rule="is compressed; members are stored as they are"
            )
        if size > limit:
            raise InvalidInput(
                where=where, key=name, rule=f"has {size} bytes; at most {limit} are read"
            )
        place += length
        yield name, content[place : place + size]
        place += size
