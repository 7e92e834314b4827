"""The largest documents that are allowed, made to be held: read or refused within the memory that a worker has."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_directories import write_tar_gz

REPOSITORY = Path(__file__).parents[4]
LIMIT_BYTES = 300_000_000
IMPORT = """
import sys
from pathlib import Path
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.source import source_of_file
from portal.uploads.importers.understood import understood
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

source = source_of_file(Path(sys.argv[1]))
try:
    understood(importer_for(source, Limits()).read(source, Limits()), {})
except Refused:
    pass
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) * 1024)
"""
MINI = b'{"trajectory_format": "mini-swe-agent-1.1", "messages": [{"role": "user"}'
OWN = b'{"format": "ptxboard-trajectory", "version": 1, "model": "m", "problem": "p", "turns": [{}'
ATIF = b'{"schema_version": "ATIF-v1.7", "agent": {}, "steps": [{"source": "user"}'
EMOJI = "\U0001f600".encode()


def many(part: bytes, count: int) -> Iterator[bytes]:
    yield from (b", " + part for _ in range(count))


def reply(text: bytes) -> bytes:
    return b'{"role": "assistant", "content": "' + text + b'"}'


CASES = {
    "wide characters": (MINI, reply(EMOJI + b"x" * 7_000_000), 9),
    "replies as large as can be held": (MINI, reply(EMOJI + b"x" * 1_900_000), 6),
    "feedback without end": (MINI, b'{"role": "user", "extra": {"event": "e"}}', 400_000),
    "kernels": (MINI, reply(b"```cpp\\n" + b"x = 1;\\n" * 30_000 + b"```"), 150),
    "fields of no use": (OWN, b'{"kernel": [' + b"{}, " * 1000 + b"{}]}", 900),
    "tool calls": (ATIF, b'{"source": "agent", "message": "' + b"x" * 600_000 + b'"}', 100),
}


@pytest.mark.parametrize("case", CASES)
def test_no_document_takes_more_memory_than_a_worker_has(case: str, tmp_path: Path) -> None:
    head, part, count = CASES[case]
    upload = tmp_path / "upload.json"
    with upload.open("wb") as file:
        file.write(head)
        file.writelines(many(part, count))
        file.write(b"]}")
    assert upload.stat().st_size <= 64 << 20

    assert peak_bytes(upload) < LIMIT_BYTES


def test_an_archive_of_such_documents_takes_no_more_than_one(tmp_path: Path) -> None:
    text = (
        hashlib.shake_128(b"seed").hexdigest(950_000).encode()
    )  # or the archive is refused for its ratio
    document = b"".join([MINI, *many(reply(EMOJI + text), 6), b"]}"])
    upload = tmp_path / "upload.tar.gz"
    named = ((f"trajectories/exp_{number}.json", document) for number in range(4))
    write_tar_gz(upload, named)

    assert peak_bytes(upload) < LIMIT_BYTES


def peak_bytes(upload: Path) -> int:
    """Import an upload in a process of its own and give the most memory that it ever had."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, str(upload)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )

    return int(done.stdout)
