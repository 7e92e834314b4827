"""Tables of docs/method.md from the reports of a run: honest kernels, repeated verdicts, seconds a verdict, clocks.

    PYTHONPATH=.:tests python3 benchmarks/gpu_table.py [FOLDER]

FOLDER holds CASE/reports.json, as tests/gpu leaves them in the folder that PTXBOARD_GPU_REPORTS names. Without one: the
recorded runs in tests/fixtures/h200. Where FOLDER lists every verdict of a run in its order (verdicts.json and
backward_verdicts.json), two more tables follow, one more where it has the runs of gpu_speed.py (speed.json), and where
CASE has records of a measurement, three of its clocks. Needs no GPU.
"""

import argparse
import json
import statistics
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpu.packed import GOLDEN
from gpu_clocks import BUSY, PASSES, ROWS, busy_rows, pass_rows, records, row_rows
from gpu_goals import PROBLEMS, SECONDS, Judged, problem_rows, seconds_rows, verdicts
from gpu_speed import GOALS
from gpu_spread import variation

from evaluation.adapters.catalogue import packaged
from evaluation.core import wire
from evaluation.core.findings import Findings, findings_of
from evaluation.core.records import Outcome
from evaluation.core.verdict import Severity

RECORDED = GOLDEN.parent / "fixtures" / "h200"
OFTEN = 10  # so many verdicts of one kernel tell of a spread

Row = tuple[str, ...]
KERNELS: Row = (
    "kernel",
    "problem",
    "vendor, ns",
    "floor, ns",
    "sample",
    "correct",
    "instruction",
    "ratio",
    "holds",
    "s",
)
SPREAD: Row = ("kernel", "verdicts", "lowest", "mean", "highest", "variation", "intervals", "held")
SEPARATE: Row = ("kernel", "runs", "lowest", "mean", "highest", "variation", "intervals")


def honest(folder: Path) -> list[tuple[str, str]]:
    """Problems and golden kernels that have reports: GEMM first, forward before backward, plain before causal."""
    found = []
    for path in folder.glob("*/reports.json"):
        stated = GOLDEN / "kernels" / path.parent.name / "case.toml"
        if stated.is_file():
            problem = tomllib.loads(stated.read_text(encoding="utf-8"))["problem"]
            found.append((problem, path.parent.name))
    kinds = list(GOALS)
    return sorted(found, key=lambda one: (kinds.index(packaged().problem(one[0]).kind), one))


def kernel_rows(folder: Path) -> Iterator[Row]:
    for problem, case in honest(folder):
        content = (folder / case / "reports.json").read_bytes()
        outcome = wire.decode(Outcome, content, where=f"{case}/reports.json")
        facts = {fact.name: fact.value for report in outcome.reports for fact in report.facts}
        findings = findings_of(outcome)
        calls = int(facts.get("checked_calls", 0)) + int(facts.get("compared_calls", 0))
        holds = {one.kind for one in outcome.signals if one.severity is Severity.HOLD}
        yield (
            f"`{case}`",
            f"`{problem}`",
            _counted(facts.get("vendor_time")),
            _counted(facts.get("floor")),
            f"{facts.get('pairs', 0)} pairs in {facts.get('launchers', 0)}",
            f"{findings.correct}, {calls} calls",
            _instruction(findings),
            _ratio(findings),
            ", ".join(f"`{one}`" for one in sorted(holds)) or "none",
            f"{sum(one.seconds for one in outcome.reports):.2f}",
        )


def _counted(value: object) -> str:
    return "not measured" if value is None else f"{int(str(value)):,}"


def _instruction(findings: Findings) -> str:
    family = str(findings.instruction.family).replace("_", " ")
    coverage = findings.instruction.coverage
    return family if coverage is None else f"{family}, coverage {coverage:.3f}"


def _ratio(findings: Findings) -> str:
    if findings.speed is None:
        return f"none, {findings.speed_reason}"
    one = findings.speed
    digits = 4 if one.ratio >= 0.1 else 6  # as many as the report has
    return f"{one.ratio:.{digits}f} ({one.low:.{digits}f} to {one.high:.{digits}f})"


def spread_rows(every: Sequence[Judged]) -> Iterator[Row]:
    """For each kernel that was judged often: how far its ratios lie apart, and how many intervals hold their mean."""
    for case in dict.fromkeys(one.case for one in every):
        mine = [one for one in every if one.case == case]
        speeds = [one.speed for one in mine if one.speed is not None]
        if len(speeds) < OFTEN:
            continue
        yield (f"`{case}`", str(len(mine)), *_spread(speeds), str(sum(one.held for one in mine)))


def separate_rows(folder: Path) -> Iterator[Row]:
    """The same for runs apart, each with a referee of its own, some on other devices; none where nobody kept them."""
    path = folder / "separate_runs.json"
    if not path.is_file():
        return
    every = json.loads(path.read_text(encoding="utf-8"))
    for case in dict.fromkeys(one["case"] for one in every):
        mine = [one for one in every if one["case"] == case]
        speeds = [
            (float(one["ratio"]), float(one["ratio_low"]), float(one["ratio_high"])) for one in mine
        ]
        yield (f"`{case}`", str(len(mine)), *_spread(speeds))


def _spread(speeds: Sequence[tuple[float, float, float]]) -> Row:
    ratios = [ratio for ratio, _, _ in speeds]
    mean = statistics.mean(ratios)
    holding = sum(low <= mean <= high for _, low, high in speeds)
    return (
        f"{min(ratios):.4f}",
        f"{mean:.4f}",
        f"{max(ratios):.4f}",
        f"{variation(ratios):.3%}",
        f"{holding} of {len(speeds)} hold the mean",
    )


def markdown(header: Row, rows: Sequence[Row]) -> str:
    lines = (header, ("---",) * len(header), *rows)
    return "\n".join(f"| {' | '.join(one)} |" for one in lines)


def tables(folder: Path) -> Iterator[str]:
    yield markdown(KERNELS, list(kernel_rows(folder)))
    every = verdicts(folder)
    if every:
        yield markdown(SPREAD, list(spread_rows(every)))
        separate = list(separate_rows(folder))
        if separate:
            yield markdown(SEPARATE, separate)
        yield markdown(SECONDS, list(seconds_rows(honest(folder), every)))
    problems = list(problem_rows(folder))
    if problems:
        yield markdown(PROBLEMS, problems)
    seen = records(folder)
    if seen:
        yield markdown(PASSES, list(pass_rows(seen.values())))
        yield markdown(ROWS, list(row_rows(seen.values())))
        yield markdown(BUSY, list(busy_rows(seen)))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=RECORDED)
    folder = parser.parse_args(arguments).folder
    if not honest(folder):
        sys.exit(
            f"{folder} has no CASE/reports.json of a golden kernel; "
            "run tests/gpu with PTXBOARD_GPU_REPORTS set to it"
        )
    print("\n\n".join(tables(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
