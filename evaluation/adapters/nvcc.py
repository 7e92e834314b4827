"""The compiler: runs the steps of core/compile/build_steps.py in jails, host and device half side by side."""

import hashlib
import itertools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from evaluation.adapters.build_budget import Budget, Half, overloaded
from evaluation.adapters.build_cache import BuildCache
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile import build_steps
from evaluation.core.compile.build import BuildLimits, Built, Failed, FailureKind, Program, StepTime
from evaluation.core.compile.build_steps import HeaderSet, Part
from evaluation.core.compile.description import Command, Description
from evaluation.core.compile.device_calls import (
    STUB_TEXT,
    Irreplaceable,
    Replaced,
    replace_device_calls,
)
from evaluation.core.compile.diagnostics import clean, shortened
from evaluation.core.compile.ptx_context import with_context
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult, Limits, Output
from evaluation.core.verdict import Target

_ENVIRONMENT = (
    ("LC_ALL", "C"),
    ("NVVMIR_LIBRARY_DIR", "/toolchain/nvvm/libdevice"),
    ("PATH", "/usr/bin"),  # gcc looks for as and ld there
    ("SOURCE_DATE_EPOCH", "0"),
    ("TMPDIR", "/tmp"),  # noqa: S108 - the jail's own
    ("TZ", "UTC"),
)
_SIGNAL_BASE = 128
_HIGHEST_SIGNAL = 64  # ptxas ends with 255 after ordinary errors
_KILLED = _SIGNAL_BASE + 9
_CPU_SIGNAL = _SIGNAL_BASE + 24
_FILE_SIZE_SIGNAL = _SIGNAL_BASE + 25
_GCC_CRASHED = 4  # the driver's word for an internal error or a signal in cc1plus or as
_STEP_REPORT_BYTES = 4096
_NEARLY_ALL = 0.9
_LIMITS = BuildLimits()


@dataclass(frozen=True, slots=True)
class Nvcc:
    """Compiles one source for one target. ``slim`` are our slim headers as files below /slim in the jail."""

    jail: Jail
    toolchain: Toolchain
    slim: tuple[JailFile, ...]
    cache: BuildCache | None = None
    limits: BuildLimits = _LIMITS
    clock: Callable[[], float] = monotonic

    def build(
        self,
        source: bytes,
        target: Target,
        *,
        headers: tuple[HeaderSet, ...] = (HeaderSet.SLIM, HeaderSet.REAL),
    ) -> Program:
        """Compile with the first set of headers that works; the last one's failure is the answer.

        Raise ToolFailure or CannotJail when the fault is ours.
        """
        if len(source) > self.limits.source_bytes:
            size = f"{len(source)} bytes; at most {self.limits.source_bytes} are taken"
            return Failed(FailureKind.SOURCE_TOO_LARGE, "", headers[0], size, 0.0)
        if self.cache is None:
            return self._build(source, target, headers)
        key = self.key(source, target, headers)
        return self.cache.get_or_make(key, lambda: self._build(source, target, headers))

    def description(self, target: Target, headers: HeaderSet, *, prints: bool) -> Description:
        """What ``build`` runs for this target and set of headers; ``prints``: printf or assert were replaced."""
        *rest, once, twice = _parts(target, headers, self.toolchain.gnu_version)
        parts = (*rest, twice if prints else once)
        return Description(
            toolchain=self.toolchain.identity,
            packages=self.toolchain.packages,
            host_tools=self.toolchain.host_tools,
            environment=_ENVIRONMENT,
            commands=tuple(
                Command(part.name, step.name, step.argv) for part in parts for step in part.steps
            ),
        )

    def _build(self, source: bytes, target: Target, headers: tuple[HeaderSet, ...]) -> Program:
        budget = Budget(self.limits, self.clock)
        for choice in headers:
            program = _Compile(self, source, target, choice, budget).run()
            if isinstance(program, Built) or not _may_be_the_headers(program):
                break
        return program

    def key(self, source: bytes, target: Target, headers: tuple[HeaderSet, ...]) -> str:
        """SHA-256 over everything that goes in: source, command lines, fixed files, toolchain, limits."""
        parts = [_parts(target, choice, self.toolchain.gnu_version) for choice in headers]
        files = [
            *_FIXED_FILES.items(),
            *((file.destination, file.content) for file in self.slim),
            ("/w/measured.ptx", STUB_TEXT),
        ]
        stated = [
            [
                hashlib.sha256(source).hexdigest(),
                target,
                headers,
                self.toolchain.identity,
                repr(self.limits),
            ],
            [part.script() for each in parts for part in each],
            [(name, hashlib.sha256(content).hexdigest()) for name, content in files],
            _ENVIRONMENT,
        ]
        return hashlib.sha256(json.dumps(stated).encode()).hexdigest()


