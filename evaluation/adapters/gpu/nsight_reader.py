"""Reads a report of Nsight Compute with its own module and prints counts by address. Runs in the jail, by itself.

Arguments: the folder of ``ncu_report``, the report. Writes the document that ``core/probe/sass_counts.py`` reads.
"""

import importlib
import json
import sys
from collections.abc import Iterator
from typing import Any

METRIC = "thread_inst_executed_true"


def launches(report: Any, mangled: Any) -> Iterator[dict[str, object]]:
    for number in range(report.num_ranges()):
        part = report.range_by_idx(number)
        for place in range(part.num_actions()):
            yield launch(part.action_by_idx(place), mangled)


def launch(action: Any, mangled: Any) -> dict[str, object]:
    metric = action.metric_by_name(METRIC)
    if metric is None or not metric.has_correlation_ids():
        raise SystemExit(f"the report has no {METRIC} by address")
    ids = metric.correlation_ids()
    counts = {
        ids.as_uint64(index): metric.as_uint64(index) for index in range(metric.num_instances())
    }
    # The code of a function is one piece and its first instruction always runs.
    start = min(counts, default=0)
    return {
        "function": action.name(mangled),
        "addresses": [address - start for address in sorted(counts)],
        "threads": [counts[address] for address in sorted(counts)],
    }


def main() -> None:
    folder, path = sys.argv[1:]
    sys.path.insert(0, folder)
    module = importlib.import_module("ncu_report")
    report = module.load_report(path)
    mangled = module.IAction.NameBase_MANGLED
    json.dump({"launches": list(launches(report, mangled))}, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
