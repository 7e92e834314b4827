"""The state folder, its locks and its atomic files."""

import multiprocessing
import os
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from evaluation.adapters.workspace import Workspace, default_home, locked, write_atomically


@pytest.mark.parametrize(
    ("environment", "uid", "home"),
    [
        ({}, 0, "/var/lib/ptxboard"),
        ({"HOME": "/root"}, 0, "/var/lib/ptxboard"),
        ({"HOME": "/home/ann"}, 1000, "/home/ann/.local/share/ptxboard"),
        ({"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, 1000, "/data/ptxboard"),
        ({"PTXBOARD_HOME": "/srv/p", "HOME": "/root"}, 0, "/srv/p"),
        ({"PTXBOARD_HOME": ""}, 0, "/var/lib/ptxboard"),
    ],
)
def test_the_state_folder_has_a_place_for_each_kind_of_user(
    environment: dict[str, str], uid: int, home: str
) -> None:
    assert default_home(environment, uid=uid) == Path(home)


def test_only_the_toolchains_are_open_to_everyone_whatever_the_umask(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "home")
    before = os.umask(0o077)
    try:
        workspace.create()
        workspace.create()
    finally:
        os.umask(before)

    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o755
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "home").iterdir()}
    assert modes == {"toolchains": 0o755, "builds": 0o700, "native": 0o700, "artifacts": 0o700}


def add_one(lock: Path, counter: Path, rounds: int) -> None:
    for _ in range(rounds):
        with locked(lock):
            seen = int(counter.read_text())
            time.sleep(0)
            counter.write_text(str(seen + 1))


def test_two_processes_never_hold_one_lock_together(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    spawn = multiprocessing.get_context("spawn")
    processes = [
        spawn.Process(target=add_one, args=(tmp_path / "lock", counter, 300)) for _ in range(3)
    ]

    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert counter.read_text() == "900"
    assert not (tmp_path / "lock").exists()


def hold_for_ever(lock: Path, held: Event) -> None:
    with locked(lock):
        held.set()
        time.sleep(1000)


def test_a_killed_holder_gives_its_lock_back(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    held = spawn.Event()
    holder = spawn.Process(target=hold_for_ever, args=(tmp_path / "lock", held))
    holder.start()
    assert held.wait(60)

    holder.kill()
    holder.join()

    with locked(tmp_path / "lock"):
        pass


def test_an_error_inside_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(KeyError), locked(tmp_path / "lock"):
        raise KeyError

    with locked(tmp_path / "lock"):
        pass


def test_a_link_in_the_place_of_a_lock_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic links"), locked(tmp_path / "lock"):
        pass


def test_a_file_is_replaced_whole_and_leaves_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "file"

    write_atomically(target, b"one")
    write_atomically(target, b"two")

    assert target.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_writer_left_is_swept_once_it_is_old(tmp_path: Path) -> None:
    target = tmp_path / "file"
    (tmp_path / f".file.{os.getpid()}").write_bytes(b"a rest under the number that is ours now")
    for name, age_seconds in ((".new-dead", 7200), (".new-busy", 60)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, (time.time() - age_seconds,) * 2)

    write_atomically(target, b"new")

    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / ".new-dead").exists()
    assert (tmp_path / ".new-busy").exists()


def test_a_failed_write_leaves_the_old_content_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.mkdir()

    with pytest.raises(OSError, match="directory"):
        write_atomically(target, b"new")

    assert list(tmp_path.iterdir()) == [target]
