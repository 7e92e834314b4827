"""Whose run is next, by hand."""

from dispatch_doubles import later

from portal.dispatch.fair_share import OwnerLine, next_owner


def next_of(lines: list[OwnerLine], **used: float) -> str:
    found = next_owner(lines, used)
    assert found is not None
    return found.owner


def test_nobody_is_next_where_nobody_waits() -> None:
    assert next_owner([], {}) is None


def test_an_owner_of_one_run_does_not_wait_behind_the_thousand_of_another() -> None:
    """Alice has had 40 s, Bob nothing, though Alice came first."""
    lines = [OwnerLine("alice", 0, later(0)), OwnerLine("bob", 0, later(500))]
    assert next_of(lines, alice=40.0) == "bob"


def test_between_owners_who_had_the_same_the_one_who_waits_longer_is_next() -> None:
    lines = [OwnerLine("alice", 0, later(5)), OwnerLine("bob", 0, later(4))]
    assert next_of(lines, alice=7.5, bob=7.5) == "bob"


def test_a_higher_priority_goes_before_any_share() -> None:
    lines = [OwnerLine("alice", 0, later(0)), OwnerLine("bob", 1, later(9))]
    assert next_of(lines, bob=3600.0) == "bob"


def test_four_turns_are_shared_out_by_what_each_took() -> None:
    """Runs of Alice take 30 s, Bob's and Carol's 10 s; from 0 0 0 the turns go a b c, then b: 30 10 10."""
    lines = [OwnerLine(name, 0, later(0)) for name in ("alice", "bob", "carol")]
    costs = {"alice": 30.0, "bob": 10.0, "carol": 10.0}
    used: dict[str, float] = {}
    turns = []
    for _ in range(4):
        owner = next_of(lines, **used)
        turns.append(owner)
        used[owner] = used.get(owner, 0.0) + costs[owner]
    assert turns == ["alice", "bob", "carol", "bob"]
