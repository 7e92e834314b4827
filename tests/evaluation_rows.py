"""Whole rows for tests, each with as little as the database takes; a keyword changes a column."""

import hashlib
from datetime import UTC, datetime
from itertools import count
from typing import Any

from evaluation.core.records import ArtifactRef
from evaluation.models import (
    Artifact,
    Attempt,
    CanaryReading,
    Device,
    Entry,
    Hold,
    Kernel,
    Model,
    PaperCell,
    QueueSwitch,
    ReportedResult,
    Run,
    Signal,
    StageReport,
    Trajectory,
    Turn,
    Worker,
)

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ALICE, BOB = "0a11ce", "0b0b"
_numbers = count(1)


class FakeArtifacts:
    """The artifact port in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> ArtifactRef:
        sha256 = hashlib.sha256(content).hexdigest()
        self.kept[sha256] = content
        return ArtifactRef(name, sha256, len(content))

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        assert len(self.kept[sha256]) <= limit_bytes
        return self.kept[sha256]


def digest() -> str:
    """Another SHA-256 every time."""
    return f"{next(_numbers):064x}"


def artifact(**columns: Any) -> Artifact:
    return Artifact.objects.create(
        **{"sha256": digest(), "size": 3, "kind": "source", "created_at": AT} | columns
    )


def kernel(**columns: Any) -> Kernel:
    kept = columns.pop("artifact", None) or artifact()
    whole = {"sha256": kept.sha256, "language": "cuda", "size": kept.size, "artifact": kept}
    return Kernel.objects.create(**whole | columns)


def model(**columns: Any) -> Model:
    number = next(_numbers)
    whole = {"slug": f"model-{number}", "name": f"Model {number}", "track": "model"}
    return Model.objects.create(**whole | columns)


def entry(**columns: Any) -> Entry:
    whole = {
        "owner": ALICE,
        "proposed_model": "a model",
        "language": "cuda",
        "digest": digest(),
        "prompts": 3,
        "trajectories": 4,
        "turns": 8,
        "created_at": AT,
    }
    return Entry.objects.create(**whole | columns)


def trajectory(**columns: Any) -> Trajectory:
    whole = {"problem": "gemm_n4096_k4096", "problem_version": 1, "target": "hopper"}
    if "entry" not in columns:
        columns["entry"] = entry()
    return Trajectory.objects.create(**whole | columns)


def turn(**columns: Any) -> Turn:
    """A turn with a kernel, unless it is told what is missing."""
    if "trajectory" not in columns:
        columns["trajectory"] = trajectory()
    if "missing" not in columns and "kernel" not in columns:
        columns["kernel"] = kernel()
    return Turn.objects.create(**{"number": 0} | columns)


def reported(**columns: Any) -> ReportedResult:
    if "turn" not in columns:
        columns["turn"] = turn()
    return ReportedResult.objects.create(**{"status": "PASSED"} | columns)


def paper_cell(**columns: Any) -> PaperCell:
    whole = {
        "publication": "paper",
        "target": "hopper",
        "device": "h100-sxm",
        "problem": "gemm_n4096_k4096",
        "experiment": "first",
        "metric": "solved_by",
        "turn_limit": 8,
        "numerator": 9,
        "denominator": 12,
    }
    if "model" not in columns:
        columns["model"] = model()
    return PaperCell.objects.create(**whole | columns)


def run(**columns: Any) -> Run:
    """A run that waits."""
    whole = {
        "problem": "gemm_n4096_k4096",
        "problem_version": 1,
        "target": "hopper",
        "judge": "1",
        "language": "cuda",
        "owner": ALICE,
        "created_at": AT,
    }
    if "kernel" not in columns:
        columns["kernel"] = kernel()
    return Run.objects.create(**whole | columns)


def ready_run(**columns: Any) -> Run:
    parts = {"plan": artifact(), "cubin": artifact(), "facts": artifact()}
    return run(**{"state": "ready", "device": "h200"} | parts | columns)


def finished_run(**columns: Any) -> Run:
    """A run that found the kernel wrong."""
    whole = {
        "state": "finished",
        "device": "h200",
        "verdict": "wrong_result",
        "correct": "no",
        "speed_reason": "only a correct kernel has a speed",
        "finished_at": AT,
    }
    return run(**whole | columns)


def accepted_run(**columns: Any) -> Run:
    """A run that found the kernel right and half as fast again as the vendor's."""
    whole = {
        "verdict": "accepted",
        "correct": "yes",
        "family": "yes",
        "matrix_path": "yes",
        "coverage": 0.97,
        "executed_share": 1.0,
        "ratio": 1.5,
        "ratio_low": 1.4,
        "ratio_high": 1.6,
        "candidate_ns": 200,
        "vendor_ns": 300,
        "speed_reason": "",
    }
    return finished_run(**whole | columns)


def attempt(**columns: Any) -> Attempt:
    """An attempt that was sent."""
    whole = {
        "half": "prepare",
        "number": 1,
        "queue": "prepare",
        "key_digest": digest(),
        "sent_at": AT,
    }
    if "run" not in columns:
        columns["run"] = run()
    return Attempt.objects.create(**whole | columns)


def done_attempt(**columns: Any) -> Attempt:
    whole = {"state": "done", "worker": "w1", "started_at": AT, "lease_until": AT, "ended_at": AT}
    return attempt(**whole | columns)


def stage_report(**columns: Any) -> StageReport:
    whole = {"place": 0, "stage": "policy", "headline": "clean", "reported_at": AT, "body": "{}"}
    if "attempt" not in columns:
        columns["attempt"] = attempt()
    return StageReport.objects.create(**whole | columns)


def signal(**columns: Any) -> Signal:
    if "report" not in columns:
        columns["report"] = stage_report()
    whole = {
        "run": columns["report"].attempt.run,
        "place": 0,
        "stage": "policy",
        "rule": "reads_the_clock",
        "severity": "hold",
        "said": "The kernel reads the clock.",
    }
    return Signal.objects.create(**whole | columns)


def hold(**columns: Any) -> Hold:
    """An open hold."""
    whole = {
        "problem": "gemm_n4096_k4096",
        "target": "hopper",
        "placed_at": AT,
        "why": "It reads the clock.",
        "source": "signal",
    }
    if "kernel" not in columns:
        columns["kernel"] = kernel()
    return Hold.objects.create(**whole | columns)


def worker(**columns: Any) -> Worker:
    whole = {"name": "w1", "queue": "prepare", "last_heard_at": AT, "schema": 2, "judge": "1"}
    return Worker.objects.create(**whole | columns)


def canary_reading(**columns: Any) -> CanaryReading:
    whole = {"kernel": "gemm_wgmma_tma", "heard_at": AT, "ratio": 0.992, "low": 0.96, "high": 1.025}
    figures = {"sm_mhz": 1830, "memory_mhz": 3201, "temperature_c": 41, "power_mw": 512_000}
    if "worker" not in columns:
        columns["worker"] = worker(name="m@1", queue="measure.h200", device="h200")
    return CanaryReading.objects.create(**whole | figures | columns)


def device(**columns: Any) -> Device:
    whole = {"product": "h200", "uuid_digest": digest(), "last_heard_at": AT}
    return Device.objects.create(**whole | columns)


def queue_switch(**columns: Any) -> QueueSwitch:
    return QueueSwitch.objects.create(**{"queue": "prepare"} | columns)
