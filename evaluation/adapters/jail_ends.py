"""The pipes of one jail: our ends, bwrap's numbers for its own, and the two words between us and its first process."""

import contextlib
import io
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.adapters.jail_process import JailStatus
from evaluation.adapters.jail_view import view_arguments
from evaluation.adapters.pipes import ChildDescriptors, Drain, write_all
from evaluation.adapters.seccomp import coarse_filter, device_filter, instrument_filter
from evaluation.core.ports import JailCommand

# The first process inside. bwrap's own one is not waited for by the outer bwrap, so its use of time and memory would
# be lost; and a candidate must not be the first process itself, since it could then disarm the parent-death signal. It
# asks before it starts the command: bwrap arms that signal only when the jail is complete, and a worker that dies
# before that must not leave a command behind. The shell's remarks about a child's end are not the command's output.
_READY, _GO, _WORDS = 7, 8, 9
INIT = (
    f"exec {_WORDS}>&2 2>/dev/null; echo >&{_READY}; read -r go <&{_GO} || exit 1; exec {_READY}>&- {_GO}<&-; "
    f'"$@" 2>&{_WORDS} {_WORDS}>&-; exit $?'
)

_TAIL_BYTES = 32 * 1024
_STATUS_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class JailEnds:
    """Our ends of a jail's pipes, and the numbers that bwrap knows its own ends by."""

    stdout: Drain
    stderr: Drain
    outputs: Mapping[str, Drain]
    status: Drain
    status_number: int
    filter: io.FileIO  # the system call filter goes in here
    filter_number: int
    filter_content: bytes
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

    def complete(self) -> None:
        """Tell a waiting bwrap the rest.

        setpriv has armed the parent-death signal before it becomes bwrap, and without view and filter bwrap ends in an
        error: a worker that is killed before this leaves nothing behind that could run the command.
        """
        _tell(self.view, self.view_content)
        _tell(self.filter, self.filter_content)

    def let_go(self) -> None:
        """Answer the first process inside, once it has asked: it starts the command."""
        if not self.go.closed:
            _tell(self.go, b"\n")


def reserved_numbers(command: JailCommand) -> frozenset[int]:
    return frozenset({_READY, _GO, _WORDS, *(output.fd for output in command.outputs)})


def open_ends(child: ChildDescriptors, command: JailCommand) -> JailEnds:
    limits = command.limits
    return JailEnds(
        stdout=Drain(child.pipe_from(1), limits.stdout_bytes, _TAIL_BYTES),
        stderr=Drain(child.pipe_from(2), limits.stderr_bytes, _TAIL_BYTES),
        outputs={
            one.name: Drain(child.pipe_from(one.fd), one.limit_bytes) for one in command.outputs
        },
        status=Drain(child.pipe_from(status_number := child.next_number()), _STATUS_BYTES),
        status_number=status_number,
        filter=child.pipe_to(filter_number := child.next_number()),
        filter_number=filter_number,
        filter_content=_filter(command),
        view=child.pipe_to(view_number := child.next_number()),
        view_number=view_number,
        view_content=_view(command, tuple(child.content(file.content) for file in command.files)),
        ready=Drain(child.pipe_from(_READY), 1),
        go=child.pipe_to(_GO),
    )


def _filter(command: JailCommand) -> bytes:
    if not command.devices:
        return coarse_filter()
    return instrument_filter() if command.instrumented else device_filter()


def _view(command: JailCommand, files: tuple[int, ...]) -> bytes:
    return b"".join(word.encode() + b"\0" for word in view_arguments(command, files=files))


def _tell(end: io.FileIO, content: bytes) -> None:
    with contextlib.suppress(BrokenPipeError):  # the other side has ended; its status tells why
        write_all(end.fileno(), content)
    end.close()
