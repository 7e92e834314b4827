"""The scan: what the machine code of a kernel can do, without running it (rules I1 and I6 to I11 of docs/rules.md).

A scan can say that the family is absent. It can never say that it ran; that is the probe's to find.
"""

from collections import Counter
from dataclasses import dataclass

from evaluation.core.binary.facts import CubinFacts, KernelFunction
from evaluation.core.catalogue.problem import Family
from evaluation.core.errors import InvalidInput
from evaluation.core.scan.callgraph import Closure, closure_of
from evaluation.core.scan.evidence import EvidenceRow, Requirement, evidence_rows
from evaluation.core.scan.opcodes import MATRIX_KINDS, NumberFormat, OpcodeKind, kind_of, name_of
from evaluation.core.scan.sass import Disassembly, Function
from evaluation.core.verdict import FamilyExecuted, Target

ROWS_KEPT_PER_FUNCTION = 64
ROWS_KEPT = 512
EXAMPLES_KEPT = 8

_WHERE = "scan"
_SM = {Target.HOPPER: 90, Target.BLACKWELL: 100}
_FAMILY_WORDS = {
    Family.GMMA: "GMMA",
    Family.TMA: "TMA transfer",
    Family.TCGEN05: "TCGEN05 matrix instruction",
}


@dataclass(frozen=True, slots=True)
class OpcodeCount:
    """Rows of one function whose opcode's first token is ``name``."""

    name: str
    kind: OpcodeKind
    rows: int


