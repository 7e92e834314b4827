"""The pages of the three boards."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from evaluation.core.entry_words import Track
from evaluation.core.verdict import Language, Target
from leaderboard.charts.fast import fast_chart
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardPage, BoardQuery, NoBoard, board_page
from leaderboard.selectors.board_order import TooManyRows
from leaderboard.selectors.board_page import MOST_ROWS
from leaderboard.selectors.elsewhere import elsewhere
from leaderboard.selectors.revisions import revision_of_place, target_of_device
from leaderboard.standing import STANDARD_FACTORS, BoardKind
from leaderboard.templatetags.files import SavedAs, saved_as
from leaderboard.views.answers import (
    page,
    redirected_to,
    refused,
    refuses_wrong_questions,
    text_etag,
)
from leaderboard.views.arrangement import in_one_way
from leaderboard.views.asked import DEFAULT_TURNS, Asked, read_question
from leaderboard.views.board_arrangement import COLUMNS, arrangement_of, sort_keys
from leaderboard.views.board_heads import choices, heads, sort_choices
from leaderboard.views.board_lines import board_lines, rate_columns
from leaderboard.views.board_table import table_body
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.instead import no_board
from leaderboard.views.site import Site


@dataclass(frozen=True, slots=True)
class Tab:
    """The same board with values of another provenance."""

    provenance: Provenance
    address: str


@require_safe
def instruction_board(request: HttpRequest, target: str, *, site: Site) -> HttpResponse:
    return _of_target(request, BoardKind.INSTRUCTION, target, site)


@require_safe
def correctness_board(request: HttpRequest, target: str, *, site: Site) -> HttpResponse:
    return _of_target(request, BoardKind.CORRECTNESS, target, site)


@require_safe
@draws_charts
def speed_board(request: HttpRequest, device: str, *, site: Site) -> HttpResponse:
    target = site.target_of(device) or target_of_device(device)
    if target is None:
        return no_board(request, BoardKind.SPEED, device, site)
    return _board(request, BoardKind.SPEED, target, device, site)


def _of_target(request: HttpRequest, kind: BoardKind, target: str, site: Site) -> HttpResponse:
    if target not in tuple(Target):
        return no_board(request, kind, target, site)
    return _board(request, kind, Target(target), "", site)


@refuses_wrong_questions
def _board(
    request: HttpRequest, kind: BoardKind, target: Target, device: str, site: Site
) -> HttpResponse:
    asked = asked_of(request, kind, target, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    query = query_of(kind, target, device, asked)

    def tag() -> str:
        revision = revision_of_place(target, asked.problem, asked.suite)
        return text_etag(site.release, request.path, asked.canonical, revision)

    return site.kept.answer(request, tag, lambda etag: _shown(request, query, asked, etag, site))


def asked_of(request: HttpRequest, kind: BoardKind, target: Target, site: Site) -> Asked:
    """What the address asks of a board. Raise WrongQuestion."""
    problems = {one.name: one.suite for one in site.problems if target in one.targets}
    is_speed = kind is BoardKind.SPEED
    query = in_one_way(request.GET, columns=COLUMNS[kind], sorts=sort_keys(kind))
    return read_question(query, problems=problems, suites=site.suites, is_speed=is_speed)


def query_of(kind: BoardKind, target: Target, device: str, asked: Asked) -> BoardQuery:
    return BoardQuery(
        kind=kind,
        target=target,
        device=device,
        problem=asked.problem,
        suite=asked.suite,
        language=asked.language,
        problem_version=asked.version,
        judge=asked.judge,
        turn_limit=asked.turns,
        provenance=asked.provenance,
        track=asked.track,
        order=arrangement_of(asked, kind).order,
    )


def _shown(
    request: HttpRequest, query: BoardQuery, asked: Asked, etag: str, site: Site
) -> HttpResponse:
    arrangement = arrangement_of(asked, query.kind)
    context = {
        "asked": asked,
        "column_choices": choices(arrangement, asked),
        "sort_choices": sort_choices(query.kind, asked),
        "kind": query.kind,
        "target": query.target,
        "device": query.device,
        "factor": asked.factor,
        "problem": site.problem(asked.problem),
        "choices": _choices(query, site),
        "turns": asked.turns,
        "provenances": [
            Tab(one, asked.other(provenance="" if one is Provenance.VERIFIED else one))
            for one in Provenance
        ],
        "canonical_query": asked.other(),
        "unsorted": asked.other(sort=""),
    }
    try:
        found = board_page(query, start=asked.start)
    except NoBoard:
        places = elsewhere(query.kind, query.target, query.device, turn_limit=DEFAULT_TURNS)
        # Boards elsewhere may fill without this one's revision: its content makes the tag.
        return page(request, "leaderboard/board.html", {**context, "elsewhere": places})
    except TooManyRows as wrong:
        return refused(request, str(wrong))
    if not found.total and asked.turn_limit is None and (limit := nearest_limit(found)):
        return redirect(f"{request.path}{asked.other(T=str(limit))}")
    columns = [one for one in rate_columns(found.rows) if one.name in arrangement.shown]
    following = asked.start + MOST_ROWS
    context |= {
        "board": found,
        "heads": heads(arrangement, columns, asked),
        "body": table_body(
            board_lines(found.rows, columns, factor=asked.factor), arrangement.shown
        ),
        "charts": drawn(
            [fast_chart(found.rows, p=asked.factor, turn_limit=asked.turns)],
            _files_of_curves(query, asked),
        ),
        "others": [one for one in found.heads if one != found.head],
        "next": asked.other(start=str(following)) if following < found.total else "",
    }
    # What has no row needs no place among the pages that are kept: there is no end of such addresses.
    return page(request, "leaderboard/board.html", context, etag=etag if found.rows else "")


def _files_of_curves(query: BoardQuery, asked: Asked) -> dict[str, SavedAs]:
    if query.kind is not BoardKind.SPEED:
        return {}
    return {"fast": saved_as("board_fast_export", asked.canonical, place=query.device)}


def nearest_limit(found: BoardPage) -> int | None:
    """The largest turn limit below the usual one that has rows, or the smallest above it."""
    below = [one for one in found.turn_limits if one < DEFAULT_TURNS]
    above = [one for one in found.turn_limits if one > DEFAULT_TURNS]
    return max(below, default=min(above, default=None))


def _choices(query: BoardQuery, site: Site) -> dict[str, object]:
    """What the form offers."""
    return {
        "suites": site.suites,
        "problems": [one for one in site.problems if query.target in one.targets],
        "languages": tuple(Language),
        "tracks": tuple(Track),
        "provenances": tuple(Provenance),
        "factors": STANDARD_FACTORS,
        "targets": tuple(Target),
        "devices": site.device_names,
    }
