"""The records of a speed board: what beat everything before it, out of what stands there now."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.standing import Advance


@dataclass(frozen=True, slots=True)
class Claim:
    """An advance of one subject, which may be a record of the board."""

    subject: str
    entry_id: int
    advance: Advance


@dataclass(frozen=True, slots=True)
class Record:
    """``before`` is the ratio that stood until then, None for the first of a board."""

    claim: Claim
    before: float | None


def records(claims: Iterable[Claim]) -> tuple[Record, ...]:
    """Give the records in the order of time; equal ratios do not beat each other."""
    found: list[Record] = []
    ordered = sorted(claims, key=lambda one: (one.advance.at, -one.advance.ratio, one.subject))
    for one in ordered:
        before = found[-1].claim.advance.ratio if found else None
        if before is None or one.advance.ratio > before:
            found.append(Record(one, before))
    return tuple(found)
