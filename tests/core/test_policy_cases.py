import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

from evaluation.core.records import StageReport
from evaluation.core.source.policy import review
from evaluation.core.verdict import Language, Severity

CASES = sorted((Path(__file__).parents[1] / "golden" / "policy").glob("*/case.toml"))
_EVIDENCE = re.compile(r"line (\d+): ")


def lines_by_kind(report: StageReport) -> dict[str, list[int]]:
    lines = defaultdict(set)
    for signal in report.signals:
        for evidence in signal.evidence:
            found = _EVIDENCE.match(evidence)
            assert found is not None, evidence
            lines[signal.kind].add(int(found.group(1)))
    return {kind: sorted(places) for kind, places in lines.items()}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.parent.name)
def test_a_case_ends_with_the_verdict_places_and_signals_that_it_states(path: Path) -> None:
    expected = tomllib.loads(path.read_text("utf-8"))["expect"]
    report = review((path.parent / "kernel.cu").read_bytes(), language=Language.CUDA)
    assert report.verdict == expected.get("verdict")
    assert [(one.rule, one.line, one.column) for one in report.remarks] == [
        (one["rule"], one["line"], one["column"]) for one in expected.get("remarks", [])
    ]
    assert lines_by_kind(report) == expected.get("signals", {})
    if report.verdict is None:
        assert expected["verdict_after"] == "policy"


def test_every_rejection_says_what_to_do_instead() -> None:
    for path in CASES:
        report = review((path.parent / "kernel.cu").read_bytes(), language=Language.CUDA)
        for remark in report.remarks:
            assert remark.instead.endswith("."), path
            assert not remark.message.endswith("."), path


def test_the_kernels_of_the_suite_pass_without_any_signal() -> None:
    kernels = sorted((Path(__file__).parents[1] / "golden" / "kernels").glob("*/kernel.cu"))
    assert kernels
    for path in kernels:
        report = review(path.read_bytes(), language=Language.CUDA)
        assert (report.verdict, report.remarks) == (None, ()), path
        assert not [one for one in report.signals if one.severity is Severity.HOLD], path
        assert not report.signals, path
