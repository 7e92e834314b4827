"""Whether a GPU is still fit to judge: what NVML said of it before and after a kernel (rule T8)."""

from dataclasses import dataclass

from evaluation.core.errors import ToolFailure

SICK_XID = (
    48  # from here on Xids tell of the device and its memory; below, of a program's own errors
)


class GpuSick(ToolFailure):
    """This GPU must not judge until a person has looked at it; what ran on it last is void."""


@dataclass(frozen=True, slots=True)
class HealthSeen:
    """``xids`` since the last look, in their order.

    ``uncorrected`` memory errors since the driver was loaded; None where NVML does not count them.
    """

    xids: tuple[int, ...]
    uncorrected: int | None


def sickness(before: HealthSeen, after: HealthSeen) -> str:
    """Say in words why the GPU is sick; empty when it is well."""
    bad = tuple(xid for xid in after.xids if xid >= SICK_XID)
    if bad:
        return f"Xid {', '.join(map(str, bad))} during the kernel"
    if before.uncorrected is not None and after.uncorrected is not None:
        new = after.uncorrected - before.uncorrected
        if new > 0:
            return f"{new} uncorrectable memory errors during the kernel"
    return ""
