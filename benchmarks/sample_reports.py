"""Makes the sample data of the portal anew: kernels, and what the judge reported of them in both halves.

    PYTHONPATH=. python3 benchmarks/sample_reports.py REPORTS MEASURED_AT [CASE ...]

REPORTS holds CASE/{reports.json,check_seen,measure_seen}, as tests/gpu leaves them in the folder that
PTXBOARD_GPU_REPORTS names, and first_measure_seen where a kernel was measured twice; MEASURED_AT is when they were
made, such as 2026-11-30T17:48:00+00:00. The prepare half runs here, with the toolchain of the state folder and without
its cache. Needs no GPU. It replaces all kernels of portal/quickstart/sample, or those CASEs alone.
"""

import argparse
import gzip
import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Iterable, Mapping
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
    ("mha_bwd_wgmma", "mha_bwd_d128"),
    ("mha_bwd_plain_causal", "mha_bwd_d128_causal"),
    ("mha_bwd_wgmma_causal", "mha_bwd_d128_causal"),
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
    device = replace(check.device, uuid=SERIAL)
    seen = {"check_seen": wire.encode(replace(check, device=device))}
    for name in ("first_measure_seen", "measure_seen"):
        if any(ref.name == name for ref in outcome.artifacts):
            measure = wire.decode(MeasureSeen, (folder / name).read_bytes(), where=name)
            seen[name] = wire.encode(replace(measure, device=device))
    refs = {name: kept.put(name, one) for name, one in seen.items()}
    reports = (
        replace(one, artifacts=tuple(refs[ref.name] for ref in one.artifacts if ref.name in refs))
        for one in outcome.reports
    )
    return Outcome(tuple(reports)), device


def kept_times(device: DeviceSeen, *, but: Iterable[str]) -> dict[str, datetime]:
    """When the kernels that stay were measured, by name. They must be of the same device, driver and judge."""
    top = tomllib.loads((SAMPLE / "samples.toml").read_text(encoding="ascii"))
    stated = tuple(top[name] for name in ("judge", "product", "gpu", "driver"))
    if stated != (JUDGE, device.product, device.name, device.driver):
        raise SystemExit(f"the samples that stay are of {stated}: make all of them anew")
    return {
        one["name"]: datetime.fromisoformat(one.get("measured_at", top["measured_at"]))
        for one in top["samples"]
        if one["name"] not in but
    }


def made(reports: Path, case: str, problem: str) -> Made:
    kept = Kept()
    measure, device = measured(reports / case, kept)
    prepare = prepared(case, problem, device.product, kept)
    return Made(case, problem, prepare, measure, kept.content, device)


def write(samples: tuple[Made, ...], times: Mapping[str, datetime]) -> None:
    """Write these samples, and remove what is not among ``times``, which are of all."""
    new = {one.case for one in samples}
    for old in SAMPLE.iterdir() if SAMPLE.exists() else ():
        if old.is_dir() and (old.name in new or old.name not in times):
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
    (device,) = {one.device for one in samples}
    (SAMPLE / "samples.toml").write_text(statement(device, times), encoding="ascii")


def statement(device: DeviceSeen, times: Mapping[str, datetime]) -> str:
    first = min(times.values())
    lines = [
        "# Written by benchmarks/sample_reports.py; README.md says what it is.",
        "format = 1",
        f'judge = "{JUDGE}"',
        f'product = "{device.product}"',
        f'gpu = "{device.name}"',
        f'driver = "{device.driver}"',
        f'measured_at = "{first.isoformat()}"',
    ]
    for case, problem in CASES:
        if case not in times:
            continue
        lines += [
            "",
            "[[samples]]",
            f'name = "{case}"',
            f'problem = "{problem}"',
            f"problem_version = {packaged().problem(problem).version}",
        ]
        if times[case] != first:
            lines.append(f'measured_at = "{times[case].isoformat()}"')
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the sample data of the portal anew.")
    parser.add_argument("reports", type=Path)
    parser.add_argument("measured_at", type=datetime.fromisoformat)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_args()
    if unknown := set(options.cases) - set(dict(CASES)):
        parser.error(f"no sample is called {', '.join(sorted(unknown))}")
    chosen = options.cases or list(dict(CASES))
    samples = tuple(made(options.reports, *one) for one in CASES if one[0] in chosen)
    times = dict.fromkeys(chosen, options.measured_at)
    if options.cases:
        times |= kept_times(samples[0].device, but=chosen)
    write(samples, times)
    size = sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file())
    print(f"{len(samples)} samples made, {len(times)} in all, {size} bytes in {SAMPLE}")


if __name__ == "__main__":
    main()
