"""Small ELF files made by hand, with the place of each field known so that a test can damage exactly one."""

import struct
from dataclasses import dataclass


@dataclass(slots=True)
class Built:
    """A file and where its parts lie: ``places`` maps a name such as ``section .dynsym`` to a file offset."""

    content: bytearray
    places: dict[str, int]

    def put(self, place: str, form: str, value: int, *, add: int = 0) -> "Built":
        struct.pack_into(form, self.content, self.places[place] + add, value)
        return self

    def get(self, place: str, form: str, *, add: int = 0) -> int:
        (value,) = struct.unpack_from(form, self.content, self.places[place] + add)
        assert isinstance(value, int)
        return value

    def write(self, place: str, value: bytes, *, add: int = 0) -> "Built":
        start = self.places[place] + add
        self.content[start : start + len(value)] = value
        return self

    def copy(self) -> "Built":
        return Built(bytearray(self.content), dict(self.places))


class Strings:
    """A string table that hands out offsets."""

    def __init__(self) -> None:
        self.content = bytearray(b"\0")
        self._offsets: dict[str, int] = {"": 0}

    def offset(self, text: str) -> int:
        if text not in self._offsets:
            self._offsets[text] = len(self.content)
            self.content += text.encode() + b"\0"
        return self._offsets[text]


@dataclass(slots=True)
class Part:
    """One section: bytes, or ``memory`` bytes that are not in the file."""

    name: str
    kind: int
    content: bytes = b""
    flags: int = 0
    address: int = 0
    link: str = ""
    info: int = 0
    entry: int = 0
    memory: int | None = None


def symbol(
    name: int, info: int, *, other: int = 0, section: int = 0, value: int = 0, size: int = 0
) -> bytes:
    return struct.pack("<IBBHQQ", name, info, other, section, value, size)


def append_headers(
    parts: list[Part], offsets: dict[str, int], names: Strings, content: bytearray
) -> tuple[dict[str, int], int]:
    """Append section name table and section headers; the places of both."""
    for part in parts:
        names.offset(part.name)
    names.offset(".shstrtab")
    places = {"section names": len(content)}
    rows = [bytes(64)]
    for part in parts:
        size = len(part.content) if part.memory is None else part.memory
        link = next((i + 1 for i, one in enumerate(parts) if one.name == part.link), 0)
        rows.append(
            struct.pack(
                "<IIQQQQIIQQ",
                *(names.offset(part.name), part.kind, part.flags, part.address),
                *(offsets[part.name], size, link, part.info, 1, part.entry),
            )
        )
    rows.append(
        struct.pack(
            "<IIQQQQIIQQ",
            *(names.offset(".shstrtab"), 3, 0, 0, len(content), len(names.content), 0, 0, 1, 0),
        )
    )
    content += names.content
    content += bytes(-len(content) % 8)
    at = len(content)
    for place, name in enumerate(["", *(one.name for one in parts), ".shstrtab"]):
        places[f"section {name}"] = at + 64 * place
    content += b"".join(rows)
    return places, at
