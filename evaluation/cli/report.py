"""Stage reports as lines for people."""

from pathlib import Path

from evaluation.cli.paper import Paper, clean
from evaluation.core.judgement import Judgement
from evaluation.core.records import Outcome, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Correct, FamilyExecuted, Severity, Stage

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
_INSTRUCTION = {
    FamilyExecuted.YES: "family executed",
    FamilyExecuted.PRESENT_NEVER_EXECUTED: "present but never executed",
    FamilyExecuted.ABSENT: "absent: no launched function holds the target's family",
    FamilyExecuted.UNKNOWN: "unknown: present, but only a run on a GPU can show that it executes",
}
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
    speed = (
        f"none: {judgement.speed_reason}"
        if judgement.speed is None
        else f"{judgement.speed.ratio:.3f} of the vendor"
    )
    scanned = any(one.stage is Stage.SCAN for one in judgement.reports)
    instruction = _INSTRUCTION[judgement.instruction.family] if scanned else _NOT_SCANNED
    paper.line()
    _print_finding(paper, "correct", _CORRECT[judgement.correct])
    _print_finding(paper, "instruction", instruction)
    _print_finding(paper, "speed", speed)
    paper.line()
    if judgement.verdict is not None:
        paper.line(f"  {'verdict':<13}{paper.style(judgement.verdict, 'bold')}")
    else:
        names = ", ".join(one.stage for one in judgement.missing)
        _print_finding(paper, "verdict", f"none yet: {names} are to come")
    if out is not None:
        _print_finding(paper, "written", str(out))


def _print_finding(paper: Paper, name: str, text: str) -> None:
    paper.wrapped(text, indent=" " * _FINDING_COLUMNS, first=f"  {name:<13}")