def _may_be_the_headers(failed: Failed) -> bool:
    return failed.kind is FailureKind.ERROR and failed.step in build_steps.READS_HEADERS


_FIXED_FILES: Mapping[str, bytes] = {
    build_steps.MODULE_ID: build_steps.MODULE_ID_TEXT,
    build_steps.FATBIN: build_steps.FATBIN_TEXT,
    build_steps.VERSION_SCRIPT: build_steps.VERSION_SCRIPT_TEXT,
}


def _parts(target: Target, headers: HeaderSet, gnu_version: int) -> tuple[Part, ...]:
    return (  # the last two are alternatives
        build_steps.host_front(target, headers, gnu_version=gnu_version),
        build_steps.device_front(target, headers, gnu_version=gnu_version),
        build_steps.host_back(target),
        build_steps.assemble(target),
        build_steps.assemble(target, measured=True),
    )


_Work = tuple[Part, tuple[JailFile, ...]]


@dataclass(frozen=True, slots=True)
class _Finished:
    """What one part came to: its files when it went well, else why not."""

    files: tuple[bytes, ...]
    log: str
    steps: tuple[StepTime, ...]
    failed_step: str = ""
    failure: FailureKind | None = None


@dataclass(frozen=True, slots=True)
class _Compile:
    nvcc: Nvcc
    source: bytes
    target: Target
    headers: HeaderSet
    budget: Budget

    def run(self) -> Program:
        host_front, device_front, host_back, assemble, assemble_both = _parts(
            self.target, self.headers, self.nvcc.toolchain.gnu_version
        )
        source = JailFile(build_steps.SOURCE, self.source)
        front = self._both((device_front, (source,)), (host_front, (source,)))
        if failed := self._failed(front):
            return failed
        stub, ptx = front[0].files
        cpp = front[1].files[0]
        calls = replace_device_calls(ptx)
        images = (JailFile("/w/kernel.ptx", ptx),)
        device: _Work = (assemble, images)
        if isinstance(calls, Replaced):
            device = (assemble_both, (*images, JailFile("/w/measured.ptx", calls.ptx)))
        back = self._both(
            device,
            (
                host_back,
                (
                    JailFile("/w/kernel.cudafe1.cpp", cpp),
                    JailFile("/w/kernel.cudafe1.stub.c", stub),
                ),
            ),
        )
        if failed := self._failed(back):
            log = with_context(failed.log, ptx.decode(errors="replace"))
            return replace(failed, log=shortened(log))
        everything = (*front, *back)
        if isinstance(calls, Irreplaceable):
            return self._irreplaceable(calls, everything)
        *unmodified, cubin = back[0].files
        return Built(
            cubin=cubin,
            ptx=ptx,
            library=back[1].files[0],
            headers=self.headers,
            log=shortened("".join(part.log for part in everything)),
            seconds=self.budget.seconds,
            steps=tuple(step for part in everything for step in part.steps),
            unmodified_cubin=b"".join(unmodified),
        )

    def _irreplaceable(self, calls: Irreplaceable, parts: tuple[_Finished, ...]) -> Failed:
        log = shortened("".join((*(part.log for part in parts), f"{calls.why}\n")))
        step = "assemble_measured"
        return Failed(FailureKind.DEVICE_CALLS, step, self.headers, log, self.budget.seconds)

    def _both(self, device: _Work, host: _Work) -> tuple[_Finished, ...]:
        """Run two parts side by side; wait for both, so that nothing runs on after an answer."""
        with ThreadPoolExecutor(len(Half)) as pool:
            return tuple(pool.map(lambda half, work: self._part(half, *work), Half, (device, host)))

    def _failed(self, parts: tuple[_Finished, ...]) -> Failed | None:
        """The first failure in the order of the parts, so that the answer does not depend on who was faster."""
        for part in parts:
            if part.failure:
                return Failed(
                    part.failure, part.failed_step, self.headers, part.log, self.budget.seconds
                )
        return None

    def _part(self, half: Half, part: Part, files: tuple[JailFile, ...]) -> _Finished:
        limits = self.nvcc.limits
        cpu_seconds = self.budget.cpu_seconds(half)
        if cpu_seconds < 1:
            return _Finished((), "", (), part.steps[0].name, FailureKind.TIMEOUT)
        first = build_steps.FIRST_RESULT_DESCRIPTOR
        results = tuple(
            Output(name, first + place, limits.object_bytes)
            for place, name in enumerate(part.results)
        )
        result = self.nvcc.jail.run(
            JailCommand(
                argv=("/usr/bin/bash", "/w/steps", str(cpu_seconds)),
                limits=Limits(
                    wall_seconds=self.budget.wall_seconds(),
                    cpu_seconds=cpu_seconds,
                    memory_bytes=limits.memory_bytes,
                    file_bytes=limits.scratch_bytes,
                    scratch_bytes=limits.scratch_bytes,
                    processes=32,
                    open_files=64,
                    stdout_bytes=1024,
                    stderr_bytes=64 * 1024,
                ),
                binds=self.nvcc.toolchain.compile_binds(),
                files=(
                    *files,
                    *(JailFile(name, content) for name, content in _FIXED_FILES.items()),
                    *(self.nvcc.slim if self.headers is HeaderSet.SLIM else ()),
                    JailFile("/w/steps", part.script().encode()),
                ),
                outputs=(
                    *results,
                    Output("steps", build_steps.STEP_REPORT_DESCRIPTOR, _STEP_REPORT_BYTES),
                ),
                environment=_ENVIRONMENT,
            )
        )
        self.budget.spend(half, result.cpu_seconds)
        return _finish(part, result, cpu_limit=cpu_seconds)


