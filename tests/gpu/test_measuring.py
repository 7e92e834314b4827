"""What GPU tests and benchmarks stand on, as far as it needs no GPU."""

import json
import time
from pathlib import Path
from typing import cast

import pytest

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core.pipeline_measure import MeasureTools
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage, Verdict

from .packed import Pack

pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed here")

from evaluation.adapters.gpu.referee_client import RefereeClient

from . import measuring
from .measuring import REPORTS, UNCONFINED, Bench, environment, settings


def test_a_referee_gets_what_it_needs_of_our_environment_and_no_more() -> None:
    given = dict(environment({"PATH": "/bin", "SECRET": "s", "LD_LIBRARY_PATH": "/lib"}))
    assert given == {
        "PATH": "/bin",
        "LD_LIBRARY_PATH": "/lib",
        "PYTHONPATH": str(measuring.REPOSITORY),
        "LC_ALL": "C.UTF-8",
    }


def test_launchers_go_without_a_jail_only_where_somebody_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(UNCONFINED, raising=False)
    assert not settings(Pack(tmp_path), tmp_path, 0).unconfined
    monkeypatch.setenv(UNCONFINED, "1")
    assert settings(Pack(tmp_path), tmp_path, 0).unconfined


def test_reports_are_kept_with_their_raw_records_where_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifacts = LocalArtifacts(tmp_path / "artifacts")
    (tmp_path / "artifacts").mkdir()
    tools = MeasureTools(artifacts, time.monotonic, None)
    bench = Bench(Pack(tmp_path), cast("RefereeClient", None), tools)
    seen = artifacts.put("check_seen", b"{}")
    report = StageReport(Stage.CHECK, "wrong", verdict=Verdict.WRONG_RESULT, artifacts=(seen,))
    monkeypatch.delenv(REPORTS, raising=False)
    bench.keep("one", (report,))
    assert not (tmp_path / "kept").exists()
    monkeypatch.setenv(REPORTS, str(tmp_path / "kept"))
    bench.keep("one", (report,))
    written = json.loads((tmp_path / "kept/one/reports.json").read_text())
    assert [one["verdict"] for one in written["reports"]] == ["wrong_result"]
    assert (tmp_path / "kept/one/check_seen").read_bytes() == b"{}"
