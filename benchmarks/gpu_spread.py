"""How far apart separate measurements of one kernel lie: ten runs, each with a referee and launchers of its own.

    PYTHONPATH=.:tests python3 benchmarks/gpu_spread.py build/gpu-pack [-n RUNS] [CASE ...]

Needs a machine with a GPU and a pack (tests/gpu/pack.py makes one). Prints each run's ratio and the coefficient of
variation: standard deviation (n - 1) over mean. Ends with 1 where it is above 0.5 %.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu.measuring import open_bench
from gpu.packed import Pack

CASES = ("gemm_wgmma_tma", "mha_fwd_wgmma")
MOST = 0.005


@dataclass(frozen=True, slots=True)
class Measured:
    """One run. ``low`` and ``high`` are the interval that it states of itself."""

    ratio: float
    low: float
    high: float
    candidate_ns: int
    vendor_ns: int
    sm_mhz: int
    seconds: float


def measured(pack: Pack, case: str) -> Measured:
    """Measure in a fresh referee. Exit with the reason where a run has no speed."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as home, open_bench(pack, Path(home)) as bench:
        last = bench.run(case)[-1]
    facts = {fact.name: fact.value for fact in last.facts}
    if "ratio" not in facts:
        sys.exit(f"{case}: {last.verdict}, {last.headline}; {facts.get('no_speed', '')}")
    return Measured(
        ratio=float(facts["ratio"]),
        low=float(facts["ratio_low"]),
        high=float(facts["ratio_high"]),
        candidate_ns=int(facts["candidate_time"]),
        vendor_ns=int(facts["vendor_time"]),
        sm_mhz=int(facts.get("sm_clock", 0)),
        seconds=time.monotonic() - began,
    )


def variation(values: Sequence[float]) -> float:
    """Standard deviation over mean; 0 for a single value."""
    return statistics.stdev(values) / statistics.mean(values) if len(values) > 1 else 0.0


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("pack", type=Path)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("-n", dest="count", type=int, default=10, help="runs, 10 by default")
    options = parser.parse_intermixed_args(arguments)
    pack = Pack(options.pack)
    missed = False
    for case in options.cases or CASES:
        runs = []
        for number in range(options.count):
            one = measured(pack, case)
            runs.append(one)
            print(
                f"{case} {number + 1:2}: ratio {one.ratio:.4f} ({one.low:.4f} to {one.high:.4f}), "
                f"{one.candidate_ns} ns against {one.vendor_ns} ns at {one.sm_mhz} MHz, {one.seconds:.1f} s",
                flush=True,
            )
        spread = variation([one.ratio for one in runs])
        inside = sum(
            one.low <= statistics.mean([one.ratio for one in runs]) <= one.high for one in runs
        )
        missed |= spread > MOST
        met = "MISSED" if spread > MOST else "met"
        print(
            f"{case}: coefficient of variation {spread:.3%} (at most {MOST:.1%}): {met}; "
            f"candidate {variation([one.candidate_ns for one in runs]):.3%}, "
            f"vendor {variation([one.vendor_ns for one in runs]):.3%}; "
            f"{inside} of {len(runs)} intervals hold the mean\n",
            flush=True,
        )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
