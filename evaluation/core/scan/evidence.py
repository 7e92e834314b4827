"""The machine-code rows that speak for or against an instruction finding, each with whether it counts and why not."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Family, Problem
from evaluation.core.scan.descriptor import shown_descriptor
from evaluation.core.scan.opcodes import (
    FAMILY_KINDS,
    MatrixWork,
    NumberFormat,
    OpcodeKind,
    counts_for,
    kind_of,
    matrix_work,
)
from evaluation.core.scan.sass import Function, Instruction
from evaluation.core.verdict import Target

SHOWN_NAME_CHARACTERS = 80

_NEVER = frozenset(("@!PT", "@!UPT"))


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a problem asks of the machine code: families of which one is enough, and the type of the factors."""

    target: Target
    families: tuple[Family, ...]
    declared: DType

    @property
    def kinds(self) -> frozenset[OpcodeKind]:
        return frozenset(kind for one in self.families for kind in FAMILY_KINDS[one])


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One instruction of a kind that the judge tells apart.

    ``address`` is in bytes from the start of the function. ``why`` says why it does not count, or is empty. ``idle``:
    it does nothing wherever it runs, as the assembler's own null HGMMA.
    """

    function: str
    address: int
    predicate: str
    opcode: str
    operands: str
    kind: OpcodeKind
    work: MatrixWork | None
    idle: bool
    why: str
    descriptor: str = ""  # what a constant instruction descriptor says, for people

    @property
    def counts(self) -> bool:
        return not self.why

    @property
    def line(self) -> str:
        text = " ".join(part for part in (self.predicate, self.opcode, self.operands) if part)
        return f"{shown_name(self.function)}+0x{self.address:04x} {text}"


def requirement(problem: Problem, target: Target) -> Requirement:
    """Take it from a problem, whose first input is a factor of its matrix products."""
    return Requirement(target, problem.families(target), problem.inputs[0].dtype)


def shown_name(name: str) -> str:
    """Shorten a function's name, which is the author's, so that it cannot fill a page."""
    return name if len(name) <= SHOWN_NAME_CHARACTERS else f"{name[: SHOWN_NAME_CHARACTERS - 3]}..."


def evidence_rows(function: Function, required: Requirement) -> Iterator[EvidenceRow]:
    """Give every row of a kind that the judge tells apart, in the order of the code."""
    for index, one in enumerate(function.instructions):
        kind = kind_of(one.opcode, required.target)
        if kind in (OpcodeKind.ORDINARY, OpcodeKind.UNKNOWN):
            continue
        work = matrix_work(one.opcode, kind)
        idle = _why_idle(one, kind)
        yield EvidenceRow(
            function=function.name,
            address=one.address,
            predicate=one.predicate,
            opcode=one.opcode,
            operands=one.operands,
            kind=kind,
            work=work,
            idle=bool(idle),
            why=idle or _why_not(kind, work, required),
            descriptor=shown_descriptor(function, index)
            if kind is OpcodeKind.TCGEN05_MATRIX
            else "",
        )


def _why_idle(one: Instruction, kind: OpcodeKind) -> str:
    operands = one.operands.split(",")
    # ptxas writes this for a wgmma.commit_group without a wgmma (rule I1): it computes nothing.
    if kind is OpcodeKind.GMMA and operands[0] == "RZ" and "gdesc[URZ]" in operands:
        return "the assembler's own, for an empty commit group"
    if one.predicate in _NEVER:
        return "its predicate is never true"
    return ""


def _why_not(kind: OpcodeKind, work: MatrixWork | None, required: Requirement) -> str:
    if kind not in required.kinds:
        return "not of the family asked for"
    if work is None or counts_for(work.format, required.declared):
        return ""
    if work.format is NumberFormat.UNKNOWN:
        return "its modifiers are in no table"
    return f"{work.format} in a {required.declared} problem"
