"""Why a jail ended, from what we, bwrap and the kernel saw of it: nothing in here believes the command."""

import signal
from dataclasses import dataclass

from evaluation.adapters.cgroup import Shortage
from evaluation.adapters.jail_process import JailStatus
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.ports import Limits

_SIGNAL_BASE = 128  # bwrap reports a death by signal N as exit code 128 + N, as shells do
_ADVICE = (
    "allow unprivileged user namespaces: sysctl user.max_user_namespaces above 0, kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container its seccomp profile must allow them too"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one jail. ``grouped``: it had a control group, whose ``shortage`` this is and not the host's."""

    status: JailStatus
    said: bytes  # on standard error, which is bwrap's own until the jail is complete
    killed: bool  # the monitor, by a signal
    timed_out: bool
    grouped: bool
    shortage: Shortage
    cpu_seconds: float
    peak_bytes: int | None  # of one process; None where it cannot be told from the worker's own

    @property
    def over_bound(self) -> bool:
        """The jail itself used up what its group may have."""
        return self.grouped and self.shortage.kills > 0 and self.shortage.refusals > 0


@dataclass(frozen=True, slots=True)
class Ending:
    """The first five fields of a JailResult."""

    exit_code: int | None
    signal: int | None
    timed_out: bool
    cpu_exhausted: bool
    memory_exhausted: bool


def ending(seen: Seen, limits: Limits) -> Ending:
    """Put the end down to the command or one of its limits; raise ToolFailure or CannotJail for faults of ours."""
    code = _exit_code(seen)
    number = code - _SIGNAL_BASE if code > _SIGNAL_BASE else None
    failed = code != 0 and not seen.timed_out
    out_of_time = number == signal.SIGXCPU or _nearly(seen.cpu_seconds, limits.cpu_seconds)
    if code != 0 and _paid_for_others(seen, killed=number == signal.SIGKILL and not out_of_time):
        raise ToolFailure(
            "the kernel killed a jail's processes because the host ran out of memory",
            action="run fewer workers, or give the host more memory",
        )
    return Ending(
        exit_code=code if number is None else None,
        signal=number,
        timed_out=seen.timed_out,
        cpu_exhausted=failed and out_of_time,
        memory_exhausted=seen.over_bound
        or (failed and _nearly(seen.peak_bytes or 0, limits.memory_bytes)),
    )


def _paid_for_others(seen: Seen, *, killed: bool) -> bool:
    """The host ran short of memory and killed processes of this jail.

    A group counts its own dead. Without one only a command that somebody else has killed can be meant: the host's
    counter rises for the memory bombs in other jails too.
    """
    if seen.shortage.kills == 0 or seen.over_bound:
        return False
    return seen.grouped or (killed and not seen.timed_out)


def _exit_code(seen: Seen) -> int:
    """How bwrap says that the command ended; it says so only if the jail was complete before that."""
    if seen.status.exit_code is not None and not seen.timed_out:
        return seen.status.exit_code
    if seen.over_bound or (seen.timed_out and seen.status.child is not None):
        return _SIGNAL_BASE + signal.SIGKILL
    if seen.timed_out:
        raise ToolFailure(
            "a jail was not ready within its time limit", action="the host is overloaded"
        )
    if seen.killed:
        raise ToolFailure(
            "a jail was killed from outside", action="look for the kernel's OOM killer"
        )
    raise not_jailed(seen.said)


def not_jailed(said: bytes) -> CannotJail:
    """Give the exception for a jail that was never complete, with bwrap's own words."""
    words = said.decode(errors="replace").strip()[:500]
    return CannotJail(f"this host cannot jail: {words}", action=_ADVICE)


def _nearly(used: float, limit: float) -> bool:
    """A failure at 80 % of a limit is put down to it.

    Address space ends before memory does. The kernel ends a process by counting clock ticks and reports what it has
    measured: the two were seen 3 % apart on a virtual machine.
    """
    return used * 5 >= limit * 4
