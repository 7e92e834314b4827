"""Records the host part of a kernel: the driver in jails without GPU, driver library and network (docs/recording.md).

Two processes are compared by the differ: addresses fixed, every token base different. Where it needs to know which
bytes of a struct nobody decides, six more have the bases of the first and random addresses (rule L3).
"""

import hashlib
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from evaluation.adapters.native import FOLDER, Native
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Argument, Problem, argument_list
from evaluation.core.errors import ToolFailure
from evaluation.core.library_names import SHIM_LIBRARY
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult, Limits, Output
from evaluation.core.record.brief import write_brief
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.record.record import LEAST_CALLS

MOST_EXTRA_CALLS: Final = 32
_SEED_BITS: Final = 64
_FILL: Final = 0x5A
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
class Recorder:
    """Runs ``native`` in ``jail``. What the author's code does is in the recordings; ToolFailure is our own fault.

    ``seed`` decides token bases and the number of calls; nothing of it gets into a plan.
    """

    jail: Jail
    toolchain: Toolchain
    native: Native
    seed: int = field(default_factory=lambda: secrets.randbits(_SEED_BITS))
    limits: Limits = LIMITS

    @property
    def calls(self) -> int:
        """How often ``run`` is called in each process: more often than host code can count on (rule L8)."""
        return LEAST_CALLS + 1 + self.seed % MOST_EXTRA_CALLS

    def record(
        self, library: bytes, *, problem: Problem, cubin: CubinFacts, device: Device, noise: int
    ) -> Recordings:
        """Record the pair that is compared side by side, then ``noise`` more processes at random addresses."""
        order = _Order(
            library=library,
            arguments=argument_list(problem),
            cubin=cubin,
            device=device,
            seed=_own_seed(self.seed, library),
            calls=self.calls,
        )
        pair = [self._command(order, process=process, fixed=True) for process in (0, 1)]
        first, second = self._run_all(pair)
        # What nobody decides must vary, on every machine alike: not the addresses alone, also what memory held before.
        others = [_FILL + 1 + place for place in range(noise)]
        more = self._run_all(
            [self._command(order, process=0, fixed=False, fill=fill) for fill in others]
        )
        return Recordings(first, second, tuple(more))

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

    def _command(
        self, order: "_Order", *, process: int, fixed: bool, fill: int = _FILL
    ) -> JailCommand:
        brief = write_brief(
            arguments=order.arguments,
            cubin=order.cubin,
            device=order.device,
            seed=order.seed,
            process=process,
            calls=order.calls,
            fill=fill,
        )
        return JailCommand(
            argv=(_DRIVER, _BRIEF, _LIBRARY),
            limits=self.limits,
            binds=self.toolchain.runtime_binds(),
            files=(
                JailFile(_DRIVER, self.native.driver, executable=True),
                JailFile(f"{FOLDER}/{SHIM_LIBRARY}", self.native.shim),
                JailFile(_LIBRARY, order.library),
                JailFile(_BRIEF, brief),
            ),
            outputs=(_JOURNAL,),
            fixed_addresses=fixed,
        )


@dataclass(frozen=True, slots=True)
class _Order:
    """One kernel to record, as the brief of each process tells it."""

    library: bytes
    arguments: tuple[Argument, ...]
    cubin: CubinFacts
    device: Device
    seed: int
    calls: int


def _own_seed(seed: int, library: bytes) -> int:
    """Give every kernel bases of its own, the same ones when it is recorded again."""
    digest = hashlib.sha256(seed.to_bytes(_SEED_BITS // 8, "little") + library).digest()
    return int.from_bytes(digest[: _SEED_BITS // 8], "little")


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
