"""Stage reports as lines for people."""

from pathlib import Path

from evaluation.cli.paper import Paper, clean
from evaluation.core.judgement import Judgement
from evaluation.core.records import Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Correct, FamilyExecuted, Severity, Stage

_LOG_LINES = 40
_EVIDENCE_LINES = 6
_WORD_STYLES = {"ok": "good", "no": "bad", "-": "dim", "...": "dim"}
_CORRECT = {
    Correct.YES: "yes",
    Correct.NO: "no",
    Correct.UNKNOWN: "unknown: no GPU stage ran",
}
_INSTRUCTION = {
    FamilyExecuted.YES: "family executed",
    FamilyExecuted.PRESENT_NEVER_EXECUTED: "present but never executed",
    FamilyExecuted.ABSENT: "absent: no launched function holds the target's family",
    FamilyExecuted.UNKNOWN: "unknown: only a run on a GPU can show that the family executes",
}


def stage_line(paper: Paper, stage: Stage, word: str, seconds: float | None, headline: str) -> str:
    """One line of the stage table: name, ok or no, seconds, what was found."""
    time = "" if seconds is None else f"{seconds:.1f} s"
    plain = f"  {stage:<7} {word:<4}{time:>7}  "
    room = max(20, paper.width - len(plain))
    text = clean(headline)
    text = text if len(text) <= room else f"{text[: room - 1]}…"
    return plain.replace(f"{word:<4}", paper.style(f"{word:<4}", _WORD_STYLES[word]), 1) + text


def print_reports(paper: Paper, reports: tuple[StageReport, ...]) -> None:
    """Print what the author should read: remarks with places, signals, and the log of a failed stage."""
    for report in reports:
        for remark in report.remarks:
            _print_remark(paper, report, remark)
        if report.verdict is not None and report.log:
            _print_log(paper, report)
    signals = [signal for report in reports for signal in report.signals]
    for signal in signals:
        _print_signal(paper, signal)


def _print_remark(paper: Paper, report: StageReport, remark: Remark) -> None:
    place = f"line {remark.line}, column {remark.column}: " if remark.line else ""
    paper.line()
    style = "bad" if report.verdict is not None else "odd"
    paper.line(paper.style(f"  {report.stage}: {place}{clean(remark.rule)}", style))
    paper.wrapped(remark.message, indent="    ")
    if remark.instead:
        paper.wrapped(f"instead: {remark.instead}", indent="             ", first="    ")


def _print_log(paper: Paper, report: StageReport) -> None:
    lines = report.log.splitlines()
    paper.line()
    paper.line(paper.style(f"  what the {report.stage} stage's tool said", "bold"))
    for line in lines[:_LOG_LINES]:
        paper.line(f"    {clean(line)}")
    if len(lines) > _LOG_LINES:
        paper.line(f"    and {len(lines) - _LOG_LINES} more lines (the whole log is in --json)")


def _print_signal(paper: Paper, signal: Signal) -> None:
    hold = signal.severity is Severity.HOLD
    paper.line()
    paper.line(paper.style(f"  {signal.severity}: {signal.kind}", "bad" if hold else "odd"))
    paper.wrapped(signal.sentence, indent="    ")
    for one in signal.evidence[:_EVIDENCE_LINES]:
        paper.line(f"      {clean(one)[: paper.width - 6]}")
    if len(signal.evidence) > _EVIDENCE_LINES:
        paper.line(f"      and {len(signal.evidence) - _EVIDENCE_LINES} more")


def print_summary(paper: Paper, judgement: Judgement, out: Path | None) -> None:
    """Print the three findings apart, then the verdict or what is still to come."""
    speed = (
        "none: not measured"
        if judgement.speed_ratio is None
        else f"{judgement.speed_ratio:.3f} of the vendor"
    )
    paper.line()
    paper.line(f"  correct      {_CORRECT[judgement.correct]}")
    paper.line(f"  instruction  {_INSTRUCTION[judgement.instruction]}")
    paper.line(f"  speed        {speed}")
    paper.line()
    if judgement.verdict is not None:
        paper.line(f"  verdict      {paper.style(judgement.verdict, 'bold')}")
    else:
        names = ", ".join(one.stage for one in judgement.missing)
        paper.line(f"  verdict      none yet: {names} are to come")
    if out is not None:
        paper.line(f"  written      {clean(str(out))}")
