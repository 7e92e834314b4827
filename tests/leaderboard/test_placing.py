"""The database places rows as leaderboard.ranking defines it."""

from uuid import UUID, uuid4

import judged_rows as rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from evaluation.models import Run
from leaderboard.estimates import Estimate, Unranked
from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild, refresh
from leaderboard.projection.placing import place
from leaderboard.ranking import Contender, rank
from leaderboard.standing import BoardKind
from leaderboard.statistics import Interval

VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75])  # few, so that ends often meet
RANKED = st.tuples(VALUES, VALUES, VALUES).map(lambda some: (*sorted(some), None))
REASONS = st.sampled_from([Unranked.PROVISIONAL, Unranked.FEW_TRAJECTORIES])
UNRANKED = st.tuples(st.none(), st.none() | VALUES, st.none(), REASONS)
KEYS = st.lists(st.text("aB-:0", min_size=1, max_size=4), min_size=9, max_size=9, unique=True)
ENTRIES = st.lists(st.integers(0, 2), min_size=9, max_size=9)


def contender(
    key: str,
    entry: int,
    content: tuple[float | None, float | None, float | None, Unranked | None],
) -> Contender:
    low, value, high, why = content
    interval = Interval(low, high) if low is not None and high is not None else None
    return Contender(key, Estimate(value, interval, why), entry=entry)


class Places(TestCase):
    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(RANKED | UNRANKED, max_size=9), KEYS, ENTRIES)
    def test_every_row_has_the_place_and_the_ranks_of_the_definition(
        self,
        drawn: list[tuple[float | None, float | None, float | None, Unranked | None]],
        keys: list[str],
        entries: list[int],
    ) -> None:
        board = new_board("drawn")
        there = [rows.entry(["p"]) for _ in range(3)]
        every = dict(zip(keys, drawn, strict=False))
        of = {key: there[number] for key, number in zip(keys, entries, strict=True)}
        for key, (low, value, high, why) in every.items():
            first = (
                {"rank_low": None, "rank_high": None} if why else {"rank_low": 1, "rank_high": 1}
            )
            Standing.objects.create(
                board=board,
                subject=key,
                turn_limit=8,
                provenance="verified",
                entry=of[key],
                model=of[key].model,
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
        defined = rank(contender(key, of[key].pk, content) for key, content in every.items())
        assert list(found) == [
            (
                one.key,
                position,
                one.rank.best if one.rank else None,
                one.rank.worst if one.rank else None,
            )
            for position, one in enumerate(defined, start=1)
        ]

    def test_values_of_publications_have_no_entry_and_are_placed_by_their_names(self) -> None:
        board = new_board("printed")
        for subject in ("b", "C", "a"):
            Standing.objects.create(
                board=board,
                subject=subject,
                turn_limit=8,
                provenance="paper",
                publication="A paper",
                value=0.5,
                unranked_why="not_verified",
                position=1,
            )
        place({(board.pk, 8, "paper")})
        found = Standing.objects.order_by("position").values_list("position", "subject")
        assert list(found) == [(1, "C"), (2, "a"), (3, "b")]

    def test_a_copy_stands_behind_what_it_copies_whatever_its_name_sorts_as(self) -> None:
        uids = [UUID(int=15 << 120), UUID(int=0)]
        source = rows.judged(["p---"] * 5, ratio=0.5, uid=uids[0])
        copy = rows.entry(["p---"] * 5, uid=uids[1], owner="0b0b0b", created_at=rows.LATER)
        for trajectory in source.trajectory_rows.order_by("number"):
            turns = list(trajectory.turns.order_by("number"))
            trajectory.pk, trajectory.uid, trajectory.entry = None, uuid4(), copy
            trajectory.save()
            for turn in turns:
                turn.pk, turn.trajectory = None, trajectory
                turn.save()
        Run.objects.update(shared=True)
        rebuild(at=rows.LATER)
        for kind in BoardKind:
            found = Standing.objects.filter(board__kind=kind, turn_limit=4).order_by("position")
            assert [(one.entry_id, one.rank_low, one.rank_high) for one in found] == [
                (source.pk, 1, 2),
                (copy.pk, 1, 2),
            ], kind
        whole = rows.everything()
        refresh([copy.pk, source.pk], at=rows.LATER)
        Standing.objects.filter(entry=source).delete()
        refresh([source.pk], at=rows.LATER)
        assert rows.everything() == whole

    def test_a_rebuild_places_boards_without_a_changed_row_too_and_says_which_look_different(
        self,
    ) -> None:
        """An older version may have placed them by another rule."""
        for ratio in (0.25, 0.5, 0.75):
            rows.judged(["p---"] * 5, ratio=ratio)
        rebuild(at=rows.AT)
        whole = rows.everything()
        speed = Board.objects.get(kind="speed")
        for position, one in enumerate(
            speed.standings.filter(turn_limit=4).order_by("value"), start=1
        ):
            Standing.objects.filter(pk=one.pk).update(position=position)
        assert rows.everything() != whole
        before = dict(Board.objects.values_list("pk", "revision"))
        done = rebuild(at=rows.AT)
        assert (done.boards, done.added, done.removed) == (1, 0, 0)
        assert rows.everything() == whole
        now = dict(Board.objects.values_list("pk", "revision"))
        assert now.pop(speed.pk) > max(before.values())
        assert now.items() <= before.items()

    def test_a_rebuild_that_moves_no_row_leaves_every_revision(self) -> None:
        rows.judged(["p---"] * 5)
        rebuild(at=rows.AT)
        before = list(Board.objects.order_by("pk").values_list("pk", "revision"))
        assert rebuild(at=rows.AT).boards == 0
        assert list(Board.objects.order_by("pk").values_list("pk", "revision")) == before

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
