"""The scan in words: headline, facts and signals for the owner, and the evidence as text."""

from collections import Counter

from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.scan.evidence import EvidenceRow, shown_name
from evaluation.core.scan.opcodes import OpcodeKind, is_narrower, is_other_precision
from evaluation.core.scan.sass import Unreadable
from evaluation.core.scan.scan import FormatCount, FunctionScan, ScanResult
from evaluation.core.signal import Signal
from evaluation.core.verdict import FamilyExecuted, Severity, Stage, Target, Verdict

OPCODES_SHOWN = 8
OPCODES_LOGGED = 40  # of each function
NAMES_SHOWN = 8
FAMILY_FACT = "family_static"  # the fact whose value is a FamilyExecuted

_TRANSFERS = (
    (OpcodeKind.TMA_LOAD, "TMA loads"),
    (OpcodeKind.TMA_STORE, "TMA stores"),
    (OpcodeKind.TMA_REDUCE, "TMA reductions"),
)
_MATRIX = {Target.HOPPER: OpcodeKind.GMMA, Target.BLACKWELL: OpcodeKind.TCGEN05_MATRIX}
_KINDS_SHOWN = (
    (OpcodeKind.TMA_LOAD, "tma_load_rows"),
    (OpcodeKind.TMA_STORE, "tma_store_rows"),
    (OpcodeKind.TMA_REDUCE, "tma_reduce_rows"),
    (OpcodeKind.TMA_OTHER, "tma_other_rows"),
    (OpcodeKind.BULK, "bulk_copy_rows"),
    (OpcodeKind.TENSOR_MEMORY, "tensor_memory_rows"),
    (OpcodeKind.TCGEN05_OTHER, "tcgen05_other_rows"),
    (OpcodeKind.OTHER_MATRIX, "other_matrix_rows"),
    (OpcodeKind.UNKNOWN, "unknown_opcode_rows"),
)


def report(result: ScanResult) -> StageReport:
    """Say what the scan found. A scan never ends a run: a kernel without the family is still judged and timed."""
    return StageReport(
        stage=Stage.SCAN,
        headline=_headline(result),
        signals=_signals(result),
        facts=_facts(result),
        log=_log(result),
    )


def refuse(unreadable: Unreadable) -> StageReport:
    """End the run of a kernel whose machine code cannot be read. Retrying would not help, so it is a verdict."""
    remark = Remark(
        rule="scan.unreadable",
        message=unreadable.reason,
        instead="make the kernel file smaller: fewer template instances, less unrolling",
    )
    headline = "the machine code cannot be read"
    return StageReport(Stage.SCAN, headline, Verdict.BUILD_FAILED, remarks=(remark,))


def _headline(result: ScanResult) -> str:
    launched = result.launched
    matrix = _MATRIX[result.required.target]
    holders = [one for one in launched if any(c.kind is matrix for c in one.counting)]
    counted = Counter[str]()
    for one in holders:
        counted.update({c.name: c.rows for c in one.counting if c.kind is matrix})
    of = f"of {len(launched)} launched functions"
    parts = []
    if counted:
        names = " and ".join(sorted(counted))
        parts.append(f"{names} in {len(holders)} {of} ({counted.total()} rows)")
    else:
        word = "GMMA" if matrix is OpcodeKind.GMMA else "TCGEN05 matrix instruction"
        parts.append(f"no {word} that counts in {len(launched)} launched functions")
    for kind, words in _TRANSFERS:
        rows = sum(one.rows_of(kind) for one in launched)
        if rows:
            parts.append(f"{words} {rows}")
    return ", ".join(parts)


def _facts(result: ScanResult) -> tuple[Fact, ...]:
    launched = result.launched
    kinds = {kind for one in result.functions for kind in (c.kind for c in one.opcodes)}
    counting = [count for one in launched for count in one.counting]
    matrix = _MATRIX[result.required.target]
    mix = Counter[str]()
    for one in launched:
        mix.update({count.name: count.rows for count in one.opcodes})
    common = sorted(mix.items(), key=lambda item: (-item[1], item[0]))[:OPCODES_SHOWN]
    return (
        Fact(FAMILY_FACT, str(result.family)),
        Fact("family_reason", result.reason),
        Fact("functions", len(result.functions)),
        Fact("launched_functions", len(launched)),
        Fact("launched_instructions", sum(one.instructions for one in launched)),
        Fact("matrix_rows", sum(c.rows for c in counting if c.kind is matrix)),
        *(
            Fact(name, sum(one.rows_of(kind) for one in launched))
            for kind, name in _KINDS_SHOWN
            if kind in kinds
        ),
        Fact("idle_rows", sum(one.idle_rows for one in launched)),
        Fact("registers_most", max((one.registers for one in launched), default=0)),
        Fact(
            "static_shared_most",
            max((one.static_shared_bytes for one in launched), default=0),
            "bytes",
        ),
        Fact("local_most", max((one.local_bytes for one in launched), default=0), "bytes"),
        *(Fact(f"opcode.{name}", rows) for name, rows in common),
    )


