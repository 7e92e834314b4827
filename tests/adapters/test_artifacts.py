import os
import threading
from pathlib import Path

import pytest

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core.errors import ToolFailure
from evaluation.core.records import ArtifactRef

# sha256 of b"abc", from FIPS 180-2 appendix B.1
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_bytes_are_stored_under_their_hash_and_read_back(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    assert artifacts.put("plan", b"abc") == ArtifactRef("plan", ABC, 3)
    assert artifacts.get(ABC, limit_bytes=3) == b"abc"


def test_known_bytes_are_not_written_again(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    artifacts.put("plan", b"abc")
    place = tmp_path / ABC[:2] / ABC[2:]
    before = place.stat()
    artifacts.put("plan", b"abc")
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [entry.name for entry in place.parent.iterdir()] == [ABC[2:]]


def test_changed_bytes_are_never_handed_out(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    artifacts.put("plan", b"abc")
    place = tmp_path / ABC[:2] / ABC[2:]
    place.chmod(0o644)
    place.write_bytes(b"abd")
    with pytest.raises(ToolFailure, match="was changed on disk") as failure:
        artifacts.get(ABC, limit_bytes=100)
    assert str(place) in failure.value.action


def test_a_missing_artifact_is_our_failure(tmp_path: Path) -> None:
    with pytest.raises(ToolFailure, match="is not in"):
        LocalArtifacts(tmp_path).get(ABC, limit_bytes=10)


def test_more_bytes_than_asked_for_are_refused(tmp_path: Path) -> None:
    artifacts = LocalArtifacts(tmp_path)
    artifacts.put("plan", b"abc")
    with pytest.raises(ToolFailure, match="larger than the 2 bytes"):
        artifacts.get(ABC, limit_bytes=2)


@pytest.mark.parametrize("name", ["../../etc/passwd", ABC.upper(), ABC[:-1], ABC + "\n"])
def test_only_a_hash_names_an_artifact(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolFailure, match="is no SHA-256"):
        LocalArtifacts(tmp_path).get(name, limit_bytes=10)


def test_many_writers_of_the_same_bytes_leave_one_whole_file(tmp_path: Path) -> None:
    content = os.urandom(1_000_000)
    found: list[ArtifactRef] = []

    def write() -> None:
        found.append(LocalArtifacts(tmp_path).put("cubin", content))

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({ref.sha256 for ref in found}) == 1
    assert LocalArtifacts(tmp_path).get(found[0].sha256, limit_bytes=1_000_000) == content
    assert len([entry for entry in tmp_path.rglob("*") if entry.is_file()]) == 1


def test_a_folder_that_cannot_be_written_is_our_failure_with_an_action(tmp_path: Path) -> None:
    (tmp_path / ABC[:2]).write_text("a file where a folder should be")
    with pytest.raises(ToolFailure, match="cannot store artifact plan") as failure:
        LocalArtifacts(tmp_path).put("plan", b"abc")
    assert "check free space" in failure.value.action
