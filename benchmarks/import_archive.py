"""Read a run directory of realistic size as a preview does, and print the time and the memory that it took.

    PYTHONPATH=.:tests .venv/bin/python benchmarks/import_archive.py [-n TRAJECTORIES] [--keep FILE]

Trajectories have eight turns, raw provider responses and about 300 kB each, in one tar.gz that is made first and not
counted. The memory is the largest that the whole process ever had, the interpreter with its modules included.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

from run_directories import RunShape, members, write_tar_gz

from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.source import Source, source_of_file
from portal.uploads.importers.understood import Understood, understood
from portal.uploads.reading.limits import Limits

WORKLOADS = {"gemm_n7168_k5120": "94920358-01a8-4c5b-9209-3103fd490e94"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-n", type=int, default=1000, metavar="TRAJECTORIES")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="write the archive there and keep it"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = given.keep or Path(folder) / "run.tar.gz"
        write_tar_gz(archive, members(RunShape(trajectories=given.n)))
        measure(source_of_file(archive), archive.stat().st_size)


def measure(source: Source, size_bytes: int) -> None:
    limits = Limits()
    before = time.perf_counter()
    importer = importer_for(source, limits)
    found = understood(importer.read(source, limits), WORKLOADS)
    report(found, size_bytes, time.perf_counter() - before)


def report(found: Understood, size_bytes: int, seconds: float) -> None:
    peak_kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"archive        {size_bytes / 1e6:8.1f} MB")
    print(f"trajectories   {found.trajectories:8}")
    print(
        f"turns          {found.turns:8}  ({found.kernels} with a kernel, {found.reported} with a result)"
    )
    print(f"secrets        {found.secrets:8}  removed")
    print(f"named problems {found.named_total:8}")
    print(
        f"time           {seconds:8.1f} s   ({1000 * seconds / max(found.trajectories, 1):.0f} ms each)"
    )
    print(f"peak memory    {peak_kilobytes / 1e3:8.1f} MB")


if __name__ == "__main__":
    main()
