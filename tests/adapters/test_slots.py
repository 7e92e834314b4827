"""Slots: what is one jail's alone on a host."""

from pathlib import Path

import pytest

from evaluation.adapters import cgroup
from evaluation.adapters.recorder import LIMITS
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.slots import Slots
from evaluation.core.ports import JailCommand


def test_jails_of_two_sets_of_slots_with_one_number_have_groups_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Under one name the jail that ended first took the other's group away before it was entered.
    names: list[str] = []
    monkeypatch.setattr(cgroup, "create", lambda name, **_: names.append(name))
    jails = [Bubblewrap((), Slots(tmp_path / each)) for each in ("one", "other")]
    command = JailCommand(("/usr/bin/true",), LIMITS)
    with jails[0].slots.take() as one, jails[1].slots.take() as other:
        assert (one.number, other.number) == (0, 0)
        with jails[0]._group(one, command), jails[1]._group(other, command):
            assert len(set(names)) == 2


def test_a_slot_has_the_same_group_each_time_so_that_one_left_behind_is_used_again(
    tmp_path: Path,
) -> None:
    slots = Slots(tmp_path / "slots", count=1)
    with slots.take() as one:
        pass
    with slots.take() as other:
        assert one.mark == other.mark
