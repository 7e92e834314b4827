"""The database refuses rows of boards that no projection may write."""

from typing import Any

import judged_rows as rows
import pytest
from django.db import IntegrityError, transaction
from judged_rows import AT, GEMM

from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"kind": "overall"}, id="a-kind-that-is-no-word"),
        pytest.param({"kind": "speed"}, id="speed-without-a-device"),
        pytest.param({"device": "h200"}, id="correctness-with-a-device"),
        pytest.param({"suite": "paper"}, id="a-problem-and-a-suite"),
        pytest.param({"problem": ""}, id="neither-problem-nor-suite"),
        pytest.param({"target": "volta"}, id="a-target-that-is-no-word"),
    ],
)
def test_a_board_is_of_one_question(columns: dict[str, Any]) -> None:
    whole: dict[str, Any] = {
        "kind": "correctness",
        "target": "hopper",
        "problem": GEMM,
        "problem_version": 1,
        "language": "cuda",
        "judge": "1",
    }
    Board.objects.create(slug="right", **whole | {"problem_version": 2})
    with pytest.raises(IntegrityError), transaction.atomic():
        Board.objects.create(slug="wrong", **whole | columns)


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"rank_low": None, "rank_high": None}, id="neither-rank-nor-reason"),
        pytest.param({"unranked_why": "few_trajectories"}, id="rank-and-reason"),
        pytest.param({"unranked_why": "bad_luck"}, id="a-reason-that-is-no-word"),
        pytest.param({"rank_low": 2, "rank_high": 1}, id="ranks-the-wrong-way-round"),
        pytest.param({"high": None}, id="half-an-interval"),
        pytest.param({"low": None, "high": None}, id="ranked-without-an-interval"),
        pytest.param({"low": 0.9}, id="an-interval-beside-its-value"),
        pytest.param({"provenance": "reported"}, id="ranked-by-an-uploads-word"),
        pytest.param({"provenance": "paper"}, id="ranked-by-a-publication"),
        pytest.param({"model": None}, id="ranked-without-a-model"),
        pytest.param({"open": 99}, id="more-open-than-counted"),
        pytest.param({"hits": 99}, id="more-hits-than-counted"),
        pytest.param({"counted": 99}, id="more-counted-than-declared"),
        pytest.param({"position": 0}, id="a-place-before-the-first"),
    ],
)
def test_a_standing_is_whole(columns: dict[str, Any]) -> None:
    rows.judged(["p---"] * 5)
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    with pytest.raises(IntegrityError), transaction.atomic():
        Standing.objects.filter(pk=one.pk).update(**columns)


def test_a_subject_has_one_row_a_board_turn_limit_and_provenance() -> None:
    rows.judged(["p---"] * 5)
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    one.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        one.save(force_insert=True)


def test_a_record_beats_what_was_before_it() -> None:
    rows.judged(["p"], single_kernel=True, ratio=0.5)
    rebuild(at=AT)
    with pytest.raises(IntegrityError), transaction.atomic():
        RecordEvent.objects.update(before=0.5)
