"""Reports that overtake each other, or come twice, end a half as those that come in order do."""

import itertools
import random

import pytest
from dispatch_doubles import ACCEPTED, CHECKED, Site, half, policy, prepared
from test_hearing import attempt_of, run_of, sent_measure, sent_prepare

from evaluation.core.messages import HalfFinished
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage, Verdict

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("order", list(itertools.permutations(range(5))), ids=str)
def test_a_measure_half_ends_the_same_in_every_order(order: tuple[int, ...]) -> None:
    """Started, three reports and the end: 120 orders."""
    site = Site()
    sent = sent_measure(site)
    messages = half(sent, ACCEPTED)
    for before, place in enumerate(order):
        assert run_of(sent).verdict == "", before
        site.hear(messages[place])
        if set(order[: before + 1]) >= {1, 2, 3, 4}:
            break
    run = run_of(sent)
    assert (run.state, run.verdict, run.ratio, run.coverage) == (
        "finished",
        "accepted",
        0.7621,
        0.97,
    )
    assert attempt_of(sent).state == "done"


def test_a_prepare_half_ends_the_same_in_many_orders_with_every_message_twice() -> None:
    orders = random.Random(4)  # noqa: S311 (orders, no secrets)
    for _ in range(40):
        site = Site()
        sent = sent_prepare(site)
        messages = half(sent, prepared(site.store)) * 2
        orders.shuffle(messages)
        site.hear_all(messages)
        run = run_of(sent)
        assert (run.state, run.failures, attempt_of(sent).state) == ("ready", 0, "done")
        type(run).objects.filter(pk=run.pk).update(state="cancelled", finished_at=site.at)


def test_an_end_alone_changes_nothing_and_waits_for_every_report() -> None:
    site = Site()
    sent = sent_prepare(site)
    messages = half(sent, prepared(site.store))
    for message in (messages[-1], messages[1], messages[4], messages[2]):
        site.hear(message)
        assert run_of(sent).state == "preparing"
    site.hear(messages[3])
    assert run_of(sent).state == "ready"


@pytest.mark.parametrize("last", ["the report", "the end"])
def test_an_end_that_its_reports_contradict_is_our_failure_whichever_comes_last(last: str) -> None:
    site = Site()
    sent = sent_measure(site)
    wrong = StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT)
    started, report, end = half(sent, (wrong,))
    assert isinstance(end, HalfFinished)
    lie = HalfFinished(end.versions, end.attempt, end.worker, Verdict.ACCEPTED, (), 1.0)
    site.hear_all([started, lie, report] if last == "the report" else [started, report, lie])
    run = run_of(sent)
    assert (run.state, run.verdict, run.failures) == ("ready", "", 1)


def test_a_report_behind_a_verdict_is_our_failure() -> None:
    site = Site()
    sent = sent_prepare(site)
    rejected = policy(Verdict.POLICY_REJECTED)
    site.hear_all(half(sent, (rejected, StageReport(Stage.BUILD, "compiles")))[1:3])
    end = half(sent, (rejected,))[-1]
    site.hear(end)
    assert (run_of(sent).state, run_of(sent).failures) == ("waiting", 1)


def test_artifacts_that_no_report_named_are_our_failure() -> None:
    site = Site()
    sent = sent_measure(site)
    messages = half(sent, (CHECKED, *ACCEPTED[1:]))
    end = messages[-1]
    assert isinstance(end, HalfFinished)
    lie = HalfFinished(end.versions, end.attempt, end.worker, end.verdict, (), end.seconds)
    site.hear_all([*messages[:-1], lie])
    assert (run_of(sent).state, run_of(sent).failures) == ("ready", 1)
