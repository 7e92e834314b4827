"""Judged entries as evaluation's rows, a trajectory a word and a turn a letter; and all that stands on boards, to compare.

p: accepted, matrix path; f: accepted, family only; -: wrong; o: waits; h, s: accepted, then held or struck;
a: abandoned; m: source missing; n: no code.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from evaluation.models import (
    Artifact,
    Entry,
    Hold,
    Kernel,
    Model,
    ReportedResult,
    Run,
    Trajectory,
    Turn,
)
from leaderboard.models import RecordEvent, Standing
from leaderboard.projection.inserting import COLUMNS

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LATER = AT + timedelta(days=1)
GEMM = "gemm_n7168_k5120"
PAPER_SUITE = (
    GEMM,
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
)
OWNER = "0a11ce"
_numbers = count(1)


def model(**columns: Any) -> Model:
    number = next(_numbers)
    whole = {
        "slug": f"model-{number}",
        "name": f"Model {number}",
        "track": "model",
        "accepted_at": AT,
    }
    return Model.objects.create(**whole | columns)


def kernel() -> Kernel:
    sha256 = f"{next(_numbers):064x}"
    kept = Artifact.objects.create(sha256=sha256, size=3, kind="source", created_at=AT)
    return Kernel.objects.create(sha256=sha256, language="cuda", size=3, artifact=kept)


def entry(words: Sequence[str], **columns: Any) -> Entry:
    """A public entry of an accepted model, laid out as the words are: one prompt."""
    if not columns.keys() & {"model", "proposed_model"}:
        columns["model"] = model()
    whole = {
        "owner": OWNER,
        "language": "cuda",
        "digest": f"{next(_numbers):064x}",
        "prompts": 1,
        "trajectories": len(words),
        "turns": max(len(word) for word in words),
        "visibility": "public",
        "created_at": AT,
    }
    return Entry.objects.create(**whole | columns)


def judged(words: Sequence[str], problem: str = GEMM, **columns: Any) -> Entry:
    """An entry with its turns at one problem; ``ratio`` and ``judge`` are those of its runs."""
    runs = {name: columns.pop(name) for name in ("ratio", "judge", "device") if name in columns}
    handed_in = entry(words, **columns)
    add_turns(handed_in, words, problem, **runs)
    return handed_in


def add_turns(
    handed_in: Entry,
    words: Sequence[str],
    problem: str = GEMM,
    *,
    place: dict[str, Any] | None = None,
    **runs: Any,
) -> list[Turn]:
    whole = {"problem": problem, "problem_version": 1, "target": "hopper"} | (place or {})
    return [
        turn(trajectory, number, letter, **runs)
        for at, word in enumerate(words)
        for trajectory in [Trajectory.objects.create(entry=handed_in, number=at, **whole)]
        for number, letter in enumerate(word)
    ]


def turn(trajectory: Trajectory, number: int, letter: str, **runs: Any) -> Turn:
    if letter in "mn":
        missing = {"m": "source_missing", "n": "no_code"}[letter]
        return Turn.objects.create(
            trajectory=trajectory, number=number, missing=missing, missing_said="It is not there."
        )
    made = Turn.objects.create(trajectory=trajectory, number=number, kernel=kernel())
    run(made, letter, **runs)
    if letter in "hs":
        hold(made, struck=letter == "s")
    return made


def run(of: Turn, letter: str, **columns: Any) -> Run:
    assert of.kernel is not None
    place = of.trajectory
    whole: dict[str, Any] = {
        "kernel": of.kernel,
        "problem": place.problem,
        "problem_version": place.problem_version,
        "target": place.target,
        "judge": "1",
        "language": "cuda",
        "owner": place.entry.owner,
        "created_at": AT,
    }
    if letter in "pfhs":
        return Run.objects.create(**whole | accepted(letter, **columns))
    columns.pop("ratio", None)
    if letter == "o":
        columns.pop("device", None)
        return Run.objects.create(**whole | columns)
    ends = {"a": {"state": "abandoned", "finished_at": AT}, "-": WRONG}
    return Run.objects.create(**whole | ends[letter] | columns)


WRONG = {
    "state": "finished",
    "device": "h200",
    "verdict": "wrong_result",
    "correct": "no",
    "speed_reason": "only a correct kernel has a speed",
    "finished_at": AT,
}


def accepted(letter: str = "p", ratio: float | None = 0.5, **columns: Any) -> dict[str, Any]:
    speed: dict[str, Any] = {"speed_reason": "nobody timed it"}
    if ratio is not None:
        speed = {
            "ratio": ratio,
            "ratio_low": ratio - 0.0625,
            "ratio_high": ratio + 0.0625,
            "candidate_ns": 400,
            "vendor_ns": 200,
        }
    whole = {
        "state": "finished",
        "device": "h200",
        "verdict": "accepted",
        "correct": "yes",
        "family": "yes",
        "matrix_path": "no" if letter == "f" else "yes",
        "finished_at": AT,
    }
    return whole | speed | columns


def hold(of: Turn, *, struck: bool = False) -> Hold:
    assert of.kernel is not None
    decided = {"state": "struck", "decided_at": AT, "decided_by": "zoe"} if struck else {}
    return Hold.objects.create(
        kernel=of.kernel,
        problem=of.trajectory.problem,
        target=of.trajectory.target,
        placed_at=AT,
        why="It reads the clock.",
        source="signal",
        **decided,
    )


def reported(of: Turn, **columns: Any) -> ReportedResult:
    return ReportedResult.objects.create(turn=of, **{"status": "PASSED"} | columns)


def standing(kind: str, limit: int, **columns: Any) -> Standing:
    """The only such row."""
    found = Standing.objects.filter(board__kind=kind, turn_limit=limit, **columns)
    return found.select_related("board").get()


_EVENT = (
    "at",
    "subject",
    "entry_id",
    "run",
    "kernel",
    "ratio",
    "ratio_low",
    "ratio_high",
    "before",
)


def everything() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """All that boards show, without keys and revisions: rows with their board, and records."""
    rows = Standing.objects.order_by("board__slug", "provenance", "turn_limit", "position")
    columns = ("board__slug", *COLUMNS, "position", "rank_low", "rank_high")
    events = RecordEvent.objects.order_by("board__slug", "ratio")
    return list(rows.values_list(*columns)), list(events.values_list("board__slug", *_EVENT))
