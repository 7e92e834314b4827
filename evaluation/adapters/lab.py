"""What a command needs of a machine with a GPU: a measurer, a reader of cubins, a ledger, a place for what is seen."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.gpu_use import in_use, noted
from evaluation.adapters.inspector import Inspector
from evaluation.adapters.measure_wiring import (
    find_gpu,
    late_examiner,
    measure_tools,
    open_referee,
    quarantine_of,
)
from evaluation.adapters.quarantine import Quarantine
from evaluation.adapters.wiring import create, jail_of
from evaluation.adapters.workspace import Workspace
from evaluation.core import pipeline
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.damage import judge_losses
from evaluation.core.measure.examination import ExaminationKind
from evaluation.core.measure.measurer import Measurer
from evaluation.core.measure.parts import Parts
from evaluation.core.measure.prepared import Prepared
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import Stage


@dataclass(frozen=True, slots=True)
class Lab:
    """A GPU of the product that a kernel is for, claimed for this process; ``ledger`` is that GPU's."""

    measurer: Measurer
    inspector: pipeline.Inspector
    tools: MeasureTools
    ledger: Quarantine

    def stages(
        self,
        prepared: Prepared,
        parts: Parts,
        begin: Begin,
        *,
        examine: Sequence[ExaminationKind] = (),
    ) -> Generator[StageReport, None, None]:
        """The GPU half of the pipeline for what ``parts`` name; a kernel that was lost too often is not launched.

        To be closed before the lab is, or it would note the end of a kernel on a GPU that somebody else has by then.
        Raise ToolFailure for our own faults, also where the kernel cannot be noted.
        """
        kernel = parts.plan.sha256
        damage = judge_losses(self.ledger.read().losses_of(kernel), 0)
        if damage is not None:
            begin(Stage.CHECK)
            yield damage
            return
        with noted(self.ledger, kernel):
            yield from measure(
                prepared,
                self.measurer,
                self.tools,
                begin,
                bulk_rows=parts.bulk_rows,
                examine=examine,
            )


@contextmanager
def open_lab(
    workspace: Workspace, product: str, gpu: int, *, environment: Mapping[str, str]
) -> Iterator[Lab]:
    """Open GPU number ``gpu``, which is this process's until the block ends.

    Raise ToolMissing where it is none of this product, or a tool is missing, and GpuUnavailable where it is taken or
    in quarantine.
    """
    found = find_gpu(gpu)
    if found.device is None or found.device.product != product:
        raise ToolMissing(
            f"GPU {gpu} is an {found.facts.name}, and the kernel was judged on {product}",
            action="replay on such a device: speeds of different products are never compared",
        )
    create(workspace)
    ledger = quarantine_of(workspace, product, gpu)
    with in_use(ledger):
        artifacts = LocalArtifacts(workspace.artifacts)
        referee = open_referee(workspace, found, environment, ledger)
        try:
            examiner = late_examiner(workspace, gpu, found.device.target)
            tools = measure_tools(artifacts, product, examiner)
            yield Lab(referee, Inspector(jail_of(workspace)), tools, ledger)
        finally:
            referee.close()
