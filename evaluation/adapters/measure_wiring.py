"""Puts the GPU half together: the one place that knows which adapter stands behind a measurer and a station.

Adapters that need a GPU's packages are imported where they are used: prepare workers and the command line come by here
too, on machines that have none of them.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import queues
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.baselines import expectations
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.disassembler import Disassembler
from evaluation.adapters.examining import LateExaminer
from evaluation.adapters.known_kernels import ready_kernels
from evaluation.adapters.quarantine import Quarantine
from evaluation.adapters.station import Equipment
from evaluation.adapters.wiring import asked, create, find_toolchain, jail_of, prepare_tools
from evaluation.adapters.workspace import Workspace, write_atomically
from evaluation.core.catalogue.device import Device
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.measure.examination import Examiner
from evaluation.core.measure.hand_over import prepared_from
from evaluation.core.measure.measurer import Measurer
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.referee_words import Settings
from evaluation.core.messages import MeasureJob
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.ports import Artifacts, Reporter
from evaluation.core.records import StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import Target

if TYPE_CHECKING:
    from evaluation.adapters.gpu.driver_facts import DeviceFacts
    from evaluation.adapters.gpu.referee_client import RefereeClient

_PACKAGES = (
    "install what requirements/measure.txt lists, and a PyTorch with CUDA 13 (docs/method.md)"
)
# What a referee may know of our environment: where programs and libraries are, and which GPUs there are.
_PASSED_ON = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "VIRTUAL_ENV")


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU of this machine. ``number`` is CUDA's; ``device`` is our table of it, None where there is none."""

    number: int
    facts: "DeviceFacts"
    device: Device | None

    @property
    def target(self) -> Target | None:
        """What kernels for it are compiled for; None for a GPU that we do not judge on."""
        return {9: Target.HOPPER, 10: Target.BLACKWELL}.get(self.facts.compute_capability[0])


def find_gpu(number: int) -> Gpu:
    """Ask the driver for a GPU. Raise ToolMissing where driver, package or GPU is not there; starts nothing on it."""
    try:
        from evaluation.adapters.gpu import driver  # noqa: PLC0415  # see above
    except ImportError as missing:
        raise ToolMissing("cuda-bindings is not installed", action=_PACKAGES) from missing
    try:
        driver.start()
        facts = driver.device_facts(number)
    except driver.CudaError as error:
        raise ToolMissing(
            f"the CUDA driver shows no GPU number {number}: {error.name}",
            action="see what nvidia-smi lists and that this process may open /dev/nvidia*",
        ) from error
    known = (one for one in packaged().devices() if one.device_name == facts.name)
    return Gpu(number, facts, next(known, None))


def open_referee(
    workspace: Workspace, gpu: Gpu, environment: Mapping[str, str], claim: Quarantine
) -> "RefereeClient":
    """A measurer for this GPU; its referee starts with the first kernel. Raise ToolFailure where something is missing.

    Close it at the end. ``claim`` is on this GPU, and the referee shares it.
    """
    if gpu.device is None:
        raise ToolMissing(
            f"there is no device table for {gpu.facts.name!r}",
            action="add one to evaluation/devices (docs/CONTRIBUTING.md says how)",
        )
    try:
        from evaluation.adapters.gpu.nvml import Nvml  # noqa: PLC0415  # see above
        from evaluation.adapters.gpu.referee_client import (  # noqa: PLC0415  # see above
            RefereeClient,
            RefereeStart,
        )
    except ImportError as missing:
        raise ToolMissing(f"{missing.name} is not installed", action=_PACKAGES) from missing
    return RefereeClient(
        RefereeStart(
            settings=_settings(workspace, gpu, gpu.device),
            environment=_passed_on(environment),
            watch=Nvml,
            claim=claim,
        )
    )


def _settings(workspace: Workspace, gpu: Gpu, device: Device) -> Settings:
    from evaluation.adapters.gpu.cupti_library import (  # noqa: PLC0415  # see above
        CountersLibrary,
        find_cupti,
    )
    from evaluation.adapters.trusted_cubin import TrustedCubins  # noqa: PLC0415  # see above

    create(workspace)
    jail = jail_of(workspace)
    toolchain = find_toolchain(workspace, jail)
    cubin = TrustedCubins(jail, toolchain, workspace.native).built(device.target)
    try:
        cupti = find_cupti()
        library = CountersLibrary(jail, toolchain, cupti, workspace.native).built()
    except ToolMissing:
        # Without counters the instruction finding is unknown, and the report says why; the rest stands.
        counters = where = ""
    else:
        counters, where = _file(workspace, "counters.so", library), str(cupti.library)
    return Settings(
        device=gpu.number,
        trusted_cubin=_file(workspace, f"trusted.{device.target.sm}.cubin", cubin),
        counters=counters,
        cupti=where,
        home=str(workspace.home),
    )


