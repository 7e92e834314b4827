"""What there is where an address names something that is not there: links to choose from."""

from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from evaluation.core.verdict import Target
from leaderboard.selectors.listed_boards import devices_with_boards
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import is_part_of_an_address
from leaderboard.templatetags.figures import product, shown
from leaderboard.views.answers import Instead, refused
from leaderboard.views.site import Site

LONGEST_NAME = 80
_OF_A_TARGET = {
    BoardKind.CORRECTNESS: "correctness_board",
    BoardKind.INSTRUCTION: "instruction_board",
}
_OF_ONE_PLACE = frozenset({"problem", "suite", "version", "judge", "start", "part"})


def no_board(request: HttpRequest, kind: BoardKind, place: str, site: Site) -> HttpResponse:
    """Say that there is no such device or target, and link to the boards of those that there are."""
    if kind is BoardKind.SPEED:
        return refused(
            request,
            f"There is no device “{shown(place, LONGEST_NAME)}”.",
            status=404,
            instead=_devices(site.device_names, devices_with_boards()),
        )
    targets = [Instead(one.title(), reverse(_OF_A_TARGET[kind], args=[one])) for one in Target]
    sentence = f"There is no target “{shown(place, LONGEST_NAME)}”."
    return refused(request, sentence, status=404, instead=targets)


def no_problem(request: HttpRequest, name: str, site: Site) -> HttpResponse:
    """Say that there is no such problem, and link to the pages of those that there are."""
    return refused(
        request,
        f"There is no problem “{shown(name, LONGEST_NAME)}”.",
        status=404,
        instead=[
            Instead(one.name, reverse("problem", args=[one.name]), one.title)
            for one in site.problems
        ],
    )


def with_another(given: Mapping[str, str], filter_name: str, words: Iterable[str]) -> list[Instead]:
    """The same question about each of ``words``, as far as it can be asked of another place."""
    kept = {name: word for name, word in given.items() if name not in _OF_ONE_PLACE}
    return [Instead(one, "?" + urlencode({filter_name: one, **kept})) for one in words]


def _devices(known: Iterable[str], with_rows: Collection[str]) -> list[Instead]:
    """Those with rows first; others have a page that says what would fill it."""
    ordered = sorted({*known, *with_rows}, key=lambda one: (one not in with_rows, one))
    return [
        Instead(
            product(one),
            reverse("speed_board", args=[one]),
            "" if one in with_rows else "no row yet",
        )
        for one in ordered
        if is_part_of_an_address(one)
    ]
