"""Puts the real tools together: the one place that knows which adapter stands behind which port."""

import time
from pathlib import Path

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.build_cache import BuildCache
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.disassembler import Disassembler
from evaluation.adapters.inspector import Inspector
from evaluation.adapters.native import NativePrograms, native_identity
from evaluation.adapters.nvcc import Nvcc, slim_headers
from evaluation.adapters.recorder import Recorder
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain, identify, locate
from evaluation.adapters.workspace import Workspace
from evaluation.core.binary.shim_names import SHIM_NAMES
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import InvalidInput, ToolFailure, ToolMissing
from evaluation.core.messages import MeasureJob, PrepareJob
from evaluation.core.pipeline import Tools
from evaluation.core.ports import Jail


def prepare_tools(workspace: Workspace, *, cached: bool = True) -> Tools:
    """Everything the prepare half needs. Raise CannotJail or ToolMissing before anything of a candidate is touched."""
    create(workspace)
    jail = jail_of(workspace)
    toolchain = find_toolchain(workspace, jail)
    return Tools(
        toolchain=toolchain.identity,
        compiler=compiler(workspace, jail, toolchain, cached=cached),
        inspector=Inspector(jail),
        disassembler=Disassembler(jail, toolchain),
        recorder=Recorder(
            jail, toolchain, NativePrograms(jail, toolchain, workspace.native).built()
        ),
        names=SHIM_NAMES,
        artifacts=LocalArtifacts(workspace.artifacts),
        clock=time.monotonic,
    )


def create(workspace: Workspace) -> None:
    """Make the state folder, or raise ToolMissing that says where and why not."""
    try:
        workspace.create()
    except OSError as error:
        raise ToolMissing(
            f"cannot use the state folder {workspace.home}: {error.strerror}",
            action="name a folder that this user may write with --home or PTXBOARD_HOME",
        ) from error


def jail_of(workspace: Workspace) -> Bubblewrap:
    return Bubblewrap((workspace.toolchains,), workspace.slots)


def find_toolchain(workspace: Workspace, jail: Jail) -> Toolchain:
    return identify(locate(workspace.toolchains, _requirements()), jail, native=native_identity())


def compiler(workspace: Workspace, jail: Jail, toolchain: Toolchain, *, cached: bool) -> Nvcc:
    slim = slim_headers(Path(__file__).parents[1] / "native/slim/include")
    return Nvcc(jail, toolchain, slim, BuildCache(workspace.builds) if cached else None)


def asked(job: PrepareJob | MeasureJob) -> tuple[Problem, Device]:
    """The problem and device of a job. What a portal of this release would not ask for is our fault: ToolFailure."""
    catalogue = packaged()
    try:
        problem = catalogue.problem(job.problem)
        device = catalogue.device(job.device)
    except InvalidInput as unknown:
        raise ToolFailure(
            str(unknown), action="let portal and workers run the same release"
        ) from unknown
    if problem.version != job.problem_version or job.target not in problem.targets:
        raise ToolFailure(
            f"{job.problem} has version {problem.version} for {', '.join(problem.targets)} here; "
            f"the job asks for version {job.problem_version} for {job.target}",
            action="let portal and workers run the same release",
        )
    if device.target is not job.target:
        raise ToolFailure(
            f"{job.device} is no {job.target} product",
            action="let the portal ask for a device of the target that the job names",
        )
    return problem, device


def _requirements() -> bytes:
    """The pinned toolchain's own list, whose hash names the folder it is installed in."""
    path = Path(__file__).parents[2] / "requirements/toolchain.txt"
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ToolMissing(
            f"{path} is missing, so nobody can say which toolchain is the right one",
            action="run from a checkout of the project",
        ) from error
