from datetime import UTC, datetime

from leaderboard.projection.records import Claim, records
from leaderboard.standing import Advance, BoardKey


def claim(subject: str, hour: int, ratio: float) -> Claim:
    at = datetime(2026, 11, 30, hour, tzinfo=UTC)
    return Claim(subject, 1, Advance(at, ratio, ratio, ratio, f"run-{subject}", "k"))


def told(*claims: Claim) -> list[tuple[str, float, float | None]]:
    found = [(one.claim.subject, one.claim.advance.ratio, one.before) for one in records(claims)]
    assert list(records(claims[::-1])) == list(records(claims))
    return found


def test_a_record_beats_everything_before_it() -> None:
    assert told(claim("a", 1, 0.5), claim("b", 3, 0.4), claim("c", 2, 0.7), claim("a", 4, 0.9)) == [
        ("a", 0.5, None),
        ("c", 0.7, 0.5),
        ("a", 0.9, 0.7),
    ]


def test_an_equal_ratio_beats_nothing() -> None:
    assert told(claim("b", 2, 0.5), claim("a", 1, 0.5)) == [("a", 0.5, None)]


def test_of_two_at_the_same_time_the_better_one_is_the_record() -> None:
    assert told(claim("a", 1, 0.5), claim("b", 1, 0.6)) == [("b", 0.6, None)]


def test_no_claims_are_no_records() -> None:
    assert told() == []


def test_a_board_is_named_by_what_it_is_of() -> None:
    key = BoardKey(
        kind="speed",
        target="hopper",
        device="h100-sxm",
        problem="",
        suite="paper",
        problem_version=0,
        language="cuda",
        judge="",
    )
    assert key.slug == "speed-h100-sxm-suite-paper-cuda-unverified"
