"""Whatever happened in which order: what refreshes left is what a rebuild makes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import judged_rows as rows
from django.db.models import QuerySet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from judged_rows import AT, LATER, PAPER_SUITE

from evaluation.models import Entry, Hold, Model, Run, Turn
from leaderboard.models import Board, Projected, RecordEvent, Standing
from leaderboard.projection import rebuild, refresh, refresh_due, refresh_kernels, refresh_models

Draw = Callable[[st.SearchStrategy[Any]], Any]
WORDS = st.lists(st.text("pf-ohsamn", min_size=1, max_size=2), min_size=1, max_size=6)
RATIOS = st.sampled_from([0.25, 0.5, 0.75, 1.25])
DEVICES = st.sampled_from(["h200", "h100-sxm"])
JUDGES = st.sampled_from(["1", "2"])


def one_of(draw: Draw, rows_of: QuerySet[Any]) -> Any:
    return draw(st.sampled_from(list(rows_of.order_by("pk"))))


def turns() -> QuerySet[Turn]:
    return Turn.objects.exclude(kernel=None)


def hand_in(draw: Draw) -> None:
    words = draw(WORDS)
    single = len(words) == 1 and len(words[0]) == 1 and draw(st.booleans())
    named: dict[str, Any] = (
        {"proposed_model": "Mine"}
        if draw(st.booleans())
        else {"model": one_of(draw, Model.objects.all())}
    )
    whole = {"visibility": draw(st.sampled_from(["public", "private"])), "single_kernel": single}
    entry = rows.entry(words, **whole | named)
    for problem in draw(st.lists(st.sampled_from(PAPER_SUITE), min_size=1, unique=True)):
        rows.add_turns(entry, words, problem, ratio=draw(RATIOS), device=draw(DEVICES))
    for turn in Turn.objects.filter(trajectory__entry=entry).order_by("pk")[:2]:
        rows.reported(turn, correct=draw(st.none() | st.booleans()), speedup=draw(RATIOS))
    refresh([entry.pk], at=AT)


def judge_again(draw: Draw) -> None:
    turn = one_of(draw, turns())
    letter = draw(st.sampled_from("pf-ao"))
    run = Run.objects.filter(kernel=turn.kernel, finished_at=None)
    if letter == "o" and run.exists():
        return
    if draw(st.booleans()):  # the one that waits ends
        run.update(state="cancelled", finished_at=LATER)
    ends = {} if letter == "o" else {"finished_at": AT + timedelta(minutes=draw(st.integers(0, 9)))}
    speed = {"ratio": draw(RATIOS)} if letter in "pf" else {}
    device = {} if letter in "oa" else {"device": draw(DEVICES)}
    columns = {"judge": draw(JUDGES), "applied": draw(st.booleans()), "shared": draw(st.booleans())}
    rows.run(turn, letter, **columns | ends | speed | device)
    refresh_kernels([turn.kernel_id], at=AT)


def apply_all(draw: Draw) -> None:
    turn = one_of(draw, turns())
    Run.objects.filter(kernel=turn.kernel).update(applied=True)
    refresh_kernels([turn.kernel_id], at=AT)


def hold_or_decide(draw: Draw) -> None:
    turn = one_of(draw, turns())
    decided = {"decided_at": AT, "decided_by": "zoe"}
    there = Hold.objects.acting().filter(kernel=turn.kernel, problem=turn.trajectory.problem)
    if not there.exists():
        rows.hold(turn)
    elif draw(st.booleans()):
        there.update(state="cleared", **decided)
    else:
        there.update(state="struck", **decided)
    refresh_kernels([turn.kernel_id], at=AT)


def show_or_hide(draw: Draw) -> None:
    entry = one_of(draw, Entry.objects.all())
    visibility = draw(st.sampled_from(["public", "private", "embargoed"]))
    until = AT + timedelta(hours=draw(st.integers(-1, 3))) if visibility == "embargoed" else None
    Entry.objects.filter(pk=entry.pk).update(visibility=visibility, embargo_until=until)
    refresh([entry.pk], at=AT)


def withdraw(draw: Draw) -> None:
    entry = one_of(draw, Entry.objects.all())
    Entry.objects.filter(pk=entry.pk).update(withdrawn_at=AT, withdrawn_reason="A mistake.")
    refresh([entry.pk], at=AT)


def accept(draw: Draw) -> None:
    entry = one_of(draw, Entry.objects.all())
    Entry.objects.filter(pk=entry.pk, model=None).update(model=one_of(draw, Model.objects.all()))
    refresh([entry.pk], at=AT)


def list_or_not(draw: Draw) -> None:
    model = one_of(draw, Model.objects.all())
    Model.objects.filter(pk=model.pk).update(accepted_at=draw(st.sampled_from([None, AT])))
    refresh_models([model.pk], at=AT)


NEED_TURNS = (judge_again, apply_all, hold_or_decide)
EVENTS = (
    hand_in,
    hand_in,
    *NEED_TURNS,
    *NEED_TURNS,
    show_or_hide,
    withdraw,
    accept,
    list_or_not,
)


class Histories(TestCase):
    @settings(
        max_examples=40,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(st.data())
    def test_refreshing_event_by_event_ends_where_a_rebuild_does(self, data: st.DataObject) -> None:
        rows.model()
        rows.model(accepted_at=None)
        hand_in(data.draw)
        for _ in range(data.draw(st.integers(1, 8))):
            event = data.draw(st.sampled_from(EVENTS))
            if event not in NEED_TURNS or turns().exists():
                event(data.draw)
        refresh_due(at=LATER)
        left = rows.everything()
        done = rebuild(at=LATER)
        assert (done.boards, done.added, done.removed) == (0, 0, 0)
        RecordEvent.objects.all().delete()
        Standing.objects.all().delete()
        Board.objects.all().delete()
        Projected.objects.all().delete()
        rebuild(at=LATER)
        assert rows.everything() == left
