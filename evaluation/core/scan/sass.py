"""Machine code as nvdisasm's JSON states it, read as a hostile document (rules I10 and T7 of docs/rules.md).

nvdisasm 13.5 prints names without escaping. A name that could break out of its quotes cannot come from ptxas, but it
could from a cubin that something else made; it then leaves duplicate or unknown keys behind and is refused.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluation.core.errors import InvalidInput, ToolFailure

LIMIT_JSON_BYTES = 32 << 20
LIMIT_INSTRUCTIONS = 1 << 18  # 4 MiB of code, many times that of a large attention kernel
LIMIT_FUNCTIONS = 4096
LIMIT_NAME_CHARACTERS = 4096
LIMIT_OPERAND_CHARACTERS = 3 * LIMIT_NAME_CHARACTERS  # a call can name a function inside a function
LIMIT_OPCODE_CHARACTERS = 128

INSTRUCTION_BYTES = 16  # sm_70 and later

_SCHEMA = (13, 5)
_WHERE = "disassembly"
# Every container costs memory many times its two characters, so they are counted before anything is built.
_LIMIT_CONTAINERS = 3 * LIMIT_INSTRUCTIONS

_NAME = re.compile(r"[A-Za-z0-9_$%.]+")
_GUARD = re.compile(r"@!?U?P[0-9T]")
_ALL_PREDICATES = re.compile(r"U?PR")
_PRINTABLE = re.compile(r"[\x20-\x7e]+")

_FUNCTION_KEYS = frozenset(
    ("function-name", "start", "length", "other-attributes", "sass-instructions")
)
_INSTRUCTION_KEYS = frozenset(("predicate", "opcode", "operands", "extra", "other-attributes"))
_ATTRIBUTES = frozenset(("control-flow", "subroutine-call", "inter-warp-barrier"))
_HEADER_KEYS = frozenset(("ELF", "SM", "SchemaVersion", "Producer", "Description"))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One machine instruction. ``address`` is in bytes from the start of its function."""

    address: int
    predicate: str  # "@P0", "@!UP1", or empty
    opcode: str  # with its modifiers: "HGMMA.64x128x16.F32.BF16"
    operands: str
    control_flow: bool = False

    @property
    def text(self) -> str:
        return " ".join(part for part in (self.predicate, self.opcode, self.operands) if part)


@dataclass(frozen=True, slots=True)
class Function:
    """The code section of one kernel, with every device function that was compiled into it."""

    name: str
    instructions: tuple[Instruction, ...] = field(repr=False)

    @property
    def code_bytes(self) -> int:
        return INSTRUCTION_BYTES * len(self.instructions)


