"""The jail: the one place that starts candidate and tool processes (docs/rules.md, R3). x86-64 Linux only.

From outside to inside: ``setarch -R`` (on request), ``setpriv`` (an own unprivileged uid, no new privileges, death
with the worker), ``bwrap`` (namespaces, empty root, seccomp), a shell as first process,
``prlimit``, ``env``, the command.
"""

import contextlib
import os
import platform
import selectors
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters import cgroup
from evaluation.adapters.jail_end import Ending, Seen, ending, not_jailed
from evaluation.adapters.jail_ends import INIT, JailEnds, open_ends, reserved_numbers
from evaluation.adapters.jail_process import JailProcess
from evaluation.adapters.jail_service import BareService, JailedService
from evaluation.adapters.jail_view import isolation_arguments, limit_arguments, refuse_unsafe
from evaluation.adapters.pipes import ChildDescriptors
from evaluation.adapters.slots import Slot, Slots
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.ports import JailCommand, JailResult

_SETARCH = "/usr/bin/setarch"
_SETPRIV = "/usr/bin/setpriv"
_BWRAP = "/usr/bin/bwrap"
_PRLIMIT = "/usr/bin/prlimit"
_SHELL = "/usr/bin/sh"
_ENV = "/usr/bin/env"

_START_SECONDS = 20.0  # for setpriv to become bwrap; milliseconds on an idle machine
_LAST_READ_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The ``Jail`` of ports.py. ``readable`` are the directories below which a command may bind, beside /usr."""

    readable: tuple[Path, ...]
    slots: Slots
    use_cgroups: bool = True

    def run(self, command: JailCommand) -> JailResult:
        """Run one command to its end or to a limit. Nothing of it is alive when this returns or raises."""
        refuse_unsafe(command, self.readable)
        need_tools()
        with self.slots.take() as slot, self._group(slot, command) as group:
            return _run(command, slot, group)

    def start(self, command: JailCommand, *, inherit: Mapping[int, int]) -> JailedService:
        """Start a command that lives until it ends or is killed; it gets our descriptors under the given numbers.

        It dies with the thread that calls this. How long it may live and what it writes, the caller watches: of the
        limits, ``wall_seconds`` does not hold here. Raise CannotJail or ToolFailure, and then nothing of it is alive.
        """
        refuse_unsafe(command, self.readable)
        need_tools()
        with contextlib.ExitStack() as stack:
            slot = stack.enter_context(self.slots.take())
            group = stack.enter_context(self._group(slot, command))
            return _begin(command, slot, group, inherit=inherit, stack=stack)

    @contextlib.contextmanager
    def _group(self, slot: Slot, command: JailCommand) -> Iterator[cgroup.Group | None]:
        if not self.use_cgroups:
            yield None
            return
        group = cgroup.create(
            slot.mark.lower(),
            memory_bytes=command.limits.memory_bytes,
            processes=command.limits.processes,
        )
        try:
            yield group
        finally:
            if group:
                group.remove()


def need_tools() -> None:
    if platform.machine() != "x86_64":
        raise CannotJail(
            f"jails are for x86-64 machines, this one is {platform.machine()}",
            action="run the worker on an x86-64 machine with Linux",
        )
    for tool in (_SETARCH, _SETPRIV, _BWRAP, _PRLIMIT, _SHELL, _ENV):
        if not os.access(tool, os.X_OK):
            raise CannotJail(f"{tool} is missing", action="apt-get install bubblewrap util-linux")


def _run(command: JailCommand, slot: Slot, group: cgroup.Group | None) -> JailResult:
    before = _shortage(group)
    with contextlib.ExitStack() as stack:
        child = ChildDescriptors(stack, reserved=reserved_numbers(command))
        ends = open_ends(child, command)
        process = _start(_arguments(command, slot, ends), child)
        stack.callback(process.close)
        began = time.monotonic()
        try:
            _complete(process, slot, group, ends)
            timed_out = _attend(process, ends, began + command.limits.wall_seconds)
        finally:
            process.adopt(ends.said())
            process.kill()
            process.reap()
        seconds = time.monotonic() - began
        for drain in ends.drains:
            drain.read_rest(seconds=_LAST_READ_SECONDS)
    seen = Seen(
        status=ends.said(),
        said=ends.stderr.captured().content,
        killed=process.killed,
        timed_out=timed_out,
        grouped=group is not None,
        shortage=_shortage(group) - before,
        cpu_seconds=process.used_cpu_seconds,
        peak_bytes=process.used_bytes,
    )
    end = ending(seen, command.limits)
    return _result(ends, end, cpu_seconds=process.used_cpu_seconds, seconds=seconds)


def _complete(process: JailProcess, slot: Slot, group: cgroup.Group | None, ends: JailEnds) -> None:
    """Make sure that bwrap is bounded and nobody, then let it build the jail."""
    process.wait_for_name("bwrap", seconds=_START_SECONDS)
    process.require_uid(os.geteuid() if slot.uid is None else slot.uid)
    if group:
        group.add(process.pid)
    ends.complete()


def _begin(
    command: JailCommand,
    slot: Slot,
    group: cgroup.Group | None,
    *,
    inherit: Mapping[int, int],
    stack: contextlib.ExitStack,
) -> JailedService:
    """Start a command and leave it running. ``stack`` holds what it needs, and is emptied into the service."""
    child = ChildDescriptors(stack, reserved=reserved_numbers(command) | inherit.keys())
    for number, descriptor in inherit.items():
        child.give(descriptor, number)
    ends = open_ends(child, command)
    process = _start(_arguments(command, slot, ends), child)
    stack.callback(process.close)
    try:
        _complete(process, slot, group, ends)
        _await_start(process, ends)
    except BaseException:
        process.adopt(ends.said())
        process.kill()
        process.reap()
        raise
    return JailedService(process, ends, stack.pop_all())


def _await_start(process: JailProcess, ends: JailEnds) -> None:
    """Let the command go, or raise ToolFailure or CannotJail because it did not come to that."""
    if _attend(process, ends, time.monotonic() + _START_SECONDS, until_started=True):
        raise ToolFailure("a jail was not ready in time", action="the host is overloaded")
    if not ends.go.closed:
        ends.stderr.read_rest(seconds=_LAST_READ_SECONDS)
        raise not_jailed(ends.stderr.captured().content)


def _shortage(group: cgroup.Group | None) -> cgroup.Shortage:
    return group.shortage() if group else cgroup.shortage_of_host()


def _result(ends: JailEnds, end: Ending, *, cpu_seconds: float, seconds: float) -> JailResult:
    return JailResult(
        exit_code=end.exit_code,
        signal=end.signal,
        timed_out=end.timed_out,
        cpu_exhausted=end.cpu_exhausted,
        memory_exhausted=end.memory_exhausted,
        stdout=ends.stdout.captured(),
        stderr=ends.stderr.captured(),
        outputs={name: drain.captured() for name, drain in ends.outputs.items()},
        seconds=seconds,
        cpu_seconds=cpu_seconds,
    )


def _arguments(command: JailCommand, slot: Slot, ends: JailEnds) -> Iterator[str]:
    yield from _outer(command, slot)
    yield _BWRAP
    yield from isolation_arguments(
        mark=slot.mark,
        status=ends.status_number,
        seccomp=ends.filter_number,
        view=ends.view_number,
    )
    yield from ("--", _SHELL, "-c", INIT, "init")
    yield from (_PRLIMIT, *limit_arguments(command), "--")
    # Shells add variables of their own; an empty environment is part of what makes recordings equal.
    yield from (_ENV, "-i", *(f"{name}={value}" for name, value in command.environment))
    yield from command.argv


def _outer(command: JailCommand, slot: Slot) -> Iterator[str]:
    if command.fixed_addresses:
        yield from (_SETARCH, "x86_64", "-R")
    yield from (_SETPRIV, "--no-new-privs", "--pdeathsig", "KILL")
    if slot.uid is not None:
        yield from ("--reuid", str(slot.uid), "--regid", str(slot.uid), "--clear-groups")
    yield "--"


def start_without_jail(
    argv: tuple[str, ...],
    *,
    environment: tuple[tuple[str, str], ...],
    inherit: Mapping[int, int],
) -> BareService:
    """Start a program as this user, with our descriptors under the given numbers.

    For trying things on a host that cannot jail. Whoever calls this says so in every result.
    """
    with contextlib.ExitStack() as stack:
        child = ChildDescriptors(stack, reserved=frozenset(inherit))
        words = os.memfd_create("words", os.MFD_CLOEXEC)
        stack.callback(os.close, words)
        for number, descriptor in (*inherit.items(), (1, words), (2, words)):
            child.give(descriptor, number)
        pid = _spawn(argv, child, dict(environment))
        return BareService(pid, os.pidfd_open(pid), os.dup(words))


def _start(arguments: Iterator[str], child: ChildDescriptors) -> JailProcess:
    pid = _spawn(tuple(arguments), child, {})
    return JailProcess(pid, os.pidfd_open(pid))


def _spawn(argv: tuple[str, ...], child: ChildDescriptors, environment: dict[str, str]) -> int:
    ordinary = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    pid = os.posix_spawn(
        argv[0],
        argv,
        environment,
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), *child.actions()],
        setpgroup=0,  # a Ctrl-C in the terminal is for us; we end the jail ourselves
        setsigmask=(),
        setsigdef=ordinary,
    )
    child.close_child_ends()
    return pid


def _attend(
    process: JailProcess, ends: JailEnds, deadline: float, *, until_started: bool = False
) -> bool:
    """Empty all pipes until the command ends, or has been let go (False), or the deadline passes (True)."""
    with selectors.DefaultSelector() as selector:
        selector.register(process.monitor, selectors.EVENT_READ)
        for drain in ends.drains:
            selector.register(drain.descriptor, selectors.EVENT_READ, drain)
        while (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                if key.data is None:
                    return False
                key.data.read_some()
                if key.data.closed:
                    selector.unregister(key.fd)
                if key.data is ends.status:
                    process.adopt(ends.said())
                if key.data is ends.ready and not key.data.closed:
                    ends.let_go()
            if until_started and ends.go.closed and process.init is not None:
                return False
    return True
