"""Records the host part of a kernel: the driver in jails without GPU, driver library and network (judge.md section 5).

Two processes are compared by the differ: addresses fixed, every token base different. Where it needs to know which
bytes of a struct nobody decides, six more have the bases of the first and random addresses (rule L3).
"""

import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final

from evaluation.adapters.native import FOLDER, SHIM_NAME, Native
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.brief import write_brief
from evaluation.core.device import Device
from evaluation.core.errors import ToolFailure
from evaluation.core.facts import CubinFacts
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult, Limits, Output
from evaluation.core.problem import Argument
from evaluation.core.raw import RawRecording, Recordings
from evaluation.core.record import LEAST_CALLS, NOISE_RECORDINGS

MOST_EXTRA_CALLS: Final = 32
# Two at a time: as many as one job compiles with, and the pair that is compared runs under the same load.
_AT_A_TIME: Final = 2
_ATTEMPTS: Final = 2
_JOURNAL: Final = Output(
    "recording", fd=10, limit_bytes=65 << 20
)  # the shim stops itself at 64 MiB
_LIBRARY: Final = f"{FOLDER}/kernel.so"
_BRIEF: Final = f"{FOLDER}/brief"
_DRIVER: Final = f"{FOLDER}/driver"
# The driver writes and flushes this line before any code of the author runs.
_AUTHOR_BEGINS: Final = b'{"e":"call","n":0,'
LIMITS: Final = Limits(
    wall_seconds=40.0,
    cpu_seconds=10,
    memory_bytes=512 << 20,
    file_bytes=1 << 20,
    scratch_bytes=1 << 20,
    processes=8,
    open_files=32,
    stdout_bytes=4096,
    stderr_bytes=4096,
)


@dataclass(frozen=True, slots=True)
class Order:
    """One kernel to record. ``seed`` decides token bases and the number of calls; nothing of it gets into a plan."""

    library: bytes = field(repr=False)
    arguments: tuple[Argument, ...]
    cubin: CubinFacts
    device: Device
    seed: int = field(default_factory=lambda: secrets.randbits(64))

    @property
    def calls(self) -> int:
        """How often ``run`` is called in each process: more often than the author can count on (rule L8)."""
        return LEAST_CALLS + 1 + self.seed % MOST_EXTRA_CALLS


@dataclass(frozen=True, slots=True)
class Recorder:
    """Runs ``native`` in ``jail``. What the author's code does is in the recordings; ToolFailure is our own fault."""

    jail: Jail
    toolchain: Toolchain
    native: Native
    limits: Limits = LIMITS

    def record(self, order: Order) -> Recordings:
        """Record the pair that is compared, side by side."""
        commands = [self._command(order, process=process, fixed=True) for process in (0, 1)]
        first, second = self._run_all(commands)
        return Recordings(first, second)

    def with_noise(self, order: Order, recordings: Recordings) -> Recordings:
        """Add the recordings that show which bytes change with the addresses of the process."""
        command = self._command(order, process=0, fixed=False)
        noise = tuple(self._run_all([command] * NOISE_RECORDINGS))
        return replace(recordings, noise=noise)

    def _run_all(self, commands: list[JailCommand]) -> Iterator[RawRecording]:
        with ThreadPoolExecutor(_AT_A_TIME) as pool:
            yield from pool.map(self._run, commands)

    def _run(self, command: JailCommand) -> RawRecording:
        for _ in range(_ATTEMPTS):
            result = self.jail.run(command)
            if _AUTHOR_BEGINS in result.outputs["recording"].content:
                return _raw(result)
        said = result.stderr.content.decode(errors="replace")[:400]
        raise ToolFailure(
            f"the recorder did not get to the kernel: exit code {result.exit_code}, signal {result.signal}: {said}",
            action="run ptxboard doctor",
        )

    def _command(self, order: Order, *, process: int, fixed: bool) -> JailCommand:
        brief = write_brief(
            arguments=order.arguments,
            cubin=order.cubin,
            device=order.device,
            seed=order.seed,
            process=process,
            calls=order.calls,
        )
        return JailCommand(
            argv=(_DRIVER, _BRIEF, _LIBRARY),
            limits=self.limits,
            binds=self.toolchain.runtime_binds(),
            files=(
                JailFile(_DRIVER, self.native.driver, executable=True),
                JailFile(f"{FOLDER}/{SHIM_NAME}", self.native.shim),
                JailFile(_LIBRARY, order.library),
                JailFile(_BRIEF, brief),
            ),
            outputs=(_JOURNAL,),
            fixed_addresses=fixed,
        )


def _raw(result: JailResult) -> RawRecording:
    journal = result.outputs["recording"]
    return RawRecording(
        text=journal.content,
        dropped=journal.dropped,
        exit_code=result.exit_code,
        signal=result.signal,
        timed_out=result.timed_out,
        cpu_exhausted=result.cpu_exhausted,
        memory_exhausted=result.memory_exhausted,
    )
