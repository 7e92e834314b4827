"""A rebuild that ends before its end leaves boards that can be read, and the next one finishes them."""

import gc

import judged_rows as rows
import pytest
from judged_rows import AT, GEMM

from evaluation.models import Run
from leaderboard.models import Standing
from leaderboard.projection import batches, rebuild, refreshing
from leaderboard.projection.past import Scope
from leaderboard.projection.refreshing import packaged_scope

LAST = "mha_bwd_d128"
WORDS = ["p---"] * 5


class Killed(Exception):
    pass


class CutOff(Scope):
    """A catalogue that ends the process where it is asked for the last entry's problem."""

    def has(self, problem: str, version: int) -> bool:
        if problem == LAST:
            raise Killed
        return super().has(problem, version)


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries are read and written one after the other, as if each had as many turns as are read at once."""
    monkeypatch.setattr(batches, "TURNS_AT_ONCE", 1)
    monkeypatch.setattr(refreshing, "ROWS_AT_ONCE", 1)


def cut_off_rebuild() -> None:
    usual = packaged_scope()
    scope = CutOff(usual.versions, usual.ranked, usual.suites, usual.devices, usual.judge)
    with pytest.raises(Killed):
        rebuild(at=AT, scope=scope)


def ranked(problem: str) -> list[tuple[float | None, int, int | None]]:
    speed = Standing.objects.filter(board__kind="speed", board__problem=problem, turn_limit=4)
    return list(speed.order_by("position").values_list("value", "position", "rank_low"))


@pytest.mark.django_db
@pytest.mark.usefixtures("one_by_one")
def test_entries_that_were_written_are_new_and_ranked_and_others_as_they_were() -> None:
    first, _, last = rows.judged(WORDS), rows.judged(WORDS), rows.judged(WORDS, LAST)
    rebuild(at=AT)
    for entry in (first, last):
        new = {"ratio": 0.75, "ratio_low": 0.7, "ratio_high": 0.8}
        Run.objects.filter(kernel__turns__trajectory__entry=entry, correct="yes").update(**new)
    cut_off_rebuild()
    assert ranked(GEMM) == [(0.75, 1, 1), (0.5, 2, 2)]
    assert ranked(LAST) == [(0.5, 1, 1)]
    done = rebuild(at=AT)
    assert (done.entries, done.added) == (3, 2)  # T = 1 and 4 of the last on its speed board
    assert ranked(LAST) == [(0.75, 1, 1)]


@pytest.mark.django_db
@pytest.mark.usefixtures("one_by_one")
def test_entries_written_one_by_one_end_where_all_at_once_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for place in range(4):
        rows.judged(["p-f-", "-p--", "----", "f---", "h---"], ratio=(1 + place % 3) / 8)
    rebuild(at=AT)
    one_by_one = rows.everything()
    monkeypatch.undo()
    Standing.objects.all().delete()
    rebuild(at=AT)
    assert rows.everything() == one_by_one
    assert len(one_by_one[0]) == 4 * 2 * 3  # T = 1 and 4 on three boards


@pytest.mark.django_db
def test_the_garbage_collector_works_again_after_a_rebuild_however_it_ended() -> None:
    rows.judged(WORDS, LAST)
    assert gc.isenabled()
    cut_off_rebuild()
    assert gc.isenabled()
    rebuild(at=AT)
    assert gc.isenabled()
