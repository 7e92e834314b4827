"""The first page: who leads each board, the three findings side by side and never in one number."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.catalogue.problem import Problem
from evaluation.core.verdict import Target
from leaderboard.ranking import Provenance
from leaderboard.selectors import RecordRow, record_rows
from leaderboard.selectors.leaders import Leader, leaders
from leaderboard.selectors.revisions import revision_of_all
from leaderboard.standing import BoardKind
from leaderboard.views.answers import page, text_etag
from leaderboard.views.asked import DEFAULT_TURNS
from leaderboard.views.site import Site

RECORDS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class LeadersOfProblem:
    """Who leads at one problem or suite; the speed boards of several devices stand beneath each other."""

    name: str
    is_suite: bool
    title: str
    correctness: tuple[Leader, ...]
    instruction: tuple[Leader, ...]
    speed: tuple[Leader, ...]


@dataclass(frozen=True, slots=True)
class LeadersOfTarget:
    target: Target
    places: tuple[LeadersOfProblem, ...] = field(default=())


@require_safe
def home(request: HttpRequest, *, site: Site) -> HttpResponse:
    def tag() -> str:
        return text_etag(site.release, request.path, revision_of_all())

    return site.kept.answer(request, tag, lambda etag: _made(request, etag, site))


def _made(request: HttpRequest, etag: str, site: Site) -> HttpResponse:
    verified, paper = shown_leaders(site)
    context = {
        "verified": verified,
        "paper": paper,
        "records": new_records(),
        "turns": DEFAULT_TURNS,
    }
    return page(request, "leaderboard/home.html", context, etag=etag)


def shown_leaders(site: Site) -> tuple[list[LeadersOfTarget], list[LeadersOfTarget]]:
    """Those of verified values and those of publications; two queries."""
    verified, paper = leaders(Provenance.VERIFIED, Provenance.PAPER, turn_limit=DEFAULT_TURNS)
    return leaders_by_target(verified, site.problems), leaders_by_target(paper, site.problems)


def new_records() -> tuple[RecordRow, ...]:
    return record_rows(most=RECORDS_SHOWN)


def leaders_in_order(groups: Iterable[LeadersOfTarget]) -> Iterator[Leader]:
    """As they are read: row by row, in each from left to right."""
    for group in groups:
        for place in group.places:
            yield from (*place.correctness, *place.instruction, *place.speed)


def leaders_at(found: Iterable[Leader], problems: Iterable[Problem]) -> list[LeadersOfProblem]:
    """Leaders gathered by suite and problem: suites first, problems in the order of the catalogue."""
    titles = {one.name: one.title for one in problems}
    places: dict[tuple[str, str], list[Leader]] = {}
    for one in found:
        places.setdefault((one.board.suite, one.board.problem), []).append(one)
    order = {name: number for number, name in enumerate(titles)}
    return [
        LeadersOfProblem(
            name=suite or problem,
            is_suite=bool(suite),
            title=f"Whole suite “{suite}”" if suite else titles.get(problem, problem),
            correctness=_of_kind(there, BoardKind.CORRECTNESS),
            instruction=_of_kind(there, BoardKind.INSTRUCTION),
            speed=_of_kind(there, BoardKind.SPEED),
        )
        for (suite, problem), there in sorted(
            places.items(), key=lambda item: (not item[0][0], order.get(item[0][1], len(order)))
        )
    ]


def _of_kind(found: Iterable[Leader], kind: BoardKind) -> tuple[Leader, ...]:
    return tuple(one for one in found if one.board.kind is kind)


def leaders_by_target(
    found: tuple[Leader, ...], problems: Iterable[Problem]
) -> list[LeadersOfTarget]:
    """Leaders of one target after the other, since values of two are not comparable."""
    problems = tuple(problems)
    by_target = (
        (target, [one for one in found if one.board.target == target]) for target in Target
    )
    return [
        LeadersOfTarget(target, tuple(leaders_at(there, problems)))
        for target, there in by_target
        if there
    ]
