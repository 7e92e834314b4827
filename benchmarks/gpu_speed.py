"""How long a kernel holds a GPU: wall seconds of each stage, for the problems of the paper.

    PYTHONPATH=.:tests python3 benchmarks/gpu_speed.py build/gpu-pack [-n ROUNDS] [--all] [CASE ...]

Needs a machine with a GPU and a pack (tests/gpu/pack.py makes one). Without a CASE: every golden kernel of a paper
problem. The referee is warm and kernels come one after the other, as at a worker; the first kernel of a problem warms
it up and is shown apart. What has to be met holds for kernels at a quarter of the vendor's speed or better; slower ones
are listed with ``--all`` or by name, and must end in bounded time too.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gpu.measuring import Bench, open_bench
from gpu.packed import GOLDEN, Pack

from evaluation.core import wire
from evaluation.core.bundle.members import SEEN_BYTES
from evaluation.core.catalogue.problem import Kind
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage

FAST = 0.25  # of the vendor's speed: what the goals are for
# Seconds at the median: check and time, and the whole verdict with the probe.
GOALS = {
    Kind.GEMM: (1.5, 2.0),
    Kind.ATTENTION_FORWARD: (3.0, 4.0),
    Kind.ATTENTION_BACKWARD: (3.0, 4.0),
}
SLOWEST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Run:
    """One verdict. Seconds of wall time; ``time`` holds ``probe``, since counted calls are among the timed ones.

    ``probe``: the candidate's counted calls by the referee's clock, the profiler's own work included.
    What is neither check nor time is spent on launchers, the vendor alone, and looking at the GPU's health.
    """

    case: str
    problem: str
    kind: Kind
    first: bool  # of its problem: buffers, vendor and oracle are made
    verdict: str
    ratio: float | None
    check: float
    time: float
    probe: float
    whole: float
    counted_pairs: int
    pairs: int

    @property
    def is_fast(self) -> bool:
        return self.ratio is not None and self.ratio >= FAST


def run(bench: Bench, case: str, *, first: bool) -> Run:
    problem = bench.pack.prepared(case).problem
    began = time.monotonic()
    reports = bench.run(case)
    whole = time.monotonic() - began
    facts = {fact.name: fact.value for fact in reports[-1].facts}
    ratio = facts.get("ratio")
    return Run(
        case=case,
        problem=problem.name,
        kind=problem.kind,
        first=first,
        verdict=str(reports[-1].verdict),
        ratio=None if ratio is None else float(ratio),
        check=_seconds(reports, Stage.CHECK),
        time=_seconds(reports, Stage.TIME),
        probe=_probe_seconds(bench, reports),
        whole=whole,
        counted_pairs=int(facts.get("counted_pairs", 0)),
        pairs=int(facts.get("pairs", 0)),
    )


def _seconds(reports: Sequence[StageReport], stage: Stage) -> float:
    return sum(one.seconds for one in reports if one.stage is stage)


def _probe_seconds(bench: Bench, reports: Sequence[StageReport]) -> float:
    stored = {ref.name: ref for report in reports for ref in report.artifacts}
    if "measure_seen" not in stored:
        return 0.0
    ref = stored["measure_seen"]
    content = bench.tools.artifacts.get(ref.sha256, limit_bytes=ref.size)
    pairs = wire.decode(MeasureSeen, content, where=ref.name, limit_bytes=SEEN_BYTES).pairs
    return sum(pair.candidate.outside_ns for pair in pairs if pair.counted) / 1e9


def paper_cases(pack: Pack) -> list[str]:
    """Golden kernels of ranked problems, so that kernels of one problem follow each other."""
    honest = {path.parent.name for path in (GOLDEN / "kernels").glob("*/kernel.cu")}
    ranked = [case for case in pack.cases if case in honest and pack.prepared(case).problem.ranked]
    return sorted(ranked, key=lambda case: (pack.description(case).problem, case))


def rounds(bench: Bench, cases: Sequence[str], count: int) -> Iterator[Run]:
    warmed = ""
    for case in cases:
        problem = bench.pack.description(case).problem
        for _ in range(count + (problem != warmed)):
            yield run(bench, case, first=problem != warmed)
            warmed = problem


def table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:]))) for row in rows
    )


def rows_of(runs: Sequence[Run]) -> Iterator[tuple[str, ...]]:
    """A row for each kernel: medians over its warm runs, or its first run where there is no other."""
    yield (
        "case",
        "problem",
        "verdict",
        "ratio",
        "first s",
        "whole s",
        "check s",
        "time s",
        "probe s",
        "rest s",
        "pairs",
    )
    for case in dict.fromkeys(one.case for one in runs):
        mine = [one for one in runs if one.case == case]
        warm = [one for one in mine if not one.first] or mine
        first = next((f"{one.whole:.2f}" for one in mine if one.first), "")
        ratios = [one.ratio for one in warm if one.ratio is not None]
        yield (
            case,
            warm[0].problem,
            warm[0].verdict,
            f"{statistics.median(ratios):.4f}" if ratios else "none",
            first,
            *(
                f"{statistics.median(values):.2f}"
                for values in (
                    [one.whole for one in warm],
                    [one.check for one in warm],
                    [one.time for one in warm],
                    [one.probe for one in warm],
                    [one.whole - one.check - one.time for one in warm],
                )
            ),
            str(warm[0].pairs),
        )


def goals(runs: Sequence[Run]) -> Iterator[str]:
    """What is asked and what was found, for each problem that was measured."""
    for problem in dict.fromkeys(one.problem for one in runs):
        mine = [one for one in runs if one.problem == problem and not one.first]
        fast = [one for one in mine if one.is_fast]
        if not fast:
            yield f"{problem}: no kernel at {FAST} of the vendor's speed, which the goals are for"
            continue
        two, three = GOALS[fast[0].kind]
        judged = statistics.median(one.check + one.time for one in fast)
        whole = statistics.median(one.whole for one in fast)
        met = "met" if judged <= two and whole <= three else "MISSED"
        limits = f"check and time {judged:.2f} s (at most {two}), whole verdict {whole:.2f} s (at most {three})"
        yield f"{problem}: {limits}: {met}"
    slowest = max(runs, key=lambda one: one.whole)
    met = "met" if slowest.whole <= SLOWEST_SECONDS else "MISSED"
    yield f"slowest: {slowest.case} {slowest.whole:.1f} s (at most {SLOWEST_SECONDS:.0f}): {met}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pack", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument(
        "-n", dest="count", type=int, default=3, help="warm runs of each, 3 by default"
    )
    parser.add_argument("--all", action="store_true", help="every case of the pack")
    parser.add_argument("--json", type=Path, help="also write every run there")
    options = parser.parse_intermixed_args(arguments)
    pack = Pack(options.pack)
    cases = options.cases or (list(pack.cases) if options.all else paper_cases(pack))
    with tempfile.TemporaryDirectory() as home, open_bench(pack, Path(home)) as bench:
        device = bench.measurer.device
        runs = list(rounds(bench, cases, options.count))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in runs], indent=1))
    lines = list(goals(runs))
    print(f"{device.name}, driver {device.driver}, {options.count} warm runs each\n")
    print(table(list(rows_of(runs))))
    print()
    print("\n".join(lines))
    return int(any(line.endswith("MISSED") for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
