"""The database places rows as leaderboard.ranking defines it."""

import judged_rows as rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from leaderboard.estimates import Estimate, Unranked
from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild
from leaderboard.projection.placing import place
from leaderboard.ranking import Contender, rank
from leaderboard.statistics import Interval

VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75])  # few, so that ends often meet
RANKED = st.tuples(VALUES, VALUES, VALUES).map(lambda some: (*sorted(some), None))
REASONS = st.sampled_from([Unranked.PROVISIONAL, Unranked.FEW_TRAJECTORIES])
UNRANKED = st.tuples(st.none(), st.none() | VALUES, st.none(), REASONS)
KEYS = st.lists(st.text("aB-:0", min_size=1, max_size=4), min_size=9, max_size=9, unique=True)


def contender(
    key: str, low: float | None, value: float | None, high: float | None, why: Unranked | None
) -> Contender:
    interval = Interval(low, high) if low is not None and high is not None else None
    return Contender(key, Estimate(value, interval, why))


class Places(TestCase):
    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(RANKED | UNRANKED, max_size=9), KEYS)
    def test_every_row_has_the_place_and_the_ranks_of_the_definition(
        self,
        drawn: list[tuple[float | None, float | None, float | None, Unranked | None]],
        keys: list[str],
    ) -> None:
        board = new_board("drawn")
        entry = rows.entry(["p"])
        every = dict(zip(keys, drawn, strict=False))
        for key, (low, value, high, why) in every.items():
            first = (
                {"rank_low": None, "rank_high": None} if why else {"rank_low": 1, "rank_high": 1}
            )
            Standing.objects.create(
                board=board,
                subject=key,
                turn_limit=8,
                provenance="verified",
                entry=entry,
                model=entry.model,
                value=value,
                low=low,
                high=high,
                unranked_why=why or "",
                position=1,
                **first,
            )
        place({(board.pk, 8, "verified")})
        found = Standing.objects.order_by("position").values_list(
            "subject", "position", "rank_low", "rank_high"
        )
        defined = rank(contender(key, *content) for key, content in every.items())
        assert list(found) == [
            (
                one.key,
                position,
                one.rank.best if one.rank else None,
                one.rank.worst if one.rank else None,
            )
            for position, one in enumerate(defined, start=1)
        ]

    def test_a_row_that_goes_lets_those_behind_it_move_up(self) -> None:
        for ratio in (0.25, 0.5, 0.75):
            rows.judged(["p---"] * 5, ratio=ratio)
        rebuild(at=rows.AT)
        speed = Standing.objects.filter(board__kind="speed", turn_limit=4)
        first = speed.get(position=1)
        first.delete()
        place({(first.board_id, 4, "verified")})
        assert list(speed.order_by("position").values_list("position", "rank_low", "value")) == [
            (1, 1, 0.5),
            (2, 2, 0.25),
        ]
        other = Standing.objects.filter(board__kind="speed", turn_limit=1)
        assert list(other.order_by("position").values_list("position", flat=True)) == [1, 2, 3]


def new_board(name: str) -> Board:
    return Board.objects.create(
        kind="correctness", target="hopper", problem=name, language="cuda", judge="1", slug=name
    )
