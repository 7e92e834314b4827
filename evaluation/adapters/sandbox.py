"""The jail: the one place that starts candidate and tool processes (docs/rules.md, R3). x86-64 Linux only.

From outside to inside: ``setarch -R`` (on request), ``setpriv`` (an own unprivileged uid, no new privileges, death
with the worker), ``bwrap`` (namespaces, empty root, seccomp), a shell as first process,
``prlimit``, ``env``, the command.
"""

import contextlib
import io
import os
import platform
import selectors
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters import cgroup
from evaluation.adapters.jail_end import Ending, Seen, ending
from evaluation.adapters.jail_process import JailProcess, JailStatus
from evaluation.adapters.jail_view import (
    isolation_arguments,
    limit_arguments,
    refuse_unsafe,
    view_arguments,
)
from evaluation.adapters.pipes import ChildDescriptors, Drain, write_all
from evaluation.adapters.seccomp import coarse_filter
from evaluation.adapters.slots import Slot, Slots
from evaluation.core.errors import CannotJail
from evaluation.core.ports import JailCommand, JailResult

_SETARCH = "/usr/bin/setarch"
_SETPRIV = "/usr/bin/setpriv"
_BWRAP = "/usr/bin/bwrap"
_PRLIMIT = "/usr/bin/prlimit"
_SHELL = "/usr/bin/sh"
_ENV = "/usr/bin/env"

# The first process inside. bwrap's own one is not waited for by the outer bwrap, so its use of time and memory would
# be lost; and a candidate must not be the first process itself, since it could then disarm the parent-death signal. It
# asks before it starts the command: bwrap arms that signal only when the jail is complete, and a worker that dies
# before that must not leave a command behind. The shell's remarks about a child's end are not the command's output.
_READY, _GO, _WORDS = 7, 8, 9
_INIT = (
    f"exec {_WORDS}>&2 2>/dev/null; echo >&{_READY}; read -r go <&{_GO} || exit 1; exec {_READY}>&- {_GO}<&-; "
    f'"$@" 2>&{_WORDS} {_WORDS}>&-; exit $?'
)

_START_SECONDS = 20.0  # for setpriv to become bwrap; milliseconds on an idle machine
_LAST_READ_SECONDS = 2.0
_TAIL_BYTES = 32 * 1024
_STATUS_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The ``Jail`` of ports.py. ``readable`` are the directories below which a command may bind, beside /usr."""

    readable: tuple[Path, ...]
    slots: Slots
    use_cgroups: bool = True

    def run(self, command: JailCommand) -> JailResult:
        """Run one command to its end or to a limit. Nothing of it is alive when this returns or raises."""
        refuse_unsafe(command, self.readable)
        _need_tools()
        with self.slots.take() as slot, self._group(slot, command) as group:
            return _run(command, slot, group)

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


def _need_tools() -> None:
    if platform.machine() != "x86_64":
        raise CannotJail(
            f"jails are for x86-64 machines, this one is {platform.machine()}",
            action="run the worker on an x86-64 machine with Linux",
        )
    for tool in (_SETARCH, _SETPRIV, _BWRAP, _PRLIMIT, _SHELL, _ENV):
        if not os.access(tool, os.X_OK):
            raise CannotJail(f"{tool} is missing", action="apt-get install bubblewrap util-linux")


@dataclass(frozen=True, slots=True)
class _Ends:
    """Our ends of a jail's pipes, and the numbers that bwrap knows its own ends by."""

    stdout: Drain
    stderr: Drain
    outputs: Mapping[str, Drain]
    status: Drain
    status_number: int
    filter: io.FileIO  # the system call filter goes in here
    filter_number: int
    view: io.FileIO  # and bwrap's arguments for what is where in the jail
    view_number: int
    view_content: bytes
    ready: Drain  # the first process inside asks here
    go: io.FileIO  # and is told here

    @property
    def drains(self) -> tuple[Drain, ...]:
        return (self.stdout, self.stderr, self.status, self.ready, *self.outputs.values())

    def said(self) -> JailStatus:
        return JailStatus.read(self.status.captured().content)


