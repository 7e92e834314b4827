"""The examiner of a host with a GPU: our own replay of one kernel in a jail, with a tool of NVIDIA's around it."""

from dataclasses import dataclass, field, replace
from typing import Final

from evaluation.adapters.gpu.launcher_archive import launcher_archive
from evaluation.adapters.gpu.launcher_runtime import find_runtime
from evaluation.adapters.gpu.launchers import Jailed, jail_for
from evaluation.adapters.gpu.memcheck import Sanitizer, SanitizerTool, find_sanitizer
from evaluation.adapters.gpu.nsight import Nsight, find_nsight
from evaluation.adapters.slots import Slots
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.launching.port import Gpu
from evaluation.core.measure.examination import (
    ByInstruction,
    ExaminationKind,
    Examined,
    Hindrance,
    NotRun,
)
from evaluation.core.measure.examination_run import Contents, likeness_of
from evaluation.core.measure.nsight_counts import readings_from
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import Reading
from evaluation.core.pipeline import Disassembler
from evaluation.core.plan.plan import LaunchStep, Step
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.probe.sass_evidence import executed
from evaluation.core.scan.evidence import EvidenceRow, evidence_rows, requirement
from evaluation.core.scan.sass import Unreadable

ENTRY: Final = "evaluation.launcher.alone"

_PLAN: Final = "/launcher/plan.json"
_CUBIN: Final = "/launcher/kernel.cubin"
_OWN: Final = "/launcher/own.cubin"
_CHECKS: Final = {
    ExaminationKind.MEMCHECK: SanitizerTool.MEMORY,
    ExaminationKind.RACECHECK: SanitizerTool.RACES,
    ExaminationKind.INITCHECK: SanitizerTool.INITIALISED,
}
# Memory of a first call is as fresh as a kernel ever sees it; a second one shows what the first has left.
_CALLS: Final = {ExaminationKind.MEMCHECK: 2}
_COUNTED_CALLS: Final = 3  # after one that is not counted, and shows what they have to leave
_NO_PROC: Final = "mount proc"  # bubblewrap's words: Can't mount proc on /newroot/proc


@dataclass(frozen=True, slots=True)
class LoneKernel:
    """How a kernel is replayed by itself on one GPU.

    ``launchers`` have the archive of the other program; ``own_kernels`` is the image of the judge's own kernels.
    """

    gpu: Gpu
    launchers: Jailed
    own_kernels: bytes = field(repr=False)

    def command(self, prepared: Prepared, calls: int, contents: Contents) -> JailCommand:
        """The launcher's own view of the host, another program, and no socket."""
        like = self.launchers.command(self.gpu)
        return replace(
            like,
            argv=(*like.argv[:-1], _PLAN, _CUBIN, _OWN, str(calls), str(contents)),
            files=(
                *like.files,
                JailFile(_PLAN, plan_to_json(prepared.plan)),
                JailFile(_CUBIN, prepared.cubin),
                JailFile(_OWN, self.own_kernels),
            ),
        )

    def repeating(self, prepared: Prepared, calls: int) -> JailCommand:
        """Calls on the same inputs, of which each later one is compared with the first; one more argument is a path."""
        command = self.command(prepared, calls, Contents.RANDOM)
        return replace(command, argv=(*command.argv, likeness_of(prepared.problem).word))


