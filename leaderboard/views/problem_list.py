"""The list of problems: suite by suite, in which columns and in which order."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest

from evaluation.core.catalogue.problem import Problem
from leaderboard.selectors.list_order import ListOrder, SortValue, sorted_rows
from leaderboard.views.arrangement import ListColumn, ListColumns
from leaderboard.views.list_question import ListQuestion, read_list
from leaderboard.views.site import Site

PROBLEM_COLUMNS = ListColumns(
    (
        ListColumn("title", "Problem", stands=True),
        ListColumn("name", "Name"),
        ListColumn("kind", "Kind"),
        ListColumn("targets", "Targets"),
        ListColumn("version", "Version", is_figure=True, largest_first=True),
    )
)


def problems_question(request: HttpRequest) -> ListQuestion:
    """Raise WrongQuestion."""
    return read_list(request.GET, PROBLEM_COLUMNS)


def problems_by_suite(site: Site, order: ListOrder | None) -> list[tuple[str, list[Problem]]]:
    """Each suite with its problems in the order of the catalogue or in ``order``, the suite of the paper first."""
    read: Mapping[str, Callable[[Problem], SortValue]] = {
        "title": lambda one: one.title.casefold(),
        "name": lambda one: one.name,
        "kind": lambda one: one.kind.value,
        "targets": lambda one: ", ".join(one.targets),
        "version": lambda one: one.version,
    }
    suites = sorted(
        {one.suite for one in site.problems}, key=lambda suite: (suite != "paper", suite)
    )
    return [
        (
            suite,
            list(sorted_rows((one for one in site.problems if one.suite == suite), order, read)),
        )
        for suite in suites
    ]
