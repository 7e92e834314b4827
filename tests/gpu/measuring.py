"""One packed kernel through the real measurer: a referee and its launchers on this machine's GPU."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.baselines import expectations
from evaluation.adapters.gpu.cupti_library import find_cupti
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.gpu.referee_client import RefereeClient, RefereeStart
from evaluation.adapters.workspace import Workspace
from evaluation.core import wire
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.referee_words import Settings
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import Outcome, StageReport
from evaluation.core.staged import Begin

from .packed import Pack

REPOSITORY = Path(__file__).parents[2]
UNCONFINED = "PTXBOARD_UNCONFINED"  # set to 1 on a host that cannot jail
REPORTS = "PTXBOARD_GPU_REPORTS"
_PASSED_ON = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME")


@dataclass(frozen=True, slots=True)
class Bench:
    """A measurer that stays warm from kernel to kernel, and where its evidence goes."""

    pack: Pack
    measurer: RefereeClient
    tools: MeasureTools

    def run(self, case: str, begin: Begin = lambda _: None) -> tuple[StageReport, ...]:
        """Check, probe and time, as far as the kernel comes."""
        rows = self.pack.description(case).bulk_rows
        prepared = self.pack.prepared(case)
        return tuple(measure(prepared, self.measurer, self.tools, begin, bulk_rows=rows))

    def keep(self, case: str, reports: tuple[StageReport, ...]) -> None:
        """Write reports and raw records below the folder that REPORTS names, if it names one."""
        folder = os.environ.get(REPORTS)
        if not folder:
            return
        out = Path(folder) / case
        out.mkdir(parents=True, exist_ok=True)
        (out / "reports.json").write_bytes(wire.encode(Outcome(reports)))
        for ref in (ref for report in reports for ref in report.artifacts):
            content = self.tools.artifacts.get(ref.sha256, limit_bytes=ref.size)
            (out / ref.name).write_bytes(content)


@contextmanager
def open_bench(
    pack: Pack, home: Path, *, device: int = 0, counters: bool = True
) -> Iterator[Bench]:
    """Open a measurer whose referee starts with the first kernel. ``home`` is its state folder.

    Without ``counters`` its launchers have no library to read them with.
    """
    workspace = Workspace(home)
    workspace.create()
    told = settings(pack, home, device)
    start = RefereeStart(
        settings=told if counters else replace(told, counters="", cupti=""),
        environment=environment(os.environ),
        watch=Nvml,
    )
    measurer = RefereeClient(start)
    artifacts = LocalArtifacts(workspace.artifacts)
    try:
        product = measurer.device.product
        yield Bench(pack, measurer, MeasureTools(artifacts, time.monotonic, expectations(product)))
    finally:
        measurer.close()


def settings(pack: Pack, home: Path, device: int) -> Settings:
    """What the referee is told. Without CUPTI on this machine there are no counters, and reports say so."""
    try:
        cupti = str(find_cupti().library)
    except ToolMissing:
        cupti = ""
    return Settings(
        device=device,
        trusted_cubin=str(pack.trusted_path().resolve()),
        counters=str(pack.counters.resolve()) if cupti else "",
        cupti=cupti,
        home=str(home),
        unconfined=os.environ.get(UNCONFINED) == "1",
    )


def environment(ours: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    kept = tuple((name, ours[name]) for name in _PASSED_ON if name in ours)
    return (*kept, ("PYTHONPATH", str(REPOSITORY)), ("LC_ALL", "C.UTF-8"))
