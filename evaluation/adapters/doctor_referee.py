"""Whether a referee starts on a GPU, where that disturbs nobody."""

from collections.abc import Iterator, Mapping

from evaluation.adapters.doctor import Check
from evaluation.adapters.measure_wiring import Gpu, open_referee, quarantine_of
from evaluation.adapters.quarantine import GpuTaken, Holder
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import DeviceSeen


def check_referee(
    workspace: Workspace, gpu: Gpu, environment: Mapping[str, str]
) -> Iterator[Check]:
    """Read NVML and start a referee: all that a kernel needs but the kernel.

    A GPU that somebody has is in use, which is no fault: a referee beside it would disturb what is being timed.
    """
    from evaluation.adapters.gpu.nvml import Nvml  # noqa: PLC0415  # only where a GPU is

    try:
        watch = Nvml(gpu.facts.uuid)
        try:
            now = watch.sample()
            xids = "Xids arrive" if watch.watches_xids else "Xids do not arrive here"
        finally:
            watch.close()
        detail = f"{now.sm_mhz} MHz, {now.temperature_c} C, {now.power_mw / 1000:.0f} W; {xids}"
        yield Check("nvml", ok=True, detail=detail)
        device = _started(workspace, gpu, environment)
    except GpuTaken as taken:
        yield Check("gpu in use", ok=True, detail=f"{taken.what}; no referee was tried")
        return
    except ToolFailure as failure:
        yield Check("referee", ok=False, detail=failure.what, action=failure.action)
        return
    yield Check("referee", ok=True, detail=f"starts on {device.name}, driver {device.driver}")


def _started(workspace: Workspace, gpu: Gpu, environment: Mapping[str, str]) -> DeviceSeen:
    """What a referee says of the GPU, which is ours meanwhile. Raise GpuTaken where another process has it.

    What the ledger says of a kernel that was running is left for the worker that has to tell the portal.
    """
    assert gpu.device is not None  # one without a table is not looked at
    claim = quarantine_of(workspace, gpu.device.product, gpu.number)
    claim.claim(Holder.COMMAND)
    try:
        referee = open_referee(workspace, gpu, environment, claim)
        try:
            return referee.device
        finally:
            referee.close()
    finally:
        claim.release()
