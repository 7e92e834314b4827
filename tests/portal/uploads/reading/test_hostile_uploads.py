"""What a hostile upload costs, in a process of its own: seconds of its processor, and memory at the most."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hostile_uploads import ARCHIVES, DOCUMENTS

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[3]
LIMIT_SECONDS = 10
LIMIT_BYTES = 300 << 20

ENDS = {
    "event flood": "member: has more than 2,000,000 JSON events",
    "empty arrays": "member: has one part that would take more than 67,108,864 bytes of memory",
    "small objects": "member: has one part that would take more than 67,108,864 bytes of memory",
    "wide strings": "member: has one part that would take more than 67,108,864 bytes of memory",
    "one string with one emoji": "member: has a string or number of more than 8,388,608 bytes",
    "longest string with one emoji": "read",
    "longest strings of escapes": "read",
    "deep arrays": "member: is nested deeper than 64 levels",
    "deep objects": "member: is nested deeper than 64 levels",
    "many keys": "member: has objects of more than 200,000 keys",
    "long keys": "read",
    "spaces without end": "member: is larger than 67,108,864 bytes",
    "digits": "member: has a string or number of more than 8,388,608 bytes",
    "secrets": "member: has more than 100,000 secrets",
    "gzip bomb": "the archive expands to more than 200 times its size",
    "zip bomb": "the archive expands to more than 200 times its size",
    "zip bomb that lies": "plan.json: expands to more than the directory of the zip file says",
    "overlapping members": "overlaps another member or the directory of the zip file",
    "gzip of gzips": "the gzip file holds no tar file",
    "many gzip parts": "the gzip file has more than 10,000 parts",
    "many members": "the archive has more than 50,000 members",
    "longest names": "the archive has more than 50,000 members",
    "large pax header": "PaxHeaders/0: has an extended header of more than 65,536 bytes",
    "gigantic pax header": "a: has an extended header of more than 65,536 bytes",
    "endless extended headers": "the tar file has more extended headers than members",
    "zeros behind the end": "the archive expands to more than 200 times its size",
    "directory of a gigabyte": "the directory of the zip file has more than 33,554,432 bytes",
    "traversal": "../../x: leads out of the archive",
}


@dataclass(frozen=True)
class Cost:
    ended: str
    cpu_seconds: float
    peak_bytes: int


def cost_of(name: str, archive: Path, folder: Path) -> Cost:
    """Read it in a child whose temporary files would show in ``folder``."""
    child = subprocess.run(
        [sys.executable, HERE / "hostile_uploads.py", name, archive],
        env={
            "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{HERE}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(folder),
        },
        cwd=folder,
        capture_output=True,
        check=True,
        timeout=250,
    )
    return Cost(**json.loads(child.stdout))


@pytest.mark.parametrize("name", [*DOCUMENTS, *ARCHIVES])
def test_a_hostile_upload_ends_with_a_sentence_in_ten_seconds_and_300_mb_and_leaves_nothing(
    name: str, tmp_path: Path
) -> None:
    archive = tmp_path / "archive"
    folder = tmp_path / "scratch"
    folder.mkdir()
    if name in ARCHIVES:
        archive.write_bytes(ARCHIVES[name]())

    cost = cost_of(name, archive, folder)

    assert ENDS[name] in cost.ended
    assert cost.cpu_seconds < LIMIT_SECONDS
    assert cost.peak_bytes < LIMIT_BYTES
    assert list(folder.iterdir()) == []
