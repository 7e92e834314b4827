"""The key that an installation makes for itself."""

from pathlib import Path
from threading import Barrier, Thread

import pytest

from portal.secret_key import kept_key


def test_a_key_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "key"
    key = kept_key(path)
    assert len(key) == 64
    assert kept_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    assert kept_key(tmp_path / "one") != kept_key(tmp_path / "other")


def test_starts_at_the_same_time_agree_on_one_key_and_leave_nothing_else(tmp_path: Path) -> None:
    together, keys = Barrier(8), []

    def start() -> None:
        together.wait()
        keys.append(kept_key(tmp_path / "key"))

    threads = [Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["key"]


def test_a_file_that_holds_no_key_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n")
    with pytest.raises(ValueError, match="key holds no key; remove it"):
        kept_key(tmp_path / "key")