def _signals(result: ScanResult) -> tuple[Signal, ...]:
    found = (
        *_family_signals(result),
        _unknown_jump(result),
        _precision(result),
        _sparse(result),
        _unknown(result),
    )
    return tuple(signal for signal in found if signal is not None)


def _note(kind: str, sentence: str, evidence: tuple[str, ...] = ()) -> Signal:
    return Signal(kind, 1, Severity.NOTE, Stage.SCAN, sentence, evidence)


def _family_signals(result: ScanResult) -> tuple[Signal, ...]:
    elsewhere = tuple(
        shown_name(one.name) for one in result.functions if one.counting and not one.reachable
    )
    if any(one.counting for one in result.reachable):
        if result.tma_only:
            sentence = "TMA transfers alone make the family present; no matrix instruction of the target counts."
            return (_note("tma_only", sentence),)
        return ()
    found = []
    if result.family is FamilyExecuted.ABSENT:
        sentence = f"The target's instruction family is absent: {result.reason}."
        found.append(_note("family_absent", sentence))
    if elsewhere:
        sentence = (
            "Only functions that the plan never launches hold the target's instruction family."
        )
        found.append(_note("family_not_launched", sentence, elsewhere[:NAMES_SHOWN]))
    return tuple(found)


def _unknown_jump(result: ScanResult) -> Signal | None:
    if not result.leaves:
        return None
    sentence = (
        "A launched function jumps to an address that is no part of its code, so it may run code that no scan "
        "has seen. Pointers to __device__ functions whose address the file itself takes are fine."
    )
    return Signal("jump_to_unknown_code", 1, Severity.HOLD, Stage.SCAN, sentence)


def _precision(result: ScanResult) -> Signal | None:
    declared = result.required.declared
    other = [one for one in result.formats if is_other_precision(one.format, declared)]
    if not other:
        return None
    narrower = [one for one in other if is_narrower(one.format, declared)]
    words = ", ".join(sorted({str(one.format) for one in other}))
    sentence = f"Matrix instructions work in {words}, the problem is declared in {declared}."
    # A narrower format can pass a loose tolerance; a person should see it before it ranks.
    severity = Severity.HOLD if narrower else Severity.NOTE
    return Signal(
        "other_precision", 1, severity, Stage.SCAN, sentence, _examples(narrower or other)
    )


def _sparse(result: ScanResult) -> Signal | None:
    sparse = [one for one in result.formats if one.sparse]
    if not sparse:
        return None
    sentence = "Sparse matrix instructions: half of each nominal product counts."
    return _note("sparse_matrix", sentence, _examples(sparse))


def _examples(formats: list[FormatCount]) -> tuple[str, ...]:
    return tuple(line for one in formats for line in one.examples)[:NAMES_SHOWN]


def _unknown(result: ScanResult) -> Signal | None:
    names = sorted(
        {c.name for one in result.reachable for c in one.opcodes if c.kind is OpcodeKind.UNKNOWN}
    )
    if not names:
        return None
    sentence = "The machine code has opcodes that the judge's tables lack; they count for nothing."
    return _note("unknown_opcode", sentence, tuple(names[:NAMES_SHOWN]))


def _log(result: ScanResult) -> str:
    lines = []
    for one in result.functions:
        role = "launched" if one.launched else "called" if one.reachable else "not launched"
        lines.append(
            f"{shown_name(one.name)}: {role}, {one.instructions} instructions, {one.registers} registers, "
            f"{one.static_shared_bytes} bytes shared, {one.local_bytes} bytes local"
        )
        lines.append(f"  opcodes: {_opcodes(one)}")
        lines.extend(f"  {row.line}  [{_note_of(row)}]" for row in one.rows)
        if one.rows_left_out:
            lines.append(f"  and {one.rows_left_out} rows more")
    return "\n".join(lines)


def _opcodes(one: FunctionScan) -> str:
    """How many rows of a function have which opcode, most frequent first."""
    shown = [f"{count.name} {count.rows}" for count in one.opcodes[:OPCODES_LOGGED]]
    left = one.opcodes[OPCODES_LOGGED:]
    if left:
        shown.append(f"{len(left)} others {sum(count.rows for count in left)}")
    return ", ".join(shown) or "none"


def _note_of(row: EvidenceRow) -> str:
    return "; ".join(part for part in (row.why or "counts", row.descriptor) if part)
