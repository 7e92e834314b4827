"""The state folder of the embedded product: private, with room for sockets, and one instance at a time."""

import os
from pathlib import Path

import pytest

from portal.quickstart.state_folder import (
    Instance,
    StateFolder,
    Unusable,
    private_folder,
    socket_folder,
)


def test_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / "home")
    state.create()
    state.create()
    for folder in (state.logs, state.broker):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_was_open_to_others_is_closed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir(mode=0o755)
    private_folder(tmp_path / "logs")
    assert (tmp_path / "logs").stat().st_mode & 0o777 == 0o700


def test_a_link_in_place_of_a_private_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "logs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unusable, match="is not a folder of this user; remove it"):
        private_folder(tmp_path / "logs")


def test_a_state_folder_below_a_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable) as refused:
        StateFolder(tmp_path / "file" / "home").create()
    assert str(refused.value) == (
        f"cannot use the state folder {tmp_path}/file/home: Not a directory\n"
        "name a folder that this user may write with --home or PTXBOARD_HOME"
    )


def test_a_socket_lies_in_the_state_folder_where_its_path_is_short_enough() -> None:
    state = StateFolder(Path("/var/lib/ptxboard"))
    assert socket_folder(state, {}, "broker.sock") == Path("/var/lib/ptxboard/broker")


def test_a_socket_of_a_deep_state_folder_lies_in_a_short_private_one(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / ("deep" * 25))
    folder = socket_folder(state, {"XDG_RUNTIME_DIR": str(tmp_path)}, "broker.sock")
    try:
        assert len(os.fsencode(folder / "broker.sock")) <= 107
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder == socket_folder(state, {"XDG_RUNTIME_DIR": str(tmp_path)}, "broker.sock")
    finally:
        folder.rmdir()


def test_two_deep_state_folders_have_sockets_in_different_places(tmp_path: Path) -> None:
    found = [
        socket_folder(StateFolder(tmp_path / (word * 25)), {"XDG_RUNTIME_DIR": ""}, "broker.sock")
        for word in ("deep", "high")
    ]
    for folder in found:
        folder.rmdir()
    assert found[0] != found[1]


def test_a_second_instance_is_refused_and_told_where_the_first_one_is(tmp_path: Path) -> None:
    first = Instance(tmp_path / "instance")
    with pytest.raises(Unusable, match=r"^PTXBoard is starting or stopping as process \d+, with"):
        Instance(tmp_path / "instance")
    first.write("http://127.0.0.1:8000/")
    with pytest.raises(Unusable) as refused:
        Instance(tmp_path / "instance")
    assert str(refused.value) == (
        f"PTXBoard runs at http://127.0.0.1:8000/ as process {os.getpid()}, "
        f"with the state folder {tmp_path}\n"
        "stop it there, or start another one with another --home"
    )
    first.close()
    Instance(tmp_path / "instance").close()
