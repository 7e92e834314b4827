"""What this host can do for the half of the judge that needs a GPU, and what to do where it cannot."""

import importlib.metadata
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.adapters.doctor import Check
from evaluation.adapters.doctor_referee import check_referee
from evaluation.adapters.gpu.cupti_library import find_cupti
from evaluation.adapters.gpu.memcheck import find_sanitizer
from evaluation.adapters.gpu.nsight import find_nsight
from evaluation.adapters.measure_wiring import Gpu, find_gpu, quarantines
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolFailure, ToolMissing

_NODES = Path("/dev")
_DRIVER_PARAMETERS = Path("/proc/driver/nvidia/params")
_ADMIN_ONLY = "RmProfilingAdminOnly: 1"
_NO_PAGEABLE = (
    "set 'options nvidia_uvm uvm_disable_hmm=1' in /etc/modprobe.d and load the module again"
)
_COUNTERS = (
    "set 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d and restart"
)
_LIFT = "look at it with nvidia-smi, reset it, then run ptxboard doctor --lift-quarantine"
_DRIFT = "a canary that is well ends this; look at clocks, cooling and other users of the GPU"


def check_gpus(workspace: Workspace, environment: Mapping[str, str]) -> Iterator[Check]:
    """Look at every GPU and what judging on it needs; one line where there is none, which is no fault."""
    found: list[Gpu] = []
    try:
        for number in range(_count()):
            gpu = find_gpu(number)
            found.append(gpu)
            yield _named(gpu)
    except ToolMissing as missing:
        yield Check("gpu", ok=False, detail=missing.what, action=missing.action)
        return
    usable = [one for one in found if one.device is not None]
    if not usable:
        detail = "none to judge on" if found else "none"
        yield Check("gpu", ok=True, detail=f"{detail}: policy, build, record and scan need none")
        return
    for gpu in usable:
        yield check_pageable(gpu)
    yield check_torch()
    yield check_cupti()
    yield check_counters(_DRIVER_PARAMETERS)
    yield from check_instruments()
    sick = list(check_quarantine(workspace))
    yield from sick
    if all(one.ok for one in sick):
        for gpu in usable:
            yield from check_referee(workspace, gpu, environment)


def _count() -> int:
    """GPUs by their nodes: a driver that does not load is then a fault and not a machine without a GPU."""
    return len(list(_NODES.glob("nvidia[0-9]*")))


def _named(gpu: Gpu) -> Check:
    facts = gpu.facts
    table = "no device table" if gpu.device is None else f"device table {gpu.device.product}"
    memory = f"{facts.memory_bytes / 2**30:.0f} GiB"
    detail = (
        f"{gpu.number}: {facts.name}, {table}, {facts.multiprocessors} multiprocessors, {memory}, "
        f"driver for CUDA {facts.driver_version // 1000}.{facts.driver_version % 1000 // 10}"
    )
    return Check("gpu", ok=True, detail=detail)


def check_pageable(gpu: Gpu) -> Check:
    """Device code must not reach the memory of a process (rule T1)."""
    if gpu.facts.host_page_tables:
        detail = f"GPU {gpu.number} uses the host's page tables: kernels could read every process's memory"
        action = "judge on another machine: this cannot be switched off"
        return Check("host memory", ok=False, detail=detail, action=action)
    if gpu.facts.pageable_access:
        detail = (
            f"GPU {gpu.number} reaches pageable memory: kernels could read and write our processes"
        )
        return Check("host memory", ok=False, detail=detail, action=_NO_PAGEABLE)
    return Check("host memory", ok=True, detail=f"GPU {gpu.number} cannot reach it")


def check_torch() -> Check:
    """The referee takes the vendor's kernels from PyTorch; its version alone is looked at, since loading takes long."""
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return Check(
            "torch",
            ok=False,
            detail="not installed: the referee has no vendor library to compare with",
            action="install a PyTorch with CUDA 13 into this environment (docs/method.md)",
        )
    return Check("torch", ok=True, detail=version)


def check_cupti() -> Check:
    try:
        place = find_cupti()
    except ToolMissing as missing:
        return Check("cupti", ok=False, detail=missing.what, action=missing.action)
    return Check("cupti", ok=True, detail=str(place.library))


def check_counters(parameters: Path) -> Check:
    """Whether the driver lets a launcher, which is nobody, read hardware counters."""
    try:
        restricted = _ADMIN_ONLY in parameters.read_text(errors="replace")
    except OSError:
        return Check("counters", ok=True, detail="the driver does not say who may read them")
    if restricted:
        detail = "for administrators only: the instruction finding will be unknown"
        return Check("counters", ok=False, detail=detail, action=_COUNTERS)
    return Check("counters", ok=True, detail="open to every user")


def check_instruments() -> Iterator[Check]:
    """Tools that give evidence where a person asks for it; no finding hangs on them."""
    nsight, sanitizer = find_nsight(), find_sanitizer()
    yield Check("ncu", ok=True, detail=str(nsight or "none: no counts by instruction address"))
    yield Check("sanitizer", ok=True, detail=str(sanitizer or "none: no line of a memory fault"))


def check_quarantine(workspace: Workspace) -> Iterator[Check]:
    """What workers have noted of this machine's GPUs."""
    for ledger in quarantines(workspace):
        try:
            noted = ledger.read()
        except ToolFailure as unreadable:
            yield Check("quarantine", ok=False, detail=unreadable.what, action=unreadable.action)
            continue
        if noted.sick:
            yield Check("quarantine", ok=False, detail=f"{ledger.gpu}: {noted.sick}", action=_LIFT)
        elif noted.drifted:
            yield Check(
                "quarantine", ok=False, detail=f"{ledger.gpu}: {noted.drifted}", action=_DRIFT
            )
        else:
            losses = len(noted.losses)
            yield Check("quarantine", ok=True, detail=f"{ledger.gpu}: well, {losses} losses noted")
