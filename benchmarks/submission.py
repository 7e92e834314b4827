"""Hand a run directory of realistic size in, read it, confirm it and import it, and print the time and the memory.

    PYTHONPATH=.:tests .venv/bin/python benchmarks/submission.py [-n TRAJECTORIES]

The site's state is a temporary folder with a SQLite file of its own; what the environment says of the site does not
count. The memory is the largest that the whole process ever had.
"""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from run_directories import RunShape, members, write_tar_gz

T = TypeVar("T")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-n", type=int, default=1000, metavar="TRAJECTORIES")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "run.tar.gz"
        write_tar_gz(archive, members(RunShape(trajectories=given.n)))
        set_up(Path(folder) / "home")
        measure(archive)


def set_up(home: Path) -> None:
    """Make a site in a folder."""
    import django  # noqa: PLC0415 (the environment comes first)
    from django.core.management import call_command  # noqa: PLC0415 (the same)

    home.mkdir()
    for name in [name for name in os.environ if name.startswith("PTXBOARD_")]:
        del os.environ[name]
    os.environ |= {
        "PTXBOARD_HOME": str(home),
        "PTXBOARD_BROKER_URL": f"redis+socket://{home}/nobody",
        "DJANGO_SETTINGS_MODULE": "portal.settings",
    }
    django.setup()
    call_command("migrate", verbosity=0)


def measure(archive: Path) -> None:
    from django.utils import timezone  # noqa: PLC0415 (needs the site)
    from submission_steps import confirmed, imported, person, read  # noqa: PLC0415 (the same)

    from evaluation.models import Run, Turn  # noqa: PLC0415 (the same)
    from portal.uploads.receiving import receive_whole  # noqa: PLC0415 (the same)

    size = archive.stat().st_size
    print(f"archive        {size / 1e6:8.1f} MB")
    account = person()
    with archive.open("rb") as file:
        taken = timed(
            "received",
            lambda: receive_whole(account, archive.name, file, size=size, at=timezone.now()),
        ).submission
    timed("read", lambda: read(taken))
    confirmed(taken)
    done = timed("imported", lambda: imported(taken))
    print(f"state          {done.state:>8}  {done.done} of {done.total} trajectories")
    print(f"rows           {Turn.objects.count():8} turns, {Run.objects.count()} runs")


def timed(what: str, do: Callable[[], T]) -> T:
    before = time.perf_counter()
    found = do()
    seconds = time.perf_counter() - before
    peak_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{what:<14} {seconds:8.1f} s   peak memory {peak_kilobytes / 1e3:.0f} MB")
    return found


if __name__ == "__main__":
    main()
