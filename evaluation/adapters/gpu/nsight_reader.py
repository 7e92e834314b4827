"""Reads a report of Nsight Compute with its own module and prints what was counted. Runs in the jail, by itself.

Arguments: the folder of ``ncu_report``, the report. Writes counts by address, the document that
``core/probe/sass_counts.py`` reads. With two more, names of metrics with commas between them and the file in which a
lone run says how its outputs compare, it writes counters by launch for ``core/measure/nsight_counts.py``.
"""

import functools
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

METRIC = "thread_inst_executed_true"


def actions(report: Any) -> Iterator[Any]:
    for number in range(report.num_ranges()):
        part = report.range_by_idx(number)
        for place in range(part.num_actions()):
            yield part.action_by_idx(place)


def by_address(action: Any) -> dict[str, object]:
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
        "addresses": [address - start for address in sorted(counts)],
        "threads": [counts[address] for address in sorted(counts)],
    }


def by_metric(action: Any, names: list[str]) -> dict[str, object]:
    values = []
    for name in names:
        metric = action.metric_by_name(name)
        if metric is None:
            raise SystemExit(f"the report has no {name}")
        values.append(round(metric.as_double()))
    return {"values": values}


def main() -> None:
    folder, path, *wanted = sys.argv[1:]
    sys.path.insert(0, folder)
    module = importlib.import_module("ncu_report")
    report = module.load_report(path)
    said: dict[str, object] = {}
    counts: Callable[[Any], dict[str, object]] = by_address
    if wanted:
        names, told = wanted
        counts = functools.partial(by_metric, names=names.split(","))
        # A run that did not come to its end says nothing.
        there = Path(told)
        said["compared"] = json.loads(there.read_bytes()) if there.exists() else []
    mangled = module.IAction.NameBase_MANGLED
    said["launches"] = [{"function": one.name(mangled), **counts(one)} for one in actions(report)]
    json.dump(said, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
