"""What doctor says of GPUs: none is no fault, one that kernels could break out of is, and a sick one stays out."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fake_measurer import FakeMeasurer
from test_quarantine import RUNNING

from evaluation.adapters import doctor_gpu, doctor_referee
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.doctor import Check
from evaluation.adapters.doctor_gpu import (
    check_counters,
    check_gpus,
    check_pageable,
    check_quarantine,
)
from evaluation.adapters.gpu import nvml
from evaluation.adapters.gpu.driver_facts import DeviceFacts
from evaluation.adapters.measure_wiring import Gpu, quarantine_of
from evaluation.adapters.quarantine import GpuTaken
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.ledger import Ledger
from evaluation.core.measure.seen import ClockSample

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
H200 = Gpu(0, FACTS, packaged().device("h200"))


def with_gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *gpus: Gpu | ToolMissing) -> None:
    """A host with a node for each of these; the driver shows a GPU or says why not."""
    for number in range(len(gpus)):
        (tmp_path / f"nvidia{number}").write_bytes(b"")

    def find(number: int) -> Gpu:
        found = gpus[number]
        if isinstance(found, ToolMissing):
            raise found
        return found

    monkeypatch.setattr(doctor_gpu, "_NODES", tmp_path)
    monkeypatch.setattr(doctor_gpu, "find_gpu", find)


def checks(tmp_path: Path) -> list[Check]:
    return list(check_gpus(Workspace(tmp_path / "home"), {}))


def test_a_machine_without_a_gpu_is_fit_for_the_other_half(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_gpus(monkeypatch, tmp_path)
    (only,) = checks(tmp_path)
    assert (only.name, only.ok) == ("gpu", True)
    assert only.detail == "none: policy, build, record and scan need none"


def test_a_gpu_that_the_driver_does_not_show_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = ToolMissing("the CUDA driver cannot be loaded", action="install the NVIDIA driver")
    with_gpus(monkeypatch, tmp_path, missing)
    (only,) = checks(tmp_path)
    assert only == Check("gpu", ok=False, detail=missing.what, action=missing.action)


def test_a_gpu_that_we_have_no_table_for_is_named_and_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Gpu(0, replace(FACTS, name="NVIDIA T4", compute_capability=(7, 5)), None)
    with_gpus(monkeypatch, tmp_path, other)
    named, none = checks(tmp_path)
    assert named.detail.startswith("0: NVIDIA T4, no device table, 132 multiprocessors, 140 GiB")
    assert none.detail == "none to judge on: policy, build, record and scan need none"


def test_a_sick_gpu_gets_no_referee(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with_gpus(monkeypatch, tmp_path, H200)
    quarantine_of(Workspace(tmp_path / "home"), "h200", 0).set_sick("Xid 79 during the kernel")
    found = checks(tmp_path)
    assert [one.name for one in found] == [
        "gpu",
        "host memory",
        "torch",
        "cupti",
        "counters",
        "ncu",
        "sanitizer",
        "quarantine",
    ]
    assert found[-1].detail == "h200-0: Xid 79 during the kernel"
    assert found[-1].action.endswith("ptxboard doctor --lift-quarantine")


@dataclass
class FakeNvml:
    uuid: str
    watches_xids: bool = True

    def sample(self) -> ClockSample:
        return ClockSample(0, 1980, 3201, 41, 120_000, 0)

    def close(self) -> None: ...


def test_a_gpu_that_somebody_has_gets_no_referee_and_its_holder_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_gpus(monkeypatch, tmp_path, H200)
    monkeypatch.setattr(nvml, "Nvml", FakeNvml)
    holder = quarantine_of(Workspace(tmp_path / "home"), "h200", 0)
    holder.claim()
    measured, used = checks(tmp_path)[-2:]
    assert measured == Check(
        "nvml", ok=True, detail="1980 MHz, 41 C, 120 W; Xids arrive", action=""
    )
    told = f"a worker of this host has the GPU h200-0 (process {os.getpid()}); no referee was tried"
    assert used == Check("gpu in use", ok=True, detail=told)


def test_doctor_has_the_gpu_while_its_referee_runs_and_forgets_no_kernel_that_was_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with_gpus(monkeypatch, tmp_path, H200)
    monkeypatch.setattr(nvml, "Nvml", FakeNvml)
    other = quarantine_of(Workspace(tmp_path / "home"), "h200", 0)
    other.begin(RUNNING)
    referee = FakeMeasurer()

    def open_referee(*_: object) -> FakeMeasurer:
        with pytest.raises(GpuTaken, match="a command of this host has the GPU h200-0"):
            other.claim()
        return referee

    monkeypatch.setattr(doctor_referee, "open_referee", open_referee)
    last = checks(tmp_path)[-1]
    assert (last.name, last.ok) == ("referee", True)
    assert referee.said == ["end"]
    other.claim()
    assert other.read() == Ledger(running=RUNNING)


def test_a_referee_that_does_not_start_is_a_fault_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """There is no GPU here, so NVML has nothing to say of this one."""
    with_gpus(monkeypatch, tmp_path, H200)
    last = checks(tmp_path)[-1]
    assert (last.name, last.ok) == ("referee", False)
    assert last.action


@pytest.mark.parametrize(
    ("facts", "ok", "word"),
    [
        (FACTS, True, "cannot reach it"),
        (replace(FACTS, pageable_access=True), False, "kernels could read and write our processes"),
        (replace(FACTS, host_page_tables=True), False, "cannot be switched off"),
    ],
)
def test_a_gpu_that_reaches_host_memory_must_not_judge(
    facts: DeviceFacts, ok: bool, word: str
) -> None:
    check = check_pageable(Gpu(0, facts, None))
    assert check.ok is ok
    assert word in f"{check.detail} {check.action}"


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("ResmanDebugLevel: 1\nRmProfilingAdminOnly: 1\n", False),
        ("RmProfilingAdminOnly: 0\n", True),
    ],
)
def test_counters_for_administrators_alone_leave_a_finding_unknown(
    tmp_path: Path, text: str, ok: bool
) -> None:
    (tmp_path / "params").write_text(text)
    assert check_counters(tmp_path / "params").ok is ok


def test_a_driver_that_does_not_say_who_may_count_is_no_fault(tmp_path: Path) -> None:
    assert check_counters(tmp_path / "none").ok


def test_every_ledger_of_the_machine_is_told(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert list(check_quarantine(workspace)) == []
    first, second = (quarantine_of(workspace, "h200", number) for number in (0, 1))
    first.begin(RUNNING)
    first.lose("gone", by_time=False)
    second.set_drifted("canary gemm: a ratio of 0.5 is not within 0.7 to 0.8")
    well, drifted = check_quarantine(workspace)
    assert (well.ok, well.detail) == (True, "h200-0: well, 1 losses noted")
    assert (drifted.ok, drifted.detail[:18]) == (False, "h200-1: canary gem")


def test_a_ledger_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.measure.mkdir()
    (workspace.measure / "h200-0.json").write_bytes(b"{}")
    (check,) = check_quarantine(workspace)
    assert not check.ok
    assert "remove the file to begin anew" in check.action
