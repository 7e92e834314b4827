"""Keeps the ledger of one GPU on disk, so that it outlives every worker that the GPU takes down.

One file a GPU, written whole and synced before a kernel is handed over. It holds the key of the running attempt and is
therefore for its owner alone.
"""

import contextlib
import fcntl
import os
import re
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from evaluation.adapters.workspace import write_atomically
from evaluation.core import wire
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.ledger import Ledger, Running, begun, ended, lost

_LIMIT_BYTES = 1 << 20
_CLAIM = re.compile(rb"(worker|command) ([0-9]{1,10})\n(?:referee ([0-9]{1,10})\n)?")
_ONE_EACH = "start one worker a GPU, each with concurrency 1 and its own PTXBOARD_GPU"
_ORPHAN = (
    "wait: it ends by itself within two minutes; look at the GPU with nvidia-smi if it does not"
)


class Holder(StrEnum):
    """Who uses a GPU: a measure worker, until it ends, or a command, while it measures."""

    WORKER = "worker"
    COMMAND = "command"


class GpuTaken(ToolFailure):
    """Another process of this host has claimed the GPU."""


class Quarantine:
    """The ledger of the GPU with this name, such as ``h200-0``; one process at a time writes it.

    Every method raises ToolFailure where the file cannot be read or written: without memory no kernel is launched.
    """

    def __init__(self, folder: Path, gpu: str) -> None:
        self._path = folder / f"{gpu}.json"
        self._claim: int | None = None
        self._by = Holder.WORKER

    @property
    def path(self) -> Path:
        return self._path

    def claim(self, by: Holder = Holder.WORKER) -> None:
        """Keep the GPU for this process until it ends or releases it. Raise GpuTaken where another one has it.

        A referee that shares the claim has it until that one ends, too.
        """
        if self._claim is not None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            place = self._path.with_suffix(".lock")
            descriptor = os.open(
                place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise self._failure("cannot write beside", error.strerror) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _sign(descriptor, f"{by} {os.getpid()}\n".encode())
        except BlockingIOError as taken:
            signed = os.pread(descriptor, 64, 0)
            os.close(descriptor)
            raise _taken(signed, self.gpu, by) from taken
        except OSError as error:
            os.close(descriptor)
            raise self._failure("cannot write beside", error.strerror) from error
        self._claim, self._by = descriptor, by

    @property
    def descriptor(self) -> int | None:
        """The locked file, for a referee to share; None where the GPU is not ours."""
        return self._claim

    def shared_with(self, process: int) -> None:
        """Note the referee that has the claim too. Never raises: the claim holds without the note."""
        if self._claim is not None:
            with contextlib.suppress(OSError):
                _sign(self._claim, f"{self._by} {os.getpid()}\nreferee {process}\n".encode())

    def release(self) -> None:
        """Let others have the GPU once no referee of ours lives; harmless where it was not claimed."""
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    def read(self) -> Ledger:
        """The ledger; an empty one where nothing was written yet."""
        try:
            with self._path.open("rb") as stream:
                content = stream.read(_LIMIT_BYTES + 1)
        except FileNotFoundError:
            return Ledger()
        except OSError as error:
            raise self._failure("cannot read", error.strerror) from error
        try:
            return wire.decode(Ledger, content, where=self._path.name, limit_bytes=_LIMIT_BYTES)
        except InvalidInput as broken:
            raise self._failure("cannot make sense of", str(broken)) from broken

    def begin(self, running: Running) -> None:
        """Note a kernel before its first launch."""
        self._write(begun(self.read(), running))

    def end(self) -> None:
        self._write(ended(self.read()))

    def lose(self, what: str, *, by_time: bool) -> Ledger:
        """Put a loss down to the kernel at hand, and give the ledger that says so."""
        return self._write(lost(self.read(), what, by_time=by_time))

    def set_sick(self, why: str) -> None:
        """Take the GPU out of service until a person lifts it."""
        self._write(replace(self.read(), sick=why))

    def set_drifted(self, why: str) -> None:
        """Rest until a canary is well again; empty ends it."""
        self._write(replace(self.read(), drifted=why))

    @property
    def gpu(self) -> str:
        return self._path.stem

    def lift(self) -> None:
        """A person says that the GPU is well: what it is sick of is forgotten, losses of kernels are not."""
        self._write(replace(self.read(), sick="", drifted=""))

    def _write(self, ledger: Ledger) -> Ledger:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_atomically(self._path, wire.encode(ledger))
        except OSError as error:
            raise self._failure("cannot write", os.strerror(error.errno or 0)) from error
        return ledger

    def _failure(self, what: str, why: str | None) -> ToolFailure:
        return ToolFailure(
            f"{what} the ledger of this GPU, {self._path}: {why}",
            action="see that the file and its folder belong to the worker's user; remove the file to begin anew",
        )


def _sign(descriptor: int, name: bytes) -> None:
    """Only the holder of the lock writes its name; what an earlier one left is void."""
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, name, 0)


def _taken(signed: bytes, gpu: str, by: Holder) -> GpuTaken:
    """Say who has the lock, to one that asks as ``by``. A holder that has not signed yet is called a worker."""
    words = _CLAIM.fullmatch(signed)
    kind = Holder.WORKER if words is None else Holder(words[1].decode())
    if words is not None and words[3] and not _is_alive(words[2]) and _is_alive(words[3]):
        return GpuTaken(
            f"the referee of a {kind} that ended still has the GPU {gpu} (process {words[3].decode()})",
            action=_ORPHAN,
        )
    process = "" if words is None else f" (process {words[2].decode()})"
    article = "another" if kind is by else "a"
    return GpuTaken(f"{article} {kind} of this host has the GPU {gpu}{process}", action=_ONE_EACH)


def _is_alive(process: bytes) -> bool:
    return Path(f"/proc/{process.decode()}").exists()
