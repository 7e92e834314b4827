"""What a replay needs of a machine with a GPU: a measurer, a reader of cubins, and a place for what is measured."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.inspector import Inspector
from evaluation.adapters.measure_wiring import (
    find_gpu,
    late_examiner,
    measure_tools,
    open_referee,
)
from evaluation.adapters.wiring import create, jail_of
from evaluation.adapters.workspace import Workspace
from evaluation.core import pipeline
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.measurer import Measurer
from evaluation.core.pipeline_measure import MeasureTools


@dataclass(frozen=True, slots=True)
class Lab:
    """A GPU of the product that a bundle's kernel was judged on."""

    measurer: Measurer
    inspector: pipeline.Inspector
    tools: MeasureTools


@contextmanager
def open_lab(
    workspace: Workspace, product: str, gpu: int, *, environment: Mapping[str, str]
) -> Iterator[Lab]:
    """Open GPU number ``gpu``. Raise ToolMissing where it is none of this product, or a tool is missing."""
    found = find_gpu(gpu)
    if found.device is None or found.device.product != product:
        raise ToolMissing(
            f"GPU {gpu} is an {found.facts.name}, and the kernel was judged on {product}",
            action="replay on such a device: speeds of different products are never compared",
        )
    create(workspace)
    artifacts = LocalArtifacts(workspace.artifacts)
    referee = open_referee(workspace, found, environment)
    try:
        examiner = late_examiner(workspace, gpu, found.device.target)
        tools = measure_tools(artifacts, product, examiner)
        yield Lab(referee, Inspector(jail_of(workspace)), tools)
    finally:
        referee.close()