def _finish(part: Part, result: JailResult, *, cpu_limit: int) -> _Finished:
    log = clean(result.stderr.content, dropped=result.stderr.dropped, tail=result.stderr.tail)
    steps, last, code = _step_times(part, result.outputs["steps"].content)
    outputs = tuple(result.outputs[name] for name in part.results)
    failure = _failure(result, code, cpu_limit=cpu_limit)
    if failure is None and any(output.dropped for output in outputs):
        failure, last = FailureKind.OBJECT_TOO_LARGE, part.steps[-1].name
    if failure is None and not all(output.content for output in outputs):
        raise ToolFailure(f"{part.name} ended well but made nothing", action="run ptxboard doctor")
    return _Finished(tuple(output.content for output in outputs), log, steps, last, failure)


def _failure(result: JailResult, code: int, *, cpu_limit: int) -> FailureKind | None:
    """Why a part failed, from limits and exit codes alone; the tools' words are not read."""
    if result.memory_exhausted:
        return FailureKind.MEMORY
    if result.timed_out:
        raise overloaded()
    died = _SIGNAL_BASE < code <= _SIGNAL_BASE + _HIGHEST_SIGNAL or code == _GCC_CRASHED
    # A front end catches the signal of its soft limit and aborts, or is killed a second later at the hard one; what is
    # measured of its time stays a few hundredths below what the kernel counted.
    out_of_time = died and result.cpu_seconds >= _NEARLY_ALL * cpu_limit
    if result.cpu_exhausted or code == _CPU_SIGNAL or out_of_time:
        return FailureKind.TIMEOUT
    if result.clean:
        return None
    if code in (0, _KILLED):
        how = f"exit code {result.exit_code}, signal {result.signal}, step {code}"
        raise ToolFailure(
            f"a compiler was killed from outside or did not start ({how})",
            action="look for the kernel's OOM killer; run ptxboard doctor",
        )
    if code == _FILE_SIZE_SIGNAL:
        return FailureKind.OBJECT_TOO_LARGE
    return FailureKind.CRASH if died else FailureKind.ERROR


def _step_times(part: Part, report: bytes) -> tuple[tuple[StepTime, ...], str, int]:
    """Steps that ended, the step that failed or was cut short, and its exit code (0 when it did not end)."""
    rows = [row.split() for row in report.decode(errors="replace").splitlines()]
    ends = [(name, int(code), float(at)) for name, code, at in rows]
    times = tuple(
        StepTime(after[0], after[2] - before[2]) for before, after in itertools.pairwise(ends)
    )
    if ends and ends[-1][1]:
        return times, ends[-1][0], ends[-1][1]
    place = min(max(len(ends) - 1, 0), len(part.steps) - 1)
    return times, part.steps[place].name, 0


def slim_headers(directory: Path) -> tuple[JailFile, ...]:
    """Our slim headers below ``directory`` as files of the jail; a checkout in a closed home works too."""
    found = sorted(path for path in directory.rglob("*.h"))
    return tuple(
        JailFile(f"/slim/{path.relative_to(directory)}", path.read_bytes()) for path in found
    )


def without_cache(nvcc: Nvcc) -> Nvcc:
    """The same compiler that compiles anew each time, for self-checks and benchmarks."""
    return replace(nvcc, cache=None)
