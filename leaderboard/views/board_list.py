"""The boards of the site in lines: a question a line, a number for each provenance, and none for two boards."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlencode

from evaluation.core.verdict import Target
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead
from leaderboard.selectors.listed_boards import BoardCount
from leaderboard.standing import BoardKind, series_age
from leaderboard.templatetags.addresses import board_address

MOST_LINES = 200  # of one kind, so that the page stays one to read whatever was imported


@dataclass(frozen=True, slots=True)
class CountCell:
    """How many rows a board has; ``address`` is empty for a device whose name is no part of an address."""

    count: BoardCount
    address: str


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One question. ``cells`` are its newest boards, one a provenance in their order, None where nothing stands.

    ``older`` are boards of earlier problem versions and judge series, which are never ranked with the newest.
    """

    board: BoardHead
    cells: tuple[CountCell | None, ...]
    older: tuple[CountCell, ...]


@dataclass(frozen=True, slots=True)
class PlaceOfBoards:
    """The lines of one device, or of one target where ``device`` is empty; ``address`` as that of a cell."""

    target: str
    device: str
    address: str
    lines: tuple[BoardLine, ...]


@dataclass(frozen=True, slots=True)
class KindOfBoards:
    """At most MOST_LINES of the ``total`` questions of one kind, those with values that we verified before others."""

    kind: BoardKind
    lines: tuple[BoardLine, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.lines)

    @property
    def has_older(self) -> bool:
        return any(one.older for one in self.lines)

    @property
    def places(self) -> tuple[PlaceOfBoards, ...]:
        groups = groupby(self.lines, key=lambda one: (one.board.target, one.board.device))
        return tuple(_place_of(tuple(lines)) for _, lines in groups)


def kinds_of_boards(
    counts: Iterable[BoardCount], *, problems: Sequence[str]
) -> tuple[KindOfBoards, ...]:
    """All three kinds, also one without a board. ``problems`` are names in the order in which they are shown."""
    questions: defaultdict[tuple[str, ...], list[BoardCount]] = defaultdict(list)
    for one in counts:
        questions[_question(one.board)].append(one)
    lines = [_line(some) for some in questions.values()]
    order = {name: number for number, name in enumerate(problems)}
    return tuple(
        _kind(kind, [one for one in lines if one.board.kind is kind], order) for kind in BoardKind
    )


def in_order(counts: Iterable[BoardCount], *, problems: Sequence[str]) -> list[BoardCount]:
    """As the page has them, the newest board of each question before older ones."""
    order = {name: number for number, name in enumerate(problems)}
    kinds, provenances = list(BoardKind), list(Provenance)
    newest_first = sorted(counts, key=_age, reverse=True)
    return sorted(
        newest_first,
        key=lambda one: (
            kinds.index(one.board.kind),
            *_place(one.board, order),
            provenances.index(one.provenance),
        ),
    )


def count_address(one: BoardCount, *, is_newest: bool) -> str:
    """The page that shows these rows."""
    address = board_address(one.board, one.provenance)
    if is_newest or not address:
        return address
    words = {"version": str(one.board.problem_version or ""), "judge": one.board.judge}
    series = urlencode({name: word for name, word in words.items() if word})
    return f"{address}{'&' if '?' in address else '?'}{series}" if series else address


def newest_of(counts: Iterable[BoardCount]) -> frozenset[tuple[str, Provenance]]:
    """The slug and provenance of the newest board at each question."""
    found: dict[tuple[object, ...], BoardCount] = {}
    for one in counts:
        key = (_question(one.board), one.provenance)
        if key not in found or _age(one) > _age(found[key]):
            found[key] = one
    return frozenset((one.board.slug, one.provenance) for one in found.values())


def _kind(kind: BoardKind, lines: Sequence[BoardLine], order: Mapping[str, int]) -> KindOfBoards:
    # Boards with nothing but what uploads say of themselves give way first.
    ours_first = sorted(lines, key=lambda one: (one.cells[0] is None, one.cells[2] is None))
    kept = sorted(ours_first[:MOST_LINES], key=lambda one: _place(one.board, order))
    return KindOfBoards(kind, tuple(kept), len(lines))


def _place_of(lines: tuple[BoardLine, ...]) -> PlaceOfBoards:
    board = lines[0].board
    address = board_address(board).partition("?")[0]
    return PlaceOfBoards(board.target, board.device, address, lines)


def _line(counts: Sequence[BoardCount]) -> BoardLine:
    newest = newest_of(counts)
    ordered = sorted(counts, key=_age, reverse=True)
    tops = {one.provenance: one for one in ordered if (one.board.slug, one.provenance) in newest}
    return BoardLine(
        ordered[0].board,
        tuple(_cell(tops[one], is_newest=True) if one in tops else None for one in Provenance),
        tuple(
            _cell(one, is_newest=False)
            for one in ordered
            if (one.board.slug, one.provenance) not in newest
        ),
    )


def _cell(one: BoardCount, *, is_newest: bool) -> CountCell:
    return CountCell(one, count_address(one, is_newest=is_newest))


def _question(board: BoardHead) -> tuple[str, ...]:
    return (board.kind, board.target, board.device, board.problem, board.suite, board.language)


def _place(board: BoardHead, order: Mapping[str, int]) -> tuple[object, ...]:
    """Targets in the order of the site, and whole suites before their problems."""
    at = order.get(board.problem, len(order))
    target = list(Target).index(Target(board.target))
    suite_first = (not board.suite, board.suite, at, board.problem, board.language)
    return (target, board.device, *suite_first)


def _age(one: BoardCount) -> tuple[int, int, str]:
    return series_age(one.board.problem_version, one.board.judge)