@dataclass(frozen=True, slots=True)
class FormatCount:
    """Matrix rows that can run, by what their factors are. ``examples`` are the first few, as lines."""

    format: NumberFormat
    sparse: bool
    rows: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionScan:
    """One kernel. ``reachable``: launched, or called from a launched one.

    Counts are of all rows. ``rows`` are evidence by address, those that count before others where not all are kept.
    """

    name: str
    launched: bool
    reachable: bool
    instructions: int
    registers: int
    static_shared_bytes: int
    local_bytes: int
    opcodes: tuple[OpcodeCount, ...]  # every opcode, most frequent first
    counting: tuple[OpcodeCount, ...]  # rows that count for the family alone
    idle_rows: int
    rows: tuple[EvidenceRow, ...]
    rows_left_out: int

    def rows_of(self, *kinds: OpcodeKind) -> int:
        return sum(one.rows for one in self.opcodes if one.kind in kinds)


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What the code of one cubin says for one plan.

    ``family`` is ABSENT or UNKNOWN, ``reason`` a sentence. ``tma_only``: transfers are all that counts.
    """

    required: Requirement
    functions: tuple[FunctionScan, ...]
    formats: tuple[FormatCount, ...]  # of the reachable functions
    family: FamilyExecuted
    reason: str
    tma_only: bool
    leaves: bool  # a launched function jumps to an address that is no part of the code

    @property
    def launched(self) -> tuple[FunctionScan, ...]:
        return tuple(one for one in self.functions if one.launched)

    @property
    def reachable(self) -> tuple[FunctionScan, ...]:
        return tuple(one for one in self.functions if one.reachable)


def scan(
    disassembly: Disassembly, cubin: CubinFacts, *, launched: tuple[str, ...], required: Requirement
) -> ScanResult:
    """Scan a cubin whose plan launches the named functions.

    Raise InvalidInput where disassembly, ELF and plan do not speak of the same functions.
    """
    kernels = _agree(disassembly, cubin, launched, required.target)
    closure = closure_of(disassembly, launched)
    functions: list[FunctionScan] = []
    seen: list[EvidenceRow] = []
    left = ROWS_KEPT
    for function in disassembly.functions:
        rows = tuple(evidence_rows(function, required))
        kept = _kept(rows, limit=min(left, ROWS_KEPT_PER_FUNCTION))
        left -= len(kept)
        reachable = function.name in closure.functions
        functions.append(
            FunctionScan(
                name=function.name,
                launched=function.name in launched,
                reachable=reachable,
                instructions=len(function.instructions),
                registers=kernels[function.name].registers,
                static_shared_bytes=kernels[function.name].static_shared_bytes,
                local_bytes=kernels[function.name].local_bytes,
                opcodes=_opcodes(function, required.target),
                counting=_counting(rows),
                idle_rows=sum(row.idle for row in rows),
                rows=kept,
                rows_left_out=len(rows) - len(kept),
            )
        )
        seen.extend(rows if reachable else ())
    result = tuple(functions)
    family, reason = _family(result, closure, required)
    kinds = {count.kind for one in result if one.reachable for count in one.counting}
    tma_only = bool(kinds) and not kinds & MATRIX_KINDS
    return ScanResult(required, result, _formats(seen), family, reason, tma_only, closure.leaves)


def _agree(
    disassembly: Disassembly, cubin: CubinFacts, launched: tuple[str, ...], target: Target
) -> dict[str, KernelFunction]:
    """Return the kernels by name, once both readers tell the same of them."""
    if not disassembly.sm == cubin.sm == _SM[target]:
        raise InvalidInput(where=_WHERE, key="sm", rule=f"must be code for {target.sm}")
    kernels = {one.name: one for one in cubin.functions}
    sizes = {one.name: one.code_bytes for one in disassembly.functions}
    if sizes != {one.name: one.code_bytes for one in cubin.functions}:
        raise InvalidInput(
            where=_WHERE,
            key="functions",
            rule="disassembly and ELF name different functions or sizes",
        )
    if not kernels.keys() >= set(launched):
        raise InvalidInput(
            where=_WHERE, key="launched", rule="the plan launches a function that the cubin lacks"
        )
    return kernels


def _kept(rows: tuple[EvidenceRow, ...], *, limit: int) -> tuple[EvidenceRow, ...]:
    best = sorted(rows, key=lambda row: not row.counts)[:limit]
    return tuple(sorted(best, key=lambda row: row.address))


def _opcodes(function: Function, target: Target) -> tuple[OpcodeCount, ...]:
    counted = Counter(name_of(one.opcode) for one in function.instructions)
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(OpcodeCount(name, kind_of(name, target), rows) for name, rows in ordered)


def _counting(rows: tuple[EvidenceRow, ...]) -> tuple[OpcodeCount, ...]:
    counted = Counter((name_of(row.opcode), row.kind) for row in rows if row.counts)
    return tuple(
        OpcodeCount(name, kind, number) for (name, kind), number in sorted(counted.items())
    )


def _formats(rows: list[EvidenceRow]) -> tuple[FormatCount, ...]:
    lines: dict[tuple[NumberFormat, bool], list[str]] = {}
    for row in rows:
        if row.work is not None and not row.idle:
            lines.setdefault((row.work.format, row.work.sparse), []).append(row.line)
    return tuple(
        FormatCount(number_format, sparse, len(found), tuple(found[:EXAMPLES_KEPT]))
        for (number_format, sparse), found in sorted(lines.items())
    )


def _family(
    functions: tuple[FunctionScan, ...], closure: Closure, required: Requirement
) -> tuple[FamilyExecuted, str]:
    words = " and no ".join(_FAMILY_WORDS[one] for one in required.families)
    if any(one.counting for one in functions if one.reachable):
        return FamilyExecuted.UNKNOWN, "present; whether it executes is for the probe to find"
    elsewhere = any(one.counting for one in functions)
    if elsewhere and closure.leaves:
        return (
            FamilyExecuted.UNKNOWN,
            "a launched function jumps to an unknown address, and one that is not launched has the family",
        )
    if elsewhere:
        return FamilyExecuted.ABSENT, f"no {words} in a launched function, only in others"
    return FamilyExecuted.ABSENT, f"no {words} that counts"
