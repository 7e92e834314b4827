"""What pages of problems show as tables to save."""

from collections.abc import Collection, Sequence

from evaluation.core.catalogue.problem import Problem
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table, columns_of


def problems_table(
    problems: Sequence[Problem],
    *,
    origin: str,
    page: str,
    shown: Collection[str] | None = None,
) -> Table[Problem]:
    """``shown`` are the columns of the page; all where it is None."""
    parts: dict[str, tuple[Column[Problem], ...]] = {
        "title": (
            Column("suite", lambda one: one.suite),
            Column("ranked", lambda one: one.ranked),
            Column("title", lambda one: one.title),
            address_column(origin, "problem_url", "problem", lambda one: one.name),
        ),
        "name": (Column("problem", lambda one: one.name),),
        "kind": (Column("kind", lambda one: one.kind.value),),
        "targets": (Column("targets", lambda one: " ".join(one.targets)),),
        "version": (Column("version", lambda one: one.version),),
    }
    return Table("problems", {"page": page}, columns_of(parts, shown), problems)
