"""How long a rebuild of all boards takes, and a refresh of one entry, for so many entries of the paper's layout.

    PYTHONPATH=. .venv/bin/python benchmarks/standings.py [-n ENTRIES] [--database URL]

An entry has 5 problems x 3 prompts x 4 trajectories x 8 turns, which are 480 turns, each with a kernel and a run.
Without an address a SQLite file in a temporary folder is used; a database that is given must be empty and stays filled.
"""

import argparse
import os
import random
import resource
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROBLEMS = (
    "gemm_n7168_k5120",
    "mha_bwd_d128",
    "mha_bwd_d128_causal",
    "mha_with_lse_d128",
    "mha_with_lse_d128_causal",
)
LAYOUT = (3, 4, 8)
TURNS = len(PROBLEMS) * 3 * 4 * 8
AT = datetime(2026, 11, 30, tzinfo=UTC)
BATCH = 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=50, help="entries (%(default)s)")
    parser.add_argument("--database", help="an address as PTXBOARD_DATABASE_URL has it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxboard-standings-") as home:
        load(Path(home), asked.database)
        fill(asked.n)
        measure(asked.n)


def load(home: Path, database: str | None) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "portal.settings"
    os.environ["PTXBOARD_HOME"] = str(home)
    os.environ["PTXBOARD_DATABASE_URL"] = database or f"sqlite:///{home}/rows.sqlite3"
    import django  # noqa: PLC0415 (settings come first)

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 (the same)

    call_command("migrate", verbosity=0)


def fill(entries: int) -> None:
    from django.db import transaction  # noqa: PLC0415 (the same)

    start = time.monotonic()
    lot = random.Random(1)  # noqa: S311 (the same rows every time)
    for number in range(entries):
        with transaction.atomic():
            fill_entry(number, lot)
    print(f"{entries} entries, {entries * TURNS:,} turns stored in {since(start):.1f} s")


def fill_entry(number: int, lot: random.Random) -> None:
    from evaluation.models import Artifact, Entry, Kernel, Model, Trajectory, Turn  # noqa: PLC0415

    prompts, trajectories, turns = LAYOUT
    model = Model.objects.create(
        slug=f"m{number}", name=f"M{number}", track="model", accepted_at=AT
    )
    entry = Entry.objects.create(
        model=model,
        owner=f"o{number}",
        language="cuda",
        digest=f"{number:064x}",
        prompts=prompts,
        trajectories=trajectories,
        turns=turns,
        visibility="public",
        created_at=AT,
    )
    hashes = [f"{number:032x}{place:032x}" for place in range(TURNS)]
    Artifact.objects.bulk_create(
        [Artifact(sha256=one, size=3, kind="source", created_at=AT) for one in hashes], BATCH
    )
    kept = {one.sha256: one for one in Artifact.objects.filter(sha256__in=hashes)}
    Kernel.objects.bulk_create(
        [Kernel(sha256=one, language="cuda", size=3, artifact=kept[one]) for one in hashes], BATCH
    )
    kernels = list(Kernel.objects.filter(sha256__in=hashes).order_by("pk"))
    Trajectory.objects.bulk_create(
        [
            Trajectory(
                entry=entry,
                problem=problem,
                problem_version=1,
                target="hopper",
                reported_device="h100-sxm",
                prompt=prompt,
                number=one,
            )
            for problem in PROBLEMS
            for prompt in range(prompts)
            for one in range(trajectories)
        ]
    )
    rows = list(entry.trajectory_rows.order_by("pk"))
    places = [(row, at) for row in rows for at in range(turns)]
    Turn.objects.bulk_create(
        [
            Turn(trajectory=row, number=at, kernel=kernel)
            for (row, at), kernel in zip(places, kernels, strict=True)
        ],
        BATCH,
    )
    store_runs(entry.owner, places, kernels, lot)


def store_runs(owner: str, places: list, kernels: list, lot: random.Random) -> None:  # type: ignore[type-arg]  # rows of models that are imported later
    from evaluation.models import Run  # noqa: PLC0415 (settings come first)

    skill = lot.random()
    Run.objects.bulk_create(
        [
            Run(
                kernel=kernel,
                problem=row.problem,
                problem_version=1,
                target="hopper",
                device="h200",
                judge="1",
                language="cuda",
                owner=owner,
                state="finished",
                created_at=AT,
                finished_at=AT + timedelta(seconds=lot.randrange(10**6)),
                **finding(lot, skill),
            )
            for (row, _), kernel in zip(places, kernels, strict=True)
        ],
        BATCH,
    )


def finding(lot: random.Random, skill: float) -> dict[str, object]:
    if lot.random() > skill:
        return {"verdict": "wrong_result", "correct": "no", "speed_reason": "it is wrong"}
    ratio = lot.uniform(0.1, 1.1)
    return {
        "verdict": "accepted",
        "correct": "yes",
        "family": lot.choice(["yes", "absent"]),
        "matrix_path": "no",
        "ratio": ratio,
        "ratio_low": ratio * 0.99,
        "ratio_high": ratio * 1.01,
        "candidate_ns": 200,
        "vendor_ns": 100,
    }


def measure(entries: int) -> None:
    from evaluation.models import Entry  # noqa: PLC0415 (settings come first)
    from leaderboard.models import Board, Standing  # noqa: PLC0415 (the same)
    from leaderboard.projection import rebuild  # noqa: PLC0415 (the same)

    thousands = entries * TURNS / 1000
    for name in ("rebuild from nothing", "rebuild without a change"):
        start, worked = time.monotonic(), time.process_time()
        done = rebuild(at=AT + timedelta(days=30))
        took, worked = since(start), time.process_time() - worked
        print(
            f"{name}: {took:.1f} s, {1000 * took / thousands:.0f} ms a thousand turns "
            f"({1000 * worked / thousands:.0f} of them at work here); {done}"
        )
    print(f"{Standing.objects.count():,} rows on {Board.objects.count()} boards")
    times = [timed_refresh(one) for one in Entry.objects.values_list("pk", flat=True)[:20]]
    print(f"refresh of one entry: median {1000 * sorted(times)[len(times) // 2]:.0f} ms")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


def timed_refresh(entry: int) -> float:
    """A refresh after the best kernel was struck, and one after that was taken back: the mean of both."""
    from evaluation.models import Hold, Run  # noqa: PLC0415 (settings come first)
    from leaderboard.projection import refresh  # noqa: PLC0415 (the same)

    run = Run.objects.filter(kernel__turns__trajectory__entry=entry).order_by("-ratio").first()
    assert run is not None
    start = time.monotonic()
    hold = Hold.objects.create(
        kernel=run.kernel,
        problem=run.problem,
        target=run.target,
        placed_at=AT,
        why="to see",
        source="staff",
    )
    refresh([entry], at=AT + timedelta(days=30))
    hold.delete()
    refresh([entry], at=AT + timedelta(days=30))
    return since(start) / 2


def since(start: float) -> float:
    return time.monotonic() - start


if __name__ == "__main__":
    main()
