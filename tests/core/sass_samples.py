"""Machine code for tests: real documents from files, and small ones written by hand."""

import json
from pathlib import Path

from evaluation.core.binary.facts import CubinFacts, KernelFunction
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Family
from evaluation.core.scan.evidence import Requirement
from evaluation.core.scan.sass import Disassembly, Function, Instruction, read_disassembly
from evaluation.core.verdict import Target

FIXTURES = Path(__file__).parent / "fixtures" / "sass"

HOPPER = Requirement(Target.HOPPER, (Family.GMMA, Family.TMA), DType.BFLOAT16)
BLACKWELL = Requirement(Target.BLACKWELL, (Family.TCGEN05,), DType.BFLOAT16)


def document_bytes(name: str) -> bytes:
    return (FIXTURES / f"{name}.json").read_bytes()


def disassembly(name: str) -> Disassembly:
    return read_disassembly(document_bytes(name))


def written(*functions: dict[str, object], **header: object) -> bytes:
    """A document of nvdisasm's shape for sm_90; ``header`` replaces or adds entries of its first object."""
    head: dict[str, object] = {
        "ELF": {"layout-id": 4, "ei_osabi": 65, "ei_abiversion": 8},
        "SM": {"version": {"major": 9, "minor": 0}},
        "SchemaVersion": {"major": 13, "minor": 5, "revision": 0},
        "Producer": "nvdisasm V13.5.37",
        "Description": "",
    }
    return json.dumps([head | header, list(functions)]).encode()


def written_function(name: str, *rows: dict[str, object], **entries: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "function-name": name,
        "start": 0,
        "length": 16 * len(rows),
        "other-attributes": [],
        "sass-instructions": list(rows),
    }
    return whole | entries


def code(name: str, *lines: str) -> Function:
    """A function of instructions written as ``@P0 LDC R1,c[0x0][0x28]``; calls and branches are control flow."""
    return Function(name, tuple(_instruction(16 * i, line) for i, line in enumerate(lines)))


def _instruction(address: int, line: str) -> Instruction:
    predicate, _, rest = line.partition(" ") if line.startswith("@") else ("", "", line)
    opcode, _, operands = rest.partition(" ")
    flows = opcode.partition(".")[0] in {"CALL", "BRA", "RET", "EXIT", "JMP", "BRX"}
    return Instruction(address, predicate, opcode, operands, flows)


def program(*functions: Function, sm: int = 90) -> Disassembly:
    return Disassembly(sm, "by hand", functions)


def facts(
    read: Disassembly,
    *,
    parameter_bytes: int = 0,
) -> CubinFacts:
    """What the ELF would say of these functions; every one with a parameter block of the same size."""
    base = {90: 0x210, 100: 0x380}[read.sm]
    return CubinFacts(
        sm=read.sm,
        functions=tuple(
            KernelFunction(
                name=one.name,
                parameters=(),
                parameter_base=base,
                parameter_bytes=parameter_bytes,
                registers=32,
                static_shared_bytes=1024,
                local_bytes=8,
                max_threads=0,
                cluster=None,
                code_bytes=16 * len(one.instructions),
            )
            for one in read.functions
        ),
        symbols=(),
        externs=(),
        global_bytes=0,
    )