def _open_ends(child: ChildDescriptors, command: JailCommand) -> _Ends:
    limits = command.limits
    return _Ends(
        stdout=Drain(child.pipe_from(1), limits.stdout_bytes, _TAIL_BYTES),
        stderr=Drain(child.pipe_from(2), limits.stderr_bytes, _TAIL_BYTES),
        outputs={
            one.name: Drain(child.pipe_from(one.fd), one.limit_bytes) for one in command.outputs
        },
        status=Drain(child.pipe_from(status_number := child.next_number()), _STATUS_BYTES),
        status_number=status_number,
        filter=child.pipe_to(filter_number := child.next_number()),
        filter_number=filter_number,
        view=child.pipe_to(view_number := child.next_number()),
        view_number=view_number,
        view_content=_view(command, tuple(child.content(file.content) for file in command.files)),
        ready=Drain(child.pipe_from(_READY), 1),
        go=child.pipe_to(_GO),
    )


def _run(command: JailCommand, slot: Slot, group: cgroup.Group | None) -> JailResult:
    before = _shortage(group)
    with contextlib.ExitStack() as stack:
        child = ChildDescriptors(stack, reserved=_reserved(command))
        ends = _open_ends(child, command)
        process = _start(_arguments(command, slot, ends), child)
        stack.callback(process.close)
        began = time.monotonic()
        try:
            process.wait_for_name("bwrap", seconds=_START_SECONDS)
            process.require_uid(os.geteuid() if slot.uid is None else slot.uid)
            _let_go(process, group, ends)
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


def _shortage(group: cgroup.Group | None) -> cgroup.Shortage:
    return group.shortage() if group else cgroup.shortage_of_host()


def _reserved(command: JailCommand) -> frozenset[int]:
    return frozenset({_READY, _GO, _WORDS, *(output.fd for output in command.outputs)})


def _view(command: JailCommand, files: tuple[int, ...]) -> bytes:
    return b"".join(word.encode() + b"\0" for word in view_arguments(command, files=files))


def _let_go(process: JailProcess, group: cgroup.Group | None, ends: _Ends) -> None:
    """Bound the waiting bwrap, then tell it the rest.

    setpriv has armed the parent-death signal before it becomes bwrap, and without view and filter bwrap ends in an
    error: a worker that is killed before this leaves nothing behind that could run the command.
    """
    if group:
        group.add(process.pid)
    _tell(ends.view, ends.view_content)
    _tell(ends.filter, coarse_filter())


def _tell(end: io.FileIO, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):  # the other side has ended; its status tells why
        write_all(end.fileno(), content)
    end.close()


def _result(ends: _Ends, end: Ending, *, cpu_seconds: float, seconds: float) -> JailResult:
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


def _arguments(command: JailCommand, slot: Slot, ends: _Ends) -> Iterator[str]:
    yield from _outer(command, slot)
    yield _BWRAP
    yield from isolation_arguments(
        mark=slot.mark,
        status=ends.status_number,
        seccomp=ends.filter_number,
        view=ends.view_number,
    )
    yield from ("--", _SHELL, "-c", _INIT, "init")
    yield from (_PRLIMIT, *limit_arguments(command.limits), "--")
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


def _start(arguments: Iterator[str], child: ChildDescriptors) -> JailProcess:
    ordinary = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    argv = tuple(arguments)
    pid = os.posix_spawn(
        argv[0],
        argv,
        {},
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), *child.actions()],
        setpgroup=0,  # a Ctrl-C in the terminal is for us; we end the jail ourselves
        setsigmask=(),
        setsigdef=ordinary,
    )
    child.close_child_ends()
    return JailProcess(pid, os.pidfd_open(pid))


def _attend(process: JailProcess, ends: _Ends, deadline: float) -> bool:
    """Empty all pipes until the command ends (False) or the deadline passes (True)."""
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
                if key.data is ends.ready and not ends.go.closed:
                    _tell(ends.go, b"\n")
    return True
