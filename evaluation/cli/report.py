"""Stage reports as lines for people."""

from pathlib import Path

from evaluation.cli.paper import Paper, clean
from evaluation.core.judgement import Judgement
from evaluation.core.records import Outcome, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath, Severity, Stage

_LOG_LINES = 40
_LOG_COLUMNS = 400
_EVIDENCE_LINES = 6
_WORD_STYLES = {"ok": "good", "no": "bad", "??": "odd", "-": "dim", "...": "dim"}
_WORD_COLUMNS = 4
_LABEL_COLUMNS = 23
_FINDING_COLUMNS = 15
_CORRECT = {
    Correct.YES: "yes",
    Correct.NO: "no",
    Correct.UNKNOWN: "unknown: no GPU stage ran",
}
_EXECUTED = {
    FamilyExecuted.YES: "family executed",
    FamilyExecuted.PRESENT_NEVER_EXECUTED: "family present, never executed",
    FamilyExecuted.ABSENT: "family absent",
    FamilyExecuted.UNKNOWN: "family unknown",
}
_MATRIX_PATH = {
    MatrixPath.YES: "on the matrix path",
    MatrixPath.NO: "not on the matrix path",
    MatrixPath.UNKNOWN: "matrix path unknown",
}
# Where only a scan has spoken, which can never say that the family ran.
_STATIC = {
    FamilyExecuted.ABSENT: "absent: no launched function holds the target's family",
    FamilyExecuted.UNKNOWN: "unknown: present, but only a run on a GPU can show that it executes",
}
_HELD = "held: a person looks at the signals before this kernel ranks"
_NOT_SCANNED = "unknown: the run ended before the machine code was scanned"


def stage_label(stage: Stage, word: str, seconds: float | None) -> str:
    """What stands before the text of a stage's line: name, ok or no, seconds."""
    time = "" if seconds is None else f"{seconds:.1f} s"
    return f"  {stage:<7} {word:<{_WORD_COLUMNS}}{time:>7}  "


def print_stage(
    paper: Paper, stage: Stage, word: str, seconds: float | None, headline: str
) -> None:
    """Print one entry of the stage table; a long headline goes on below itself."""
    label = stage_label(stage, word, seconds)
    place = len(f"  {stage:<7} ")
    styled = paper.style(word.ljust(_WORD_COLUMNS), _WORD_STYLES[word])
    first = label[:place] + styled + label[place + _WORD_COLUMNS :]
    paper.wrapped(headline, indent=" " * _LABEL_COLUMNS, first=first)


def print_detail(paper: Paper, text: str) -> None:
    """Print a line that belongs to the stage above it."""
    paper.wrapped(text, indent=" " * _LABEL_COLUMNS)


def print_reports(paper: Paper, reports: tuple[StageReport, ...]) -> None:
    """Print what the author should read: remarks with places, the log of a failed stage, signals."""
    for report in reports:
        for remark in report.remarks:
            _print_remark(paper, report, remark)
        if report.ends_run and report.log:
            _print_log(paper, report)
    for signal in Outcome(reports).signals:
        _print_signal(paper, signal)


def _print_remark(paper: Paper, report: StageReport, remark: Remark) -> None:
    place = f"line {remark.line}, column {remark.column}: " if remark.line else ""
    said = report.ends_run and remark.message == report.headline  # in the stage table already
    if said and not remark.instead and not place:
        return
    paper.line()
    style = "bad" if report.ends_run else "odd"
    paper.line(paper.style(f"  {report.stage}: {place}{clean(remark.rule)}", style))
    if not said:
        paper.wrapped(remark.message, indent="    ")
    if remark.instead:
        paper.wrapped(f"instead: {remark.instead}", indent="             ", first="    ")


def _print_log(paper: Paper, report: StageReport) -> None:
    lines = report.log.splitlines()
    paper.line()
    paper.line(paper.style(f"  what the {report.stage} stage's tool said", "bold"))
    for line in lines[:_LOG_LINES]:
        paper.line(f"    {_cut(clean(line), _LOG_COLUMNS)}".rstrip())
    if len(lines) > _LOG_LINES:
        paper.line(f"    and {len(lines) - _LOG_LINES} more lines (the whole log is in --json)")


def _print_signal(paper: Paper, signal: Signal) -> None:
    hold = signal.severity is Severity.HOLD
    paper.line()
    paper.line(paper.style(f"  {signal.severity}: {signal.kind}", "bad" if hold else "odd"))
    paper.wrapped(signal.sentence, indent="    ")
    for one in signal.evidence[:_EVIDENCE_LINES]:
        paper.line(f"      {_cut(clean(one), paper.width - 6)}")
    if len(signal.evidence) > _EVIDENCE_LINES:
        paper.line(f"      and {len(signal.evidence) - _EVIDENCE_LINES} more")


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else f"{text[: columns - 1]}…"


def print_summary(paper: Paper, judgement: Judgement, out: Path | None) -> None:
    """Print the three findings apart, then the verdict or what is still to come."""
    paper.line()
    _print_finding(paper, "correct", _CORRECT[judgement.correct])
    _print_finding(paper, "instruction", _instruction(judgement))
    _print_finding(paper, "speed", _speed(judgement))
    if judgement.integrity is Integrity.HELD:
        _print_finding(paper, "integrity", _HELD)
    paper.line()
    if judgement.verdict is not None:
        paper.line(f"  {'verdict':<13}{paper.style(judgement.verdict, 'bold')}")
    else:
        names = ", ".join(one.stage for one in judgement.missing)
        _print_finding(paper, "verdict", f"none yet: {names} are to come")
    if out is not None:
        _print_finding(paper, "written", str(out))


def _instruction(judgement: Judgement) -> str:
    """The paper's rule, then how much of the work the family did."""
    stages = {one.stage for one in judgement.reports}
    if Stage.PROBE not in stages:
        return _static(judgement.instruction.family) if Stage.SCAN in stages else _NOT_SCANNED
    found = judgement.instruction
    parts = [_EXECUTED[found.family], _MATRIX_PATH[found.matrix_path]]
    if found.coverage is not None:
        parts.append(f"coverage {found.coverage:.3f}")
    if found.executed_share is not None:
        parts.append(f"executed share {found.executed_share:.3f}")
    return ", ".join(parts)


def _static(family: FamilyExecuted) -> str:
    return _STATIC.get(family, _EXECUTED[family])


def _speed(judgement: Judgement) -> str:
    found = judgement.speed
    if found is None:
        return f"none: {judgement.speed_reason}"
    return (
        f"{found.ratio:.4f} of the vendor's ({found.low:.4f} to {found.high:.4f}), "
        f"{found.candidate_ns / 1e6:.4g} ms against {found.vendor_ns / 1e6:.4g} ms"
    )


def _print_finding(paper: Paper, name: str, text: str) -> None:
    paper.wrapped(text, indent=" " * _FINDING_COLUMNS, first=f"  {name:<13}")
