"""What a rebuild of all boards takes, apart: processor time here and in PostgreSQL, and a refresh of one entry.

    PYTHONPATH=. .venv/bin/python benchmarks/standings.py [--trajectories N]       # in a SQLite file of its own
    PTXBOARD_DATABASE_URL=… PYTHONPATH=. .venv/bin/python benchmarks/standings.py --there

With ``--there`` it is the site's own database, as ``manage.py generate_turns`` filled it. Its standings are emptied
first, and are all there again at the end. The processor time of PostgreSQL is that of all its processes, which have to
run on the same machine; others who use it at the same time are counted too.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")
_REFRESHED = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trajectories", type=int, default=5_000, help="of 8 turns (%(default)s)")
    parser.add_argument("--there", action="store_true", help="measure the database of the site")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ptxboard-standings-") as home:
        if not asked.there:
            os.environ["PTXBOARD_HOME"] = home
            os.environ["PTXBOARD_DATABASE_URL"] = f"sqlite:///{home}/rows.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "portal.settings"
        import django  # noqa: PLC0415 (settings come first)

        django.setup()
        if not asked.there:
            fill(asked.trajectories)
        measure()


def fill(trajectories: int) -> None:
    from django.core.management import call_command  # noqa: PLC0415 (settings come first)

    call_command("migrate", verbosity=0)
    call_command("generate_turns", trajectories=trajectories)


def measure() -> None:
    from django.utils import timezone  # noqa: PLC0415 (settings come first)

    from evaluation.models import Turn  # noqa: PLC0415 (the same)
    from leaderboard.models import Board, Projected, RecordEvent, Standing  # noqa: PLC0415
    from leaderboard.projection import rebuild  # noqa: PLC0415 (the same)

    for table in (RecordEvent, Standing, Board, Projected):
        table.objects.all().delete()
    turns, at = Turn.objects.count(), timezone.now()
    print(f"{turns:,} turns; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for name in ("rebuild from nothing", "rebuild without a change"):
        done, took = taken(lambda: rebuild(at=at))
        print(f"{name}: {took.said()}; {turns / took.wall:,.0f} turns a second; {done}")
    print(f"{Standing.objects.count():,} rows on {Board.objects.count()} boards")
    print(f"refresh of one entry, {_REFRESHED} times: {refreshes(at)}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds. ``database`` is None where the database runs in this process or on another machine."""

    wall: float
    here: float
    database: float | None

    def said(self) -> str:
        there = "" if self.database is None else f", {self.database:.1f} s of PostgreSQL"
        return f"{self.wall:.1f} s in all, processor time {self.here:.1f} s of Python{there}"


def taken(act: Callable[[], object]) -> tuple[object, Took]:
    there, here, wall = database_seconds(), time.process_time(), time.monotonic()
    done = act()
    took = time.monotonic() - wall
    after = database_seconds()
    database = None if there is None or after is None else after - there
    return done, Took(took, time.process_time() - here, database)


def database_seconds() -> float | None:
    """Processor time of all processes of the PostgreSQL that we are connected to, also of those that have ended."""
    from django.db import connection  # noqa: PLC0415 (settings come first)

    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    own = process(Path(f"/proc/{backend}"))
    if own is None:
        return None
    server = process(Path(f"/proc/{own[0]}"))
    if server is None:
        return None
    every = (process(one) for one in Path("/proc").glob("[0-9]*"))
    living = sum(one[1] for one in every if one and one[0] == own[0])
    return living + server[1] + server[2]


def process(folder: Path) -> tuple[int, float, float] | None:
    """Give the parent of a process, its processor seconds, and those of its children that have ended."""
    try:
        words = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended, or runs elsewhere
        return None
    user, system, ended_user, ended_system = (int(one) * _TICK for one in words[11:15])
    return int(words[1]), user + system, ended_user + ended_system


def refreshes(at: datetime) -> str:
    from evaluation.models import Entry  # noqa: PLC0415 (settings come first)

    judged = Entry.objects.public(at=at).filter(
        single_kernel=False, trajectory_rows__turns__kernel__runs__ratio__gt=0
    )
    some = judged.order_by("pk").values_list("pk", flat=True).distinct()[:_REFRESHED]
    took = sorted(refresh_seconds(entry, at) for entry in list(some))
    return f"median {1000 * took[len(took) // 2]:.0f} ms, longest {1000 * took[-1]:.0f} ms"


def refresh_seconds(entry: int, at: datetime) -> float:
    """A refresh after the best kernel was struck, and one after that was taken back: the mean of both."""
    from evaluation.models import Hold, Run  # noqa: PLC0415 (settings come first)
    from leaderboard.projection import refresh_kernels  # noqa: PLC0415 (the same)

    of_entry = Run.objects.filter(kernel__turns__trajectory__entry=entry, ratio__gt=0)
    free = of_entry.exclude(kernel__holds__state__in=["open", "struck"])
    run = free.order_by("-ratio").first()
    assert run is not None
    start = time.monotonic()
    hold = Hold.objects.create(
        kernel=run.kernel,
        problem=run.problem,
        target=run.target,
        placed_at=at,
        why="to see",
        source="staff",
    )
    try:
        refresh_kernels([run.kernel_id], at=at)
    finally:
        hold.delete()
    refresh_kernels([run.kernel_id], at=at)
    return (time.monotonic() - start) / 2


if __name__ == "__main__":
    main()
