"""Programs of ours on disk: built once, and again where the file is another one or damaged."""

import hashlib
import threading
from pathlib import Path

import pytest

from evaluation.adapters.kept import kept

KIND = b"thing-1"
BODY = b"\x7fELF and so on"
WHOLE = KIND + hashlib.sha256(BODY).digest() + BODY


class Builder:
    def __init__(self, body: bytes = BODY) -> None:
        self.body = body
        self.times = 0

    def __call__(self) -> bytes:
        self.times += 1
        return self.body


def test_it_is_built_once_and_then_read(tmp_path: Path) -> None:
    build = Builder()
    assert kept(tmp_path / "a.thing", KIND, build) == BODY
    assert (tmp_path / "a.thing").read_bytes() == WHOLE
    assert kept(tmp_path / "a.thing", KIND, build) == BODY
    assert build.times == 1
    assert [one.name for one in tmp_path.iterdir()] == ["a.thing"]


@pytest.mark.parametrize(
    "there",
    [
        pytest.param(b"", id="empty"),
        pytest.param(WHOLE[:-1], id="cut"),
        pytest.param(WHOLE[:20], id="cut inside the hash"),
        pytest.param(WHOLE + b"\0", id="too long"),
        pytest.param(WHOLE[:-1] + b"!", id="another last byte"),
        pytest.param(WHOLE.replace(KIND, b"thing-2"), id="another kind"),
    ],
)
def test_a_damaged_file_or_one_of_another_kind_is_built_anew(tmp_path: Path, there: bytes) -> None:
    path = tmp_path / "a.thing"
    path.write_bytes(there)
    build = Builder()
    assert kept(path, KIND, build) == BODY
    assert build.times == 1
    assert path.read_bytes() == WHOLE


def test_a_build_that_fails_keeps_nothing(tmp_path: Path) -> None:
    def fails() -> bytes:
        raise ValueError("no compiler")

    with pytest.raises(ValueError, match="no compiler"):
        kept(tmp_path / "a.thing", KIND, fails)
    assert list(tmp_path.iterdir()) == []


def test_of_two_at_once_one_builds(tmp_path: Path) -> None:
    started, go_on = threading.Event(), threading.Event()
    found: list[bytes] = []

    def slow() -> bytes:
        started.set()
        assert go_on.wait(30)
        return BODY

    second = Builder(b"of the second")
    threads = [
        threading.Thread(target=lambda: found.append(kept(tmp_path / "a.thing", KIND, slow))),
        threading.Thread(target=lambda: found.append(kept(tmp_path / "a.thing", KIND, second))),
    ]
    threads[0].start()
    assert started.wait(30)
    threads[1].start()
    go_on.set()
    for one in threads:
        one.join(30)
    assert found == [BODY, BODY]
    assert second.times == 0
