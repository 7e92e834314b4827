"""Starts launchers: in a jail (rule T2), or without one where somebody has said so to try things."""

import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum, unique
from pathlib import Path, PurePosixPath
from typing import Final

from evaluation.adapters.gpu.launcher_archive import launcher_archive
from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_failures import ended, garbage, last_words, our_failure
from evaluation.adapters.gpu.launcher_files import sealed
from evaluation.adapters.gpu.launcher_link import Gone, Late, LauncherProcess, Link
from evaluation.adapters.gpu.launcher_runtime import LauncherRuntime, device_nodes, environment
from evaluation.adapters.sandbox import Bubblewrap, start_without_jail
from evaluation.adapters.slots import Slots
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.launching.answers import read_greeting
from evaluation.core.launching.frames import BadFrame
from evaluation.core.launching.port import Gpu
from evaluation.core.ports import Bind, JailCommand, JailFile, Limits

SOCKET: Final = 10  # the number of the launcher's end
_ARCHIVE_NUMBER: Final = 11
_FOLDER: Final = "/launcher"
_ARCHIVE: Final = f"{_FOLDER}/launcher.zip"
_COUNTERS: Final = f"{_FOLDER}/counters.so"
_SITE: Final = f"{_FOLDER}/site"
_NO_PROC: Final = "mount proc"  # bubblewrap's words: Can't mount proc on /newroot/proc

LIMITS: Final = Limits(
    wall_seconds=600.0,  # the judge's deadlines are much shorter
    cpu_seconds=600,
    memory_bytes=8 << 30,  # of the host, with what is pinned
    file_bytes=4 << 30,
    scratch_bytes=16 << 20,
    processes=64,  # threads of the driver
    open_files=4096,  # a descriptor or more for every buffer of every set
    stdout_bytes=4096,
    stderr_bytes=16 * 1024,
)


@unique
class Confinement(StrEnum):
    """How launchers are kept. Without a jail nothing that they say may count: a verdict names it."""

    JAIL = "jail"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CounterFiles:
    """The judge's library over CUPTI, and CUPTI itself with all that lies beside it."""

    library: Path
    cupti: Path


def jail_for(runtime: LauncherRuntime, counters: CounterFiles | None, slots: Slots) -> Bubblewrap:
    """The jail that may show a launcher what it needs, and nothing else of this host."""
    shown = [*runtime.folders, runtime.driver, *(path for _, path in runtime.packages)]
    if counters is not None:
        shown.append(counters.cupti.parent)
    return Bubblewrap(tuple(shown), slots)


@dataclass(frozen=True, slots=True)
class ProcessLaunchers:
    """The ``Launchers`` of the port. Launchers die with the thread that starts them.

    ``own_kernels`` is the image of the judge's own kernels for the device's target.
    """

    spawn: Callable[[Gpu, socket.socket], LauncherProcess]
    own_kernels: bytes = field(repr=False)
    deadlines: Deadlines
    confinement: Confinement

    def start(self, gpu: Gpu) -> LauncherClient:
        """See the port. Raise CannotJail or ToolFailure, and then nothing of it is alive."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs:
                process = self.spawn(gpu, theirs)
        except BaseException:
            ours.close()
            raise
        client = LauncherClient(Link(ours, process), self.deadlines)
        try:
            self._greet(client.link)
            client.bring_own_kernels(self.own_kernels)
        except BaseException:
            client.kill()
            raise
        return client

    def _greet(self, link: Link) -> None:
        try:
            failure = read_greeting(link.receive(seconds=self.deadlines.start))
        except Late as late:
            raise ToolFailure(
                f"a launcher was not ready within {self.deadlines.start:.0f} s: {last_words(link.process)}",
                action="the host is overloaded, or its GPU is sick: run ptxboard doctor",
            ) from late
        except Gone as gone:
            raise ended(gone.end, last_words(link.process)) from gone
        except BadFrame as bad:
            raise garbage(bad) from bad
        if failure is not None:
            raise our_failure(failure, b"", words=last_words(link.process))


@dataclass(slots=True)
class Jailed:
    """Spawns launchers in ``jail``. Nothing of the work tree is in there: the program is one archive.

    Where this host lets no jail have a /proc of its own, they go without: the driver has what it needs from its nodes.
    """

    jail: Bubblewrap
    runtime: LauncherRuntime
    counters: CounterFiles | None = None
    limits: Limits = LIMITS
    archive: bytes = field(default_factory=launcher_archive, repr=False)
    proc: bool = True

    def __call__(self, gpu: Gpu, theirs: socket.socket) -> LauncherProcess:
        """Start one with ``theirs`` as its socket."""
        try:
            return self._start(gpu, theirs)
        except CannotJail as refused:
            if not self.proc or _NO_PROC not in refused.what:
                raise
        self.proc = False
        return self._start(gpu, theirs)

    def _start(self, gpu: Gpu, theirs: socket.socket) -> LauncherProcess:
        return self.jail.start(self.command(gpu), inherit={SOCKET: theirs.fileno()})

    def command(self, gpu: Gpu) -> JailCommand:
        runtime, counters = self.runtime, self.counters
        places = () if counters is None else (_COUNTERS, str(counters.cupti))
        shown = [*runtime.folders, runtime.driver]
        files = [JailFile(_ARCHIVE, self.archive)]
        if counters is not None:
            shown.append(counters.cupti.parent)
            files.append(JailFile(_COUNTERS, counters.library.read_bytes()))
        return JailCommand(
            argv=(str(runtime.python), "-I", "-B", _ARCHIVE, _SITE, str(SOCKET), *places),
            limits=self.limits,
            binds=(
                *(_same(path) for path in dict.fromkeys(shown) if not _is_system(path)),
                *(
                    Bind(PurePosixPath(path), f"{_SITE}/cuda/{name}")
                    for name, path in runtime.packages
                ),
            ),
            files=tuple(files),
            environment=environment(gpu, runtime, None if counters is None else counters.cupti),
            devices=device_nodes(gpu),
            proc=self.proc,
        )


@dataclass(frozen=True, slots=True)
class Unjailed:
    """Spawns launchers as ordinary processes of this user, for trying things: see Confinement.NONE."""

    runtime: LauncherRuntime
    counters: CounterFiles | None = None
    archive: bytes = field(default_factory=launcher_archive, repr=False)

    def __call__(self, gpu: Gpu, theirs: socket.socket) -> LauncherProcess:
        """Start one with ``theirs`` as its socket."""
        counters = self.counters
        places = () if counters is None else (str(counters.library), str(counters.cupti))
        with sealed(self.archive) as archive:
            return start_without_jail(
                (
                    *(str(self.runtime.python), "-I", "-B", f"/proc/self/fd/{_ARCHIVE_NUMBER}"),
                    *(str(self.runtime.site), str(SOCKET), *places),
                ),
                environment=environment(
                    gpu, self.runtime, None if counters is None else counters.cupti
                ),
                inherit={SOCKET: theirs.fileno(), _ARCHIVE_NUMBER: archive},
            )


def _same(path: Path) -> Bind:
    return Bind(PurePosixPath(path), str(path))


def _is_system(path: Path) -> bool:
    """Every jail shows these anyway."""
    return any(path.is_relative_to(top) for top in ("/usr/lib", "/usr/lib64", "/usr/bin"))
