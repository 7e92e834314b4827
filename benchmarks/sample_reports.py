"""Makes the sample data of the portal anew: kernels, and what the judge reported of them in both halves.

    PYTHONPATH=. python3 benchmarks/sample_reports.py REPORTS MEASURED_AT

REPORTS holds CASE/{reports.json,check_seen,measure_seen}, as tests/gpu leaves them in the folder that
PTXBOARD_GPU_REPORTS names; MEASURED_AT is when they were made, such as 2026-11-30T17:48:00+00:00. The prepare half runs
here, with the toolchain of the state folder and without its cache. Needs no GPU. It replaces all of
portal/quickstart/sample but its README.
"""

import argparse
import gzip
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.core import pipeline, wire
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen
from evaluation.core.messages import JUDGE
from evaluation.core.records import ArtifactRef, Outcome
from evaluation.core.verdict import Language, Severity, Verdict

REPOSITORY = Path(__file__).parents[1]
KERNELS = REPOSITORY / "tests/golden/kernels"
SAMPLE = REPOSITORY / "portal/quickstart/sample"
SERIAL = "GPU-0"  # whose GPU it was is nobody's business
# The samples of one problem in the order in which they are shown as turns.
CASES = (
    ("gemm_naive", "gemm_n7168_k5120"),
    ("gemm_mma_sync", "gemm_n7168_k5120"),
    ("gemm_wgmma_tma", "gemm_n7168_k5120"),
    ("mha_fwd_wgmma", "mha_with_lse_d128"),
    ("mha_fwd_wgmma_causal", "mha_with_lse_d128_causal"),
    ("mha_bwd_plain", "mha_bwd_d128"),
    ("mha_bwd_plain_causal", "mha_bwd_d128_causal"),
)


@dataclass
class Kept:
    """The artifact port in memory: what is put becomes a file of the sample."""

    content: dict[str, bytes] = field(default_factory=dict)

    def put(self, name: str, content: bytes) -> ArtifactRef:
        self.content[name] = content
        return ArtifactRef(name, hashlib.sha256(content).hexdigest(), len(content))

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        raise AssertionError(f"nobody reads {sha256} back ({limit_bytes})")


@dataclass(frozen=True, slots=True)
class Made:
    """One sample: its two halves, its artifacts by name, and the device of its GPU half."""

    case: str
    problem: str
    prepare: Outcome
    measure: Outcome
    artifacts: Mapping[str, bytes]
    device: DeviceSeen


def prepared(case: str, problem: str, product: str, kept: Kept) -> Outcome:
    """Take the kernel through policy, build, record and scan."""
    catalogue = packaged()
    device = catalogue.device(product)
    workspace = Workspace(default_home(os.environ, uid=os.geteuid()))
    tools = replace(prepare_tools(workspace, cached=False), artifacts=kept)
    source = (KERNELS / case / "kernel.cu").read_bytes()
    job = pipeline.Job(source, Language.CUDA, catalogue.problem(problem), device.target, device)
    outcome = Outcome(tuple(pipeline.prepare(job, tools, lambda _: None)))
    if outcome.verdict is not None:
        raise SystemExit(f"{case} did not pass the scan: {outcome.reports[-1].headline}")
    return outcome


def measured(folder: Path, kept: Kept) -> tuple[Outcome, DeviceSeen]:
    """What was reported of the GPU half, with another serial number in its records and so another hash."""
    content = (folder / "reports.json").read_bytes()
    outcome = wire.decode(Outcome, content, where=f"{folder.name}/reports.json")
    if outcome.verdict is not Verdict.ACCEPTED or any(
        one.severity is Severity.HOLD for one in outcome.signals
    ):
        raise SystemExit(f"{folder.name} is no sample to show: refused or held")
    check = wire.decode(CheckSeen, (folder / "check_seen").read_bytes(), where="check_seen")
    measure = wire.decode(MeasureSeen, (folder / "measure_seen").read_bytes(), where="measure_seen")
    device = replace(check.device, uuid=SERIAL)
    seen = {
        "check_seen": wire.encode(replace(check, device=device)),
        "measure_seen": wire.encode(replace(measure, device=device)),
    }
    refs = {name: kept.put(name, one) for name, one in seen.items()}
    reports = (
        replace(one, artifacts=tuple(refs[ref.name] for ref in one.artifacts if ref.name in refs))
        for one in outcome.reports
    )
    return Outcome(tuple(reports)), device


def made(reports: Path, case: str, problem: str) -> Made:
    kept = Kept()
    measure, device = measured(reports / case, kept)
    prepare = prepared(case, problem, device.product, kept)
    return Made(case, problem, prepare, measure, kept.content, device)


def write(samples: tuple[Made, ...], measured_at: datetime) -> None:
    for old in SAMPLE.iterdir() if SAMPLE.exists() else ():
        if old.is_dir():
            shutil.rmtree(old)
    for one in samples:
        folder = SAMPLE / one.case
        (folder / "artifacts").mkdir(parents=True)
        shutil.copyfile(KERNELS / one.case / "kernel.cu", folder / "kernel.cu")
        for name, outcome in (("prepare", one.prepare), ("measure", one.measure)):
            lines = json.dumps(json.loads(wire.encode(outcome)), indent=1, sort_keys=True)
            (folder / f"{name}.json").write_text(f"{lines}\n", encoding="ascii")
        for name, content in one.artifacts.items():
            packed = gzip.compress(content, 9, mtime=0)
            (folder / "artifacts" / f"{name}.gz").write_bytes(packed)
    (SAMPLE / "samples.toml").write_text(statement(samples, measured_at), encoding="ascii")


def statement(samples: tuple[Made, ...], measured_at: datetime) -> str:
    (device,) = {one.device for one in samples}
    lines = [
        "# Written by benchmarks/sample_reports.py; README.md says what it is.",
        "format = 1",
        f'judge = "{JUDGE}"',
        f'product = "{device.product}"',
        f'gpu = "{device.name}"',
        f'driver = "{device.driver}"',
        f'measured_at = "{measured_at.isoformat()}"',
    ]
    for one in samples:
        version = packaged().problem(one.problem).version
        lines += [
            "",
            "[[samples]]",
            f'name = "{one.case}"',
            f'problem = "{one.problem}"',
            f"problem_version = {version}",
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the sample data of the portal anew.")
    parser.add_argument("reports", type=Path)
    parser.add_argument("measured_at", type=datetime.fromisoformat)
    options = parser.parse_args()
    samples = tuple(made(options.reports, *case) for case in CASES)
    write(samples, options.measured_at)
    size = sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file())
    print(f"{len(samples)} samples, {size} bytes in {SAMPLE}")


if __name__ == "__main__":
    main()
