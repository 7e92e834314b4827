"""Logs of services: private, bounded, and safe to show on a terminal."""

import os
from pathlib import Path

import pytest

from portal.quickstart.log_files import LogFiles


def write(logs: LogFiles, text: bytes) -> None:
    descriptor = logs.open("web")
    os.write(descriptor, text)
    os.close(descriptor)


def test_a_log_is_for_its_owner_alone_and_is_appended_to(tmp_path: Path) -> None:
    logs = LogFiles(tmp_path)
    write(logs, b"one\n")
    write(logs, b"two\n")
    assert (tmp_path / "web.log").read_bytes() == b"one\ntwo\n"
    assert (tmp_path / "web.log").stat().st_mode & 0o777 == 0o600


def test_a_log_that_is_too_long_is_put_aside_in_place_of_the_one_before(tmp_path: Path) -> None:
    logs = LogFiles(tmp_path, limit_bytes=4)
    for text in (b"first", b"second"):
        write(logs, text)
        logs.bound("web")
    assert (tmp_path / "web.log").read_bytes() == b""
    assert (tmp_path / "web.log.1").read_bytes() == b"second"
    assert (tmp_path / "web.log.1").stat().st_mode & 0o777 == 0o600


def test_who_writes_while_a_log_is_put_aside_goes_on_at_its_new_beginning(tmp_path: Path) -> None:
    logs = LogFiles(tmp_path, limit_bytes=4)
    descriptor = logs.open("web")
    os.write(descriptor, b"before")
    logs.bound("web")
    os.write(descriptor, b"after")
    os.close(descriptor)
    assert (tmp_path / "web.log").read_bytes() == b"after"


def test_a_log_within_its_bound_or_not_there_is_left_alone(tmp_path: Path) -> None:
    logs = LogFiles(tmp_path, limit_bytes=4)
    logs.bound("web")
    write(logs, b"four")
    logs.bound("web")
    assert (tmp_path / "web.log").read_bytes() == b"four"
    assert not (tmp_path / "web.log.1").exists()


def test_the_last_lines_are_cut_and_printable(tmp_path: Path) -> None:
    logs = LogFiles(tmp_path)
    write(logs, b"lost\n\x1b]0;title\x07\xff\n\n" + b"x" * 400 + b"\n")
    assert logs.last_lines("web", 2) == (" ]0;title \ufffd", "x" * 300)
    assert logs.last_lines("beat", 2) == ()


def test_a_log_s_place_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "web.log").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="Too many levels"):
        LogFiles(tmp_path).open("web")
