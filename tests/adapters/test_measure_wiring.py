"""What stands behind a station on a machine without a GPU: everything that can be opened, and what is said of the rest."""

import hashlib
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fake_adapters import Notebook
from fake_measurer import FakeMeasurer
from measured import MEASURED
from sample_run import PROBLEM, a_prepared_kernel, handed_over

from evaluation.adapters import measure_wiring
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu.driver_facts import DeviceFacts
from evaluation.adapters.measure_wiring import (
    Gpu,
    equipment,
    find_gpu,
    late_examiner,
    measure_tools,
    open_referee,
    quarantine_of,
    quarantines,
)
from evaluation.adapters.station import Equipment
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import InvalidInput, ToolFailure, ToolMissing
from evaluation.core.measure.examination import ExaminationKind, Hindrance, NotRun
from evaluation.core.measure.seen import ProbeSeen
from evaluation.core.messages import Attempt, MeasureJob, Versions
from evaluation.core.verdict import Stage, Target

FACTS = DeviceFacts(
    name="NVIDIA H200",
    uuid="GPU-1",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=62914560,
    memory_bytes=150_754_820_096,
    shared_optin_bytes=232448,
    pageable_access=False,
    host_page_tables=False,
    driver_version=13000,
)


def equipped(home: Path, device: str = "h200") -> Equipment:
    return equipment(
        Workspace(home),
        device=device,
        gpu=0,
        worker="measure@host:1",
        reporter=Notebook(),
        environment={"PATH": "/usr/bin"},
    )


def job_for(home: Path) -> MeasureJob:
    parts = handed_over(LocalArtifacts(home / "artifacts"))
    attempt = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
    return MeasureJob(Versions(), attempt, parts, PROBLEM.name, 1, Target.HOPPER, "h200")


@pytest.mark.parametrize(
    ("capability", "target"),
    [((9, 0), Target.HOPPER), ((10, 0), Target.BLACKWELL), ((8, 9), None), ((12, 0), None)],
)
def test_a_gpu_has_the_target_of_its_compute_capability(
    capability: tuple[int, int], target: Target | None
) -> None:
    assert Gpu(0, replace(FACTS, compute_capability=capability), None).target is target


def test_a_gpu_without_a_device_table_has_no_referee(tmp_path: Path) -> None:
    workspace, gpu = Workspace(tmp_path), Gpu(0, replace(FACTS, name="NVIDIA T4"), None)
    with pytest.raises(ToolMissing, match="there is no device table for 'NVIDIA T4'") as caught:
        open_referee(workspace, gpu, {}, quarantine_of(workspace, "t4", 0))
    assert "evaluation/devices" in caught.value.action


def test_a_job_s_parts_are_rebuilt_from_the_worker_s_artifacts(tmp_path: Path) -> None:
    job = job_for(tmp_path)
    prepared = equipped(tmp_path).rebuild(job)
    assert (prepared.problem, prepared.cubin) == (PROBLEM, b"the cubin")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"device": "h100-sxm"}, "the job is for h100-sxm, and this worker has an h200"),
        ({"problem_version": 2}, "has version 1 for hopper, blackwell here"),
        ({"problem": "nothing_like_it"}, "nothing_like_it"),
    ],
)
def test_a_job_that_a_portal_of_this_release_would_not_send_here_is_our_failure(
    tmp_path: Path, change: dict[str, object], what: str
) -> None:
    job = replace(job_for(tmp_path), **change)  # type: ignore[arg-type]
    with pytest.raises(ToolFailure, match=what):
        equipped(tmp_path).rebuild(job)


def test_a_worker_for_a_product_without_a_table_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="v100"):
        equipped(tmp_path, "v100")


def test_a_gpu_of_another_product_than_the_worker_s_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Gpu(0, replace(FACTS, name="NVIDIA H100 PCIe"), packaged().device("h100-pcie"))
    monkeypatch.setattr(measure_wiring, "find_gpu", lambda _: other)
    with pytest.raises(
        ToolFailure, match="GPU 0 is an NVIDIA H100 PCIe, and this worker is for h200"
    ):
        equipped(tmp_path).open_measurer()