@dataclass(frozen=True, slots=True)
class JailedExaminer:
    """The ``Examiner`` of the port. Without a jail nothing runs, and the answer says so."""

    sanitizer: Sanitizer
    nsight: Nsight
    lone: LoneKernel
    disassembler: Disassembler

    def examine(self, prepared: Prepared, kind: ExaminationKind) -> Examined:
        """See the port."""
        try:
            if kind is ExaminationKind.NSIGHT:
                return self._by_instruction(prepared)
            untouched = kind is ExaminationKind.INITCHECK
            contents = Contents.UNTOUCHED if untouched else Contents.RANDOM
            command = self.lone.command(prepared, _CALLS.get(kind, 1), contents)
            return self.sanitizer.check(command, _CHECKS[kind])
        except CannotJail as refused:
            return NotRun(Hindrance.NO_JAIL, f"{refused}; {refused.action}")
        except ToolFailure as failure:
            return NotRun(Hindrance.FAILED, str(failure))

    def count(self, prepared: Prepared) -> tuple[Reading, ...] | NotRun:
        """See the port."""
        try:
            return self._counted(prepared)
        except CannotJail as refused:
            return NotRun(Hindrance.NO_JAIL, f"{refused}; {refused.action}")
        except ToolFailure as failure:
            return NotRun(Hindrance.FAILED, str(failure))

    def _counted(self, prepared: Prepared) -> tuple[Reading, ...] | NotRun:
        plan = prepared.plan
        launched = _launched(plan.steady)
        functions = tuple(dict.fromkeys(launched))
        metrics = metrics_for(plan.target, prepared.problem)
        before = sum(name in functions for name in _launched(plan.setup)) + len(launched)
        counts = self.nsight.counters(
            self.lone.repeating(prepared, 1 + _COUNTED_CALLS),
            functions,
            metrics,
            skip=before,
            launches=_COUNTED_CALLS * len(launched),
        )
        if isinstance(counts, NotRun):
            return counts
        return readings_from(counts, metrics, launched, outputs=len(prepared.problem.outputs))

    def _by_instruction(self, prepared: Prepared) -> ByInstruction | NotRun:
        rows = self._rows(prepared)
        if isinstance(rows, NotRun):
            return rows
        plan = prepared.plan
        functions = tuple(dict.fromkeys(_launched(plan.steady)))
        skip = sum(name in functions for name in _launched(plan.setup))
        command = self.lone.command(prepared, 1, Contents.RANDOM)
        counts = self.nsight.counts(command, functions, skip=skip)
        if isinstance(counts, NotRun):
            return counts
        return ByInstruction(executed(counts, rows))

    def _rows(self, prepared: Prepared) -> tuple[EvidenceRow, ...] | NotRun:
        code = self.disassembler.disassemble(prepared.cubin)
        if isinstance(code, Unreadable):
            return NotRun(Hindrance.UNREADABLE, "the machine code cannot be disassembled")
        required = requirement(prepared.problem, prepared.plan.target)
        names = frozenset(_launched(prepared.plan.steady))
        return tuple(
            row
            for function in code.functions
            if function.name in names
            for row in evidence_rows(function, required)
        )


@dataclass(slots=True)
class ProcWhereAllowed:
    """A jail with its own /proc, or without one on a host that lets no jail have it, as launchers do."""

    jail: Jail

    def run(self, command: JailCommand) -> JailResult:
        try:
            return self.jail.run(command)
        except CannotJail as refused:
            if not command.proc or _NO_PROC not in refused.what:
                raise
        return self.jail.run(replace(command, proc=False))


def open_examiner(
    gpu: Gpu, own_kernels: bytes, slots: Slots, disassembler: Disassembler
) -> JailedExaminer:
    """Find what is installed on this host. Raise ToolMissing where no kernel could be replayed at all."""
    runtime = find_runtime()
    sanitizer, nsight = find_sanitizer(), find_nsight()
    tools = tuple(one for one in (sanitizer, nsight) if one is not None)
    base = jail_for(runtime, None, slots)
    jail = ProcWhereAllowed(replace(base, readable=base.readable + tools))
    launchers = Jailed(base, runtime, archive=launcher_archive(entry=ENTRY))
    return JailedExaminer(
        Sanitizer(jail, sanitizer),
        Nsight(jail, nsight, str(runtime.python)),
        LoneKernel(gpu, launchers, own_kernels),
        disassembler,
    )


def _launched(steps: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(one.function for one in steps if isinstance(one, LaunchStep))