def _file(workspace: Workspace, name: str, content: bytes) -> str:
    """The content as a file of its own name, which changes with it: a referee that runs keeps what it opened."""
    sha256 = hashlib.sha256(content).hexdigest()
    path = workspace.native / f"{sha256[:16]}.{name}"
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        write_atomically(path, content)
    return str(path)


def _passed_on(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    kept = tuple((name, environment[name]) for name in _PASSED_ON if name in environment)
    return (*kept, ("PYTHONPATH", str(Path(__file__).parents[2])), ("LC_ALL", "C.UTF-8"))


def measure_tools(
    artifacts: Artifacts, product: str, examiner: Examiner | None = None
) -> MeasureTools:
    """What the GPU half needs beside a measurer. Raise InvalidInput for a baseline file that is not right."""
    return MeasureTools(artifacts, time.monotonic, expectations(product), examiner)


def late_examiner(workspace: Workspace, number: int, target: Target) -> LateExaminer:
    """What looks closer at kernels for ``target`` on GPU ``number``; nothing is found or built before it has to."""
    return LateExaminer(partial(_examiner, workspace, number, target))


def _examiner(workspace: Workspace, number: int, target: Target) -> Examiner:
    from evaluation.adapters.gpu.examiner import open_examiner  # noqa: PLC0415  # see above
    from evaluation.adapters.gpu.nvml import Nvml  # noqa: PLC0415  # see above
    from evaluation.adapters.trusted_cubin import TrustedCubins  # noqa: PLC0415  # see above
    from evaluation.core.launching.port import Gpu as LaunchGpu  # noqa: PLC0415  # one name, two views

    uuid = find_gpu(number).facts.uuid
    watch = Nvml(uuid)
    try:
        gpu = LaunchGpu(watch.minor, uuid)
    finally:
        watch.close()
    jail = jail_of(workspace)
    toolchain = find_toolchain(workspace, jail)
    own = TrustedCubins(jail, toolchain, workspace.native).built(target)
    return open_examiner(gpu, own, workspace.slots, Disassembler(jail, toolchain))


def quarantine_of(workspace: Workspace, product: str, number: int) -> Quarantine:
    return Quarantine(workspace.measure, f"{product}-{number}")


def quarantines(workspace: Workspace) -> Iterator[Quarantine]:
    """Every ledger that was ever written here, in the order of names. Raise ToolMissing where the folder is closed."""
    try:
        # A glob would pass over a folder that this user may not read without a word.
        paths = sorted(workspace.measure.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise ToolMissing(
            f"cannot read the ledgers of GPUs in {workspace.measure}: {error.strerror}",
            action="run this as the user that the workers run as",
        ) from error
    for path in paths:
        if path.suffix == ".json":
            yield Quarantine(workspace.measure, path.stem)


def equipment(
    workspace: Workspace,
    *,
    device: str,
    gpu: int,
    worker: str,
    reporter: Reporter,
    environment: Mapping[str, str],
) -> Equipment:
    """What a station for this GPU works with; everything is opened when it is needed first.

    Raise InvalidInput for a product that has no table.
    """
    table = packaged().device(device)
    artifacts = LocalArtifacts(workspace.artifacts)
    quarantine = quarantine_of(workspace, device, gpu)
    return Equipment(
        worker=worker,
        device=device,
        quarantine=quarantine,
        reporter=reporter,
        open_measurer=lambda: _served(workspace, table, gpu, environment, quarantine),
        rebuild=partial(_rebuilt, table, artifacts),
        judge=_Judge(measure_tools(artifacts, device, late_examiner(workspace, gpu, table.target))),
        canaries=lambda: ready_kernels(table, prepare_tools(workspace)),
        clock=time.monotonic,
        canary_seconds=queues.CANARY_SECONDS,
        canary_again_seconds=queues.CANARY_AGAIN_SECONDS,
    )


def _served(
    workspace: Workspace,
    table: Device,
    number: int,
    environment: Mapping[str, str],
    claim: Quarantine,
) -> "RefereeClient":
    gpu = find_gpu(number)
    if gpu.device is None or gpu.device.product != table.product:
        raise ToolFailure(
            f"GPU {number} is an {gpu.facts.name}, and this worker is for {table.product}",
            action="set PTXBOARD_DEVICE and PTXBOARD_GPU to what nvidia-smi lists",
        )
    return open_referee(workspace, gpu, environment, claim)


def _rebuilt(table: Device, artifacts: Artifacts, job: MeasureJob) -> Prepared:
    problem, device = asked(job)
    if device != table:
        raise ToolFailure(
            f"the job is for {device.product}, and this worker has an {table.product}",
            action="let the portal send a job to the queue of its device",
        )
    return prepared_from(problem, device, job.parts, artifacts)


@dataclass(frozen=True, slots=True)
class _Judge:
    """The pipeline's GPU half with its tools; ``station.Judge``."""

    tools: MeasureTools

    def __call__(
        self, prepared: Prepared, measurer: Measurer, begin: Begin, *, bulk_rows: int = 0
    ) -> Iterator[StageReport]:
        return measure(prepared, measurer, self.tools, begin, bulk_rows=bulk_rows)
