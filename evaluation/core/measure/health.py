"""Whether a GPU is still fit to judge: what NVML said of it before and after a kernel (rule T8)."""

from dataclasses import dataclass

from evaluation.core.errors import ToolFailure

# Xids that a kernel, a copy of a plan or the end of a process can bring about; docs/adr/0010-xids.md has the source
# and the reason for each. Every other number, also one that nobody knows yet, tells of the device.
PROGRAM_XIDS = frozenset(
    (
        *(8, 11, 13, 25, 31, 32, 37, 43, 44, 69),  # channel, instruction, address, method
        *(39, 40, 41, 70, 71, 72, 75, 76, 77, 85),  # copy engines 0 to 9
        *(45, 109),  # channels removed with their process; a kernel that does not make room
        154,  # announces what another Xid leads to, and that one comes as well
    )
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
    bad = tuple(xid for xid in after.xids if xid not in PROGRAM_XIDS)
    if bad:
        return f"Xid {', '.join(map(str, bad))} during the kernel"
    if before.uncorrected is not None and after.uncorrected is not None:
        new = after.uncorrected - before.uncorrected
        if new > 0:
            return f"{new} uncorrectable memory errors during the kernel"
    return ""
