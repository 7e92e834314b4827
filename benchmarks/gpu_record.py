"""Judges golden kernels one after the other on a GPU and keeps all that a table of docs/method.md is made from.

    PYTHONPATH=.:tests python3 benchmarks/gpu_record.py build/gpu-pack FOLDER [--like verdicts.json] [CASE ...]

Needs a machine with a GPU and a pack (tests/gpu/pack.py makes one). Writes FOLDER/verdicts.json, a line a verdict in
its order, and FOLDER/CASE/ with the records and reports of the last verdict on each case: what benchmarks/gpu_table.py
and tests/fixtures/h200 take. ``--like`` repeats the order of a recorded run, and cases that it lacks come last. With
neither it nor a CASE, every case that states what a GPU must find is judged once, those of one problem next to each
other. Ends with 1 where a verdict is not what its case states.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from gpu.expected import differences
from gpu.measuring import REPORTS, Bench, open_bench
from gpu.packed import Pack
from gpu.test_golden_measured import stated

from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity, Stage


@dataclass(frozen=True, slots=True)
class Row:
    """One verdict. Seconds of wall time; None and empty where the kernel did not come as far."""

    case: str
    problem: str
    verdict: str
    seconds: float
    check: float | None
    time: float | None
    ratio: str | None
    ratio_low: str | None
    ratio_high: str | None
    holds: tuple[str, ...]


def judge(bench: Bench, case: str) -> tuple[Row, list[str]]:
    """Judge a case and keep its reports; give its row and how it differs from what is stated."""
    began = time.monotonic()
    reports = bench.run(case)
    seconds = time.monotonic() - began
    bench.keep(case, reports)
    facts = {fact.name: str(fact.value) for report in reports for fact in report.facts}
    signals = [signal for report in reports for signal in report.signals]
    row = Row(
        case=case,
        problem=bench.pack.description(case).problem,
        verdict=str(reports[-1].verdict),
        seconds=round(seconds, 3),
        check=_seconds(reports, Stage.CHECK),
        time=_seconds(reports, Stage.TIME),
        ratio=facts.get("ratio"),
        ratio_low=facts.get("ratio_low"),
        ratio_high=facts.get("ratio_high"),
        holds=tuple(sorted({one.kind for one in signals if one.severity is Severity.HOLD})),
    )
    return row, differences(stated()[case], reports)


def _seconds(reports: Sequence[StageReport], stage: Stage) -> float | None:
    found = [one.seconds for one in reports if one.stage is stage]
    return round(sum(found), 3) if found else None


def order(pack: Pack, like: Path | None, cases: Sequence[str]) -> list[str]:
    if cases:
        return list(cases)
    known = [] if like is None else [one["case"] for one in json.loads(like.read_text())]
    missing = stated().keys() - set(known)
    return known + sorted(missing, key=lambda case: (pack.description(case).problem, case))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pack", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--like", type=Path, help="verdicts.json of a recorded run")
    options = parser.parse_intermixed_args(arguments)
    pack = Pack(options.pack)
    os.environ[REPORTS] = str(options.folder)
    rows, wrong = [], 0
    with tempfile.TemporaryDirectory() as home, open_bench(pack, Path(home)) as bench:
        for case in order(pack, options.like, options.cases):
            row, found = judge(bench, case)
            rows.append(row)
            wrong += bool(found)
            holds = ", ".join(row.holds) or "no holds"
            print(f"{case:30} {row.verdict:14} {row.seconds:6.2f} s  {row.ratio or '-':8} {holds}")
            print("".join(f"    not as stated: {line}\n" for line in found), end="", flush=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(asdict(one)) for one in rows)
    (options.folder / "verdicts.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(rows)} verdicts, {wrong} not as stated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
