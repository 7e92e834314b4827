"""What compute-sanitizer found, read from its XML as a hostile document: no entities, no doctype, everything bounded.

The tool writes names of the candidate's functions and files into it, so nothing but the number of records decides.
"""

from dataclasses import dataclass, field
from xml.parsers import expat

from evaluation.core.errors import InvalidInput
from evaluation.core.quoting import quoted

LIMIT_BYTES = 4 << 20
LIMIT_DEPTH = 16
LIMIT_ELEMENTS = 100_000
LIMIT_TEXT = 400  # characters of one element that are kept
RECORDS_KEPT = 16

_WHERE = "compute-sanitizer's report"
_ROOT = "ComputeSanitizerOutput"
_RECORD = "record"
_AXES = ("x", "y", "z")
# Versions of the tool call the address of an access differently.
_PLACES = (
    ("in", ("where/func",)),
    ("at", ("where/path",)),
    ("line", ("where/line",)),
    ("address", ("what/accessAddress", "what/address")),
    ("bytes", ("what/size",)),
)


@dataclass(frozen=True, slots=True)
class SanitizerReport:
    """``records`` counts all, ``lines`` says the first few in words, each one printable line."""

    records: int
    lines: tuple[str, ...]


def read_report(content: bytes) -> SanitizerReport:
    """Read the document. Raise InvalidInput where it breaks its format or a bound."""
    if len(content) > LIMIT_BYTES:
        raise _broken(f"has more than {LIMIT_BYTES} bytes")
    reader = _Reader()
    parser = expat.ParserCreate("UTF-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    try:
        parser.Parse(content, True)  # noqa: FBT003 - expat takes its arguments by position
    except expat.ExpatError as error:
        raise _broken("is not well-formed XML in UTF-8") from error
    return SanitizerReport(reader.records, tuple(reader.lines))


@dataclass(slots=True)
class _Reader:
    records: int = 0
    lines: list[str] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)
    _elements: int = 0
    _values: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self._elements += 1
        if not self._path and name != _ROOT:
            raise _broken(f"is no {_ROOT}")
        if len(self._path) >= LIMIT_DEPTH or self._elements > LIMIT_ELEMENTS:
            raise _broken("has too many elements, or too deep ones")
        self._path.append(name)
        if self._inside == (_RECORD,):
            self.records += 1
            self._values = {}

    def end(self, _name: str) -> None:
        if self._inside == (_RECORD,) and len(self.lines) < RECORDS_KEPT:
            self.lines.append(_line(self._values))
        self._path.pop()

    def text(self, characters: str) -> None:
        inside = self._inside
        if inside[:1] == (_RECORD,):
            key = "/".join(inside[1:])
            self._values[key] = (self._values.get(key, "") + characters)[:LIMIT_TEXT]

    @property
    def _inside(self) -> tuple[str, ...]:
        return tuple(self._path[1:])


def _line(values: dict[str, str]) -> str:
    """``'Invalid __global__ write of size 4 bytes' in 'kernel' at 'kernel.cu':8, thread 0,0,0 of block 1,0,0``."""
    parts = [quoted(_of(values, "what/text") or _of(values, "kind") or "no words")]
    for word, keys in _PLACES:
        said = next((text for text in (_of(values, key) for key in keys) if text), "")
        if said:
            parts.append(f"{word} {quoted(said)}")
    for word, key in (("thread", "who/threadIdx"), ("block", "who/blockIdx")):
        axes = [_of(values, f"{key}/{axis}") for axis in _AXES]
        if all(one.isdecimal() and one.isascii() for one in axes):
            parts.append(f"{word} {','.join(axes)}")
    return " ".join(parts)


def _of(values: dict[str, str], key: str) -> str:
    return values.get(key, "").strip()


def _refuse(*_arguments: object) -> int:
    raise _broken("declares a document type or an entity")


def _broken(rule: str) -> InvalidInput:
    return InvalidInput(where=_WHERE, key="", rule=rule)
