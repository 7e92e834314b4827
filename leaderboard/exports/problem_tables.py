"""What pages of problems show as tables to save."""

from collections.abc import Sequence

from evaluation.core.catalogue.problem import Problem
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table


def problems_table(problems: Sequence[Problem], *, origin: str, page: str) -> Table[Problem]:
    columns: list[Column[Problem]] = [
        Column("suite", lambda one: one.suite),
        Column("ranked", lambda one: one.ranked),
        Column("title", lambda one: one.title),
        Column("problem", lambda one: one.name),
        address_column(origin, "problem_url", "problem", lambda one: one.name),
        Column("kind", lambda one: one.kind.value),
        Column("targets", lambda one: " ".join(one.targets)),
        Column("version", lambda one: one.version),
    ]
    return Table("problems", {"page": page}, columns, problems)