def test_what_the_vendor_needs_on_a_product_is_known_where_it_was_measured(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    known = measure_tools(artifacts, "h200").expectations
    assert known is not None
    assert known.of(PROBLEM.name) is not None
    assert measure_tools(artifacts, "h100-pcie").expectations is None
    assert measure_tools(artifacts, "h200").clock is time.monotonic


def test_an_examiner_is_not_opened_before_a_kernel_needs_it_and_then_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def none_there(number: int) -> Gpu:
        asked.append(number)
        raise ToolMissing("the CUDA driver shows no GPU number 3", action="see nvidia-smi")

    monkeypatch.setattr(measure_wiring, "find_gpu", none_there)
    examiner = late_examiner(Workspace(tmp_path), 3, Target.HOPPER)
    tools = measure_tools(LocalArtifacts(tmp_path), "h200", examiner)
    assert (tools.examiner, asked) == (examiner, [])
    found = examiner.examine(a_prepared_kernel(), ExaminationKind.MEMCHECK)
    assert found == NotRun(
        Hindrance.MISSING, "the CUDA driver shows no GPU number 3; see nvidia-smi"
    )
    assert asked == [3]


def test_a_station_s_judge_has_an_examiner_of_its_own_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def none_there(number: int) -> Gpu:
        asked.append(number)
        raise ToolMissing("no driver", action="install one")

    monkeypatch.setattr(measure_wiring, "find_gpu", none_there)
    dark = replace(MEASURED, probe=ProbeSeen((), "no_library (at step open)"))
    judge = equipped(tmp_path).judge
    reports = judge(a_prepared_kernel(), FakeMeasurer(measured=(dark,)), lambda _: None)
    (probe,) = (one for one in reports if one.stage is Stage.PROBE)
    (reason,) = (one.value for one in probe.facts if one.name == "family_reason")
    assert reason == (
        "the counters could not be read: no_library (at step open); "
        "Nsight Compute: missing, no driver; install one"
    )
    assert asked == [0]


def test_every_ledger_of_a_machine_is_found_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert list(quarantines(workspace)) == []
    for number in (1, 0):
        quarantine_of(workspace, "h200", number).set_sick(f"number {number}")
    assert [one.read().sick for one in quarantines(workspace)] == ["number 0", "number 1"]


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="this machine has a GPU")
def test_a_machine_without_a_driver_says_so_and_what_to_do() -> None:
    with pytest.raises(ToolMissing, match="the CUDA driver") as caught:
        find_gpu(0)
    assert caught.value.action


@pytest.mark.toolchain
def test_a_referee_is_started_with_files_that_the_pinned_tools_made(
    workspace: Workspace, toolchain: Toolchain
) -> None:
    """Their names change with their content, so that a referee which runs keeps what it opened."""
    assert toolchain.root.is_relative_to(workspace.home)
    device = packaged().device("h200")
    settings = measure_wiring._settings(workspace, Gpu(3, FACTS, device), device)
    assert (settings.device, settings.home) == (3, str(workspace.home))
    assert not settings.unconfined
    cubin = Path(settings.trusted_cubin)
    assert cubin.read_bytes().startswith(b"\x7fELF")
    assert cubin.name.startswith(hashlib.sha256(cubin.read_bytes()).hexdigest()[:16])
    assert Path(settings.counters).read_bytes().startswith(b"\x7fELF")
    assert Path(settings.cupti).exists()


def test_a_referee_gets_no_variable_that_it_has_no_use_for() -> None:
    given = {"PATH": "/usr/bin", "SECRET": "s", "CUDA_VISIBLE_DEVICES": "1", "PTXBOARD_HOME": "/h"}
    passed = dict(measure_wiring._passed_on(given))
    assert passed["PATH"] == "/usr/bin"
    assert passed["CUDA_VISIBLE_DEVICES"] == "1"
    assert set(passed) == {"PATH", "CUDA_VISIBLE_DEVICES", "PYTHONPATH", "LC_ALL"}
    assert (Path(passed["PYTHONPATH"]) / "evaluation/referee/__main__.py").exists()