@dataclass(frozen=True, slots=True)
class Disassembly:
    sm: int  # 90, 100
    producer: str
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a cubin has no disassembly. The kernel's fault, as a value: a sentence without the author's words."""

    reason: str


def read_disassembly(content: bytes) -> Disassembly:
    """Read what ``nvdisasm --emit-json`` printed. Raise InvalidInput, or ToolFailure for another schema than ours."""
    document = _list(_parse(content), "", length=2)
    sm, producer = _header(_object(document[0], "header"))
    listed = _list(document[1], "functions")
    if len(listed) > LIMIT_FUNCTIONS:
        raise _broken("functions", f"more than {LIMIT_FUNCTIONS} functions")
    functions = []
    left = LIMIT_INSTRUCTIONS
    for index, one in enumerate(listed):
        function = _function(one, f"functions[{index}]", limit=left)
        left -= len(function.instructions)
        functions.append(function)
    names = {function.name for function in functions}
    if len(names) != len(functions):
        raise _broken("functions", "two functions have one name")
    return Disassembly(sm, producer, tuple(functions))


def _broken(key: str, rule: str) -> InvalidInput:
    return InvalidInput(where=_WHERE, key=key, rule=rule)


def _parse(content: bytes) -> object:
    if len(content) > LIMIT_JSON_BYTES:
        raise _broken("", f"longer than {LIMIT_JSON_BYTES} bytes")
    if content.count(b"{") + content.count(b"[") > _LIMIT_CONTAINERS:
        raise _broken("", f"more than {_LIMIT_CONTAINERS} lists and objects")
    try:
        document: object = json.loads(
            content.decode("ascii"),
            object_pairs_hook=_unique,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except UnicodeDecodeError as why:
        raise _broken("", "not ASCII") from why
    except RecursionError as why:
        raise _broken("", "nested too deeply") from why
    except ValueError as why:  # malformed, or an integer of thousands of digits
        raise _broken("", "not well-formed JSON") from why
    return document


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _broken("", "a key occurs twice in one object")
    return found


def _no_number(text: str) -> object:
    raise _broken("", f"{text[:20]} is no whole number")


def _header(header: dict[str, object]) -> tuple[int, str]:
    for key in header:
        if key not in _HEADER_KEYS and not key.startswith(".note."):
            raise _broken("header", "unknown key")
    schema = _object(header.get("SchemaVersion"), "header.SchemaVersion")
    version = tuple(
        _integer(schema.get(part), f"header.SchemaVersion.{part}") for part in ("major", "minor")
    )
    if version != _SCHEMA:
        raise ToolFailure(
            f"nvdisasm writes schema {version[0]}.{version[1]}, this judge reads 13.5",
            action="install the pinned toolchain",
        )
    sm = _object(_object(header.get("SM"), "header.SM").get("version"), "header.SM.version")
    major, minor = (
        _integer(sm.get(part), f"header.SM.version.{part}") for part in ("major", "minor")
    )
    return 10 * major + minor, _text(header.get("Producer"), "header.Producer", limit=200)


def _function(value: object, key: str, *, limit: int) -> Function:
    entries = _object(value, key)
    _only(entries, _FUNCTION_KEYS, key)
    name = _text(entries.get("function-name"), f"{key}.function-name", limit=LIMIT_NAME_CHARACTERS)
    if not _NAME.fullmatch(name):
        raise _broken(f"{key}.function-name", "not a name that ptxas can write")
    _list(entries.get("other-attributes"), f"{key}.other-attributes", length=0)
    rows = _list(entries.get("sass-instructions"), f"{key}.sass-instructions")
    if len(rows) > limit:
        raise _broken(key, f"more than {LIMIT_INSTRUCTIONS} instructions in all")
    # Addresses follow from the place in the list only if the list begins at 0 and has no hole.
    if _integer(entries.get("start"), f"{key}.start") != 0:
        raise _broken(f"{key}.start", "must be 0: one function a section")
    if _integer(entries.get("length"), f"{key}.length") != INSTRUCTION_BYTES * len(rows):
        raise _broken(f"{key}.length", "must be 16 bytes an instruction")
    return Function(
        name,
        tuple(
            _instruction(row, INSTRUCTION_BYTES * index, f"{key}.sass-instructions[{index}]")
            for index, row in enumerate(rows)
        ),
    )


def _instruction(value: object, address: int, key: str) -> Instruction:
    entries = _object(value, key)
    _only(entries, _INSTRUCTION_KEYS, key)
    opcode = _text(entries.get("opcode"), f"{key}.opcode", limit=LIMIT_OPCODE_CHARACTERS)
    predicate = operands = ""
    if "predicate" in entries:
        predicate = _text(entries["predicate"], f"{key}.predicate", limit=8)
    if "operands" in entries:
        operands = _text(entries["operands"], f"{key}.operands", limit=LIMIT_OPERAND_CHARACTERS)
    if _ALL_PREDICATES.fullmatch(predicate):
        predicate, operands = _guard_and_operands(predicate, operands)
    if predicate and not _GUARD.fullmatch(predicate):
        raise _broken(f"{key}.predicate", "not a predicate")
    if "extra" in entries:
        _text(entries["extra"], f"{key}.extra", limit=LIMIT_OPERAND_CHARACTERS)
    attributes = _object(entries.get("other-attributes", {}), f"{key}.other-attributes")
    _only(attributes, _ATTRIBUTES, f"{key}.other-attributes")
    if any(said != "True" for said in attributes.values()):
        raise _broken(f"{key}.other-attributes", 'an attribute is "True" or absent')
    return Instruction(address, predicate, opcode, operands, "control-flow" in attributes)


def _guard_and_operands(register: str, operands: str) -> tuple[str, str]:
    """Undo nvdisasm's mix-up: for ``@P3 P2R R16, PR, RZ, 0x1`` it says predicate PR, operands R16,@P3,RZ,0x1."""
    parts = operands.split(",")
    guards = [place for place, part in enumerate(parts) if _GUARD.fullmatch(part)]
    if not guards:  # there was none, and the register has left no gap
        return "", ",".join((*parts[:1], register, *parts[1:]))
    place = guards[0]
    return parts[place], ",".join((*parts[:place], register, *parts[place + 1 :]))


def _only(entries: dict[str, object], allowed: Iterable[str], key: str) -> None:
    if not entries.keys() <= set(allowed):
        raise _broken(key, "unknown key")


def _object(value: object, key: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _broken(key, "must be an object")
    return value


def _list(value: object, key: str, *, length: int | None = None) -> list[object]:
    if not isinstance(value, list):
        raise _broken(key, "must be a list")
    if length is not None and len(value) != length:
        raise _broken(key, f"must have {length} entries")
    return value


def _integer(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 32:
        raise _broken(key, "must be a whole number below 2^32")
    return value


def _text(value: object, key: str, *, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit or not _PRINTABLE.fullmatch(value):
        raise _broken(key, f"must be 1 to {limit} printable ASCII characters")
    return value
