"""What the pipeline asks of the outside world. Adapters implement these; tests use fakes that do too."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Protocol

from evaluation.core.messages import Message
from evaluation.core.records import ArtifactRef


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one jailed command. Every one is enforced; there is no "unlimited"."""

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: (
        int  # address space of each process, and of the whole jail where the host has a cgroup
    )
    file_bytes: int  # largest single file
    scratch_bytes: int  # size of the private tmpfs at /tmp
    processes: int
    open_files: int
    stdout_bytes: int  # captured head; more is dropped and counted
    stderr_bytes: int


@dataclass(frozen=True, slots=True)
class Bind:
    """A read-only directory or file of the host as seen in the jail. Never /, /etc, /sys, a home or the work tree."""

    source: PurePosixPath
    destination: str


@dataclass(frozen=True, slots=True)
class JailFile:
    """Bytes placed read-only in the jail at an absolute path; works for files the jail's uid may not read."""

    destination: str
    content: bytes = field(repr=False)
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """A pipe out of the jail: the command writes to descriptor ``fd`` (10 or more), at most ``limit_bytes``."""

    name: str
    fd: int
    limit_bytes: int


@dataclass(frozen=True, slots=True)
class JailCommand:
    """One command to run in a jail of its own; argv[0] is a path inside the jail.

    ``fixed_addresses`` turns address-space randomisation off (setarch -R outside the jail).

    ``devices`` are nodes of NVIDIA's driver that the command may use. With them the address space of a process is not
    bounded, since the driver reserves far more of it than a machine has memory. ``proc`` mounts the jail's own /proc,
    which the driver reads; some containers do not allow that. ``instrumented``: a tool of NVIDIA's runs the command and
    talks to it, which takes more system calls; only with ``devices``.
    """

    argv: tuple[str, ...]
    limits: Limits
    binds: tuple[Bind, ...] = ()
    files: tuple[JailFile, ...] = ()
    outputs: tuple[Output, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    fixed_addresses: bool = False
    devices: tuple[str, ...] = ()
    proc: bool = False
    instrumented: bool = False


@dataclass(frozen=True, slots=True)
class Captured:
    """Bytes that came out; ``dropped`` counts what was over the limit and is not in ``content``.

    ``tail`` are the very last of the dropped bytes: of stdout and stderr up to 32 KiB, of outputs none.
    """

    content: bytes
    dropped: int = 0
    tail: bytes = b""


@dataclass(frozen=True, slots=True)
class JailResult:
    """How a jailed command ended. Exactly one of the first two is set unless a limit ended it."""

    exit_code: int | None
    signal: int | None
    timed_out: bool  # wall clock
    cpu_exhausted: bool
    memory_exhausted: bool
    stdout: Captured
    stderr: Captured
    outputs: Mapping[str, Captured]
    seconds: float
    cpu_seconds: float = 0.0  # of all its processes together

    @property
    def clean(self) -> bool:
        return self.exit_code == 0 and not self.timed_out


class Jail(Protocol):
    def run(self, command: JailCommand) -> JailResult:
        """Run to the end or to a limit. Raise CannotJail or ToolFailure for our own faults only."""
        ...


class Artifacts(Protocol):
    """Bytes by SHA-256. ``get`` re-hashes; ``put`` of known bytes changes nothing."""

    def put(self, name: str, content: bytes) -> ArtifactRef: ...

    def get(self, sha256: str, *, limit_bytes: int) -> bytes: ...


class Reporter(Protocol):
    """The way back to the portal. Messages arrive in order or not at all."""

    def send(self, message: Message) -> None:
        """Hand over one message; raise ToolFailure when it could not be delivered."""
        ...
