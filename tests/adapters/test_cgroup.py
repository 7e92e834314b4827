"""Control groups of both versions, on trees of ordinary files."""

from pathlib import Path

import pytest

from evaluation.adapters import cgroup
from evaluation.adapters.cgroup import Shortage


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "own"


def test_version_2_makes_one_group_below_ours(tmp_path: Path, own: Path) -> None:
    own.write_text("0::/system.slice/worker.service\n")
    (tmp_path / "system.slice/worker.service").mkdir(parents=True)
    (tmp_path / "cgroup.controllers").write_text("memory pids")

    group = cgroup.create("jail-3", memory_bytes=1000, processes=10, mount=tmp_path, own=own)

    place = tmp_path / "system.slice/worker.service/jail-3"
    assert group is not None
    assert (group.version, group.directories) == (2, (place,))
    assert (place / "memory.max").read_text() == "1000"
    assert (place / "pids.max").read_text() == "16"


def test_version_1_makes_a_group_in_each_tree_below_ours(tmp_path: Path, own: Path) -> None:
    own.write_text("8:pids:/\n4:memory:/worker\n1:cpu,cpuacct:/x\n")
    (tmp_path / "memory/worker").mkdir(parents=True)
    (tmp_path / "pids").mkdir()

    group = cgroup.create("jail-3", memory_bytes=1000, processes=10, mount=tmp_path, own=own)

    assert group is not None
    assert group.directories == (tmp_path / "memory/worker/jail-3", tmp_path / "pids/jail-3")
    assert (tmp_path / "memory/worker/jail-3/memory.limit_in_bytes").read_text() == "1000"
    assert (tmp_path / "pids/jail-3/pids.max").read_text() == "16"


def test_a_path_that_our_view_of_the_tree_lacks_gives_way_to_the_top(
    tmp_path: Path, own: Path
) -> None:
    own.write_text("4:memory:/docker/abc\n8:pids:/docker/abc\n")
    (tmp_path / "memory").mkdir()
    (tmp_path / "pids").mkdir()

    group = cgroup.create("jail-3", memory_bytes=1000, processes=10, mount=tmp_path, own=own)

    assert group is not None
    assert group.directories == (tmp_path / "memory/jail-3", tmp_path / "pids/jail-3")


def test_a_host_without_groups_gives_none(tmp_path: Path, own: Path) -> None:
    own.write_text("0::/\n")

    assert (
        cgroup.create("jail-3", memory_bytes=1, processes=1, mount=tmp_path / "no", own=own) is None
    )


def test_a_process_is_added_to_every_tree(tmp_path: Path) -> None:
    trees = (tmp_path / "memory", tmp_path / "pids")
    for tree in trees:
        tree.mkdir()

    cgroup.Group(1, trees).add(1234)

    assert [(tree / "cgroup.procs").read_text() for tree in trees] == ["1234", "1234"]


V1 = {
    "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
    "memory.max_usage_in_bytes": "1046000\n",
    "memory.limit_in_bytes": "1048576\n",
}
V2 = {"memory.events": "low 0\nhigh 0\nmax 7\noom 4\noom_kill 3\noom_group_kill 0\n"}


@pytest.mark.parametrize(
    ("version", "files", "refusals"),
    [(1, V1, 1), (1, {**V1, "memory.max_usage_in_bytes": "900000\n"}, 0), (2, V2, 4)],
    ids=["version_1", "version_1_below_its_bound", "version_2"],
)
def test_a_group_counts_its_own_dead_and_how_often_it_met_its_bound(
    tmp_path: Path, version: int, files: dict[str, str], refusals: int
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    seen = cgroup.Group(version, (tmp_path,)).shortage()

    assert seen == Shortage(kills=3, refusals=refusals)
    assert seen - Shortage(kills=1, refusals=1) == Shortage(kills=2, refusals=refusals - 1)
