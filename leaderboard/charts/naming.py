"""What series and rows are called, so that a name means the same in every chart."""

import re
import textwrap
from collections.abc import Iterable, Mapping

from django.urls import reverse

from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead, BoardRow, PlacedRow
from leaderboard.standing import BoardKind, series_age
from leaderboard.templatetags.figures import product, shown, visible

NAME_CHARACTERS = 40
HARNESS_CHARACTERS = 24
LINE_CHARACTERS = 60  # of what is said beside a point: a longer line leaves the picture
_WORD_END = re.compile(r"(?<=\w)[^\w.]+")  # a full stop stands within numbers of versions


def who(row: BoardRow) -> str:
    """The model, cut."""
    return cut_at_word(row.model_name or "unnamed", NAME_CHARACTERS)


def whole_name(model_name: str) -> str:
    """The model for tables and for what is said beside a point, as long as such names may be."""
    return shown(model_name or "unnamed")


def cut_at_word(name: str, most: int) -> str:
    """A name that somebody gave, of at most ``most`` characters: cut where a word ends, unless half is lost by that."""
    line = " ".join(name.split())
    if len(line) <= most:
        return visible(line)
    ends = [one.start() for one in _WORD_END.finditer(line[:most])]
    end = ends[-1] if ends and 2 * ends[-1] >= most else most - 1
    return f"{visible(line[:end])}…"


def in_lines(text: str) -> str:
    """What is said beside a point, each of its lines of at most LINE_CHARACTERS."""
    lines = (textwrap.wrap(one, LINE_CHARACTERS) or [""] for one in text.split("\n"))
    return "\n".join(part for line in lines for part in line)


def which_entry(row: BoardRow, most: int = HARNESS_CHARACTERS) -> str:
    """What tells entries of one model apart: the harness, and the beginning of the entry's number."""
    harness = cut_at_word(row.harness, most) if row.harness else "entry"
    # Of a verified row it is no device that anything was measured on, but what tells two of its entry apart.
    how = "handed in for" if row.provenance is Provenance.VERIFIED else "reported on"
    device = f", {how} {product(row.reported_device)}" if row.reported_device else ""
    return f"{harness} {row.entry_uid[:6]}{device}"


def evidence_of(row: BoardRow) -> str:
    """Where a row's best value can be looked at: its kernel, else its entry, else the page of published values."""
    if row.best and row.best.kernel:
        return reverse("kernel", args=[row.best.kernel])
    if row.entry_uid:
        return reverse("entry", args=[row.entry_uid])
    return reverse("published")


def place_of(board: BoardHead, titles: Mapping[str, str]) -> str:
    if board.suite:
        return f"whole suite “{board.suite}”"
    return titles.get(board.problem, board.problem)


def devices_of(row: BoardRow) -> str:
    """Where we measured; of values that are not ours, where others say that they did."""
    if row.provenance is Provenance.VERIFIED:
        return ", ".join(product(one) for one in measured_on(row)) or "not measured"
    return product(row.reported_device) if row.reported_device else "no device"


def measured_on(row: BoardRow) -> tuple[str, ...]:
    """The devices behind a row’s values; none of a row whose kernels never ran, whatever its board or upload says."""
    if row.kind is BoardKind.SPEED and row.value is None:
        return ()  # its board is of a device, on which nothing was timed
    return row.devices


def short_place_of(board: BoardHead) -> str:
    """For legends, which have little room: the problem's name instead of its title."""
    return f"suite {board.suite}" if board.suite else board.problem


def newest(cells: Iterable[PlacedRow]) -> tuple[PlacedRow, ...]:
    """Leave out boards of an older problem version or judge series than the newest one there."""
    kept = tuple(cells)
    latest: dict[tuple[str, ...], tuple[int, int, str]] = {}
    for one in kept:
        key = _question(one.board)
        latest[key] = max(latest.get(key, (0, 0, "")), _age(one.board))
    return tuple(one for one in kept if _age(one.board) == latest[_question(one.board)])


def _question(board: BoardHead) -> tuple[str, ...]:
    # Boards without a judge series are of another provenance, and have their own newest.
    verified = "verified" if board.judge else ""
    return (
        *(board.kind, board.target, board.device, board.problem),
        *(board.suite, board.language, verified),
    )


def _age(board: BoardHead) -> tuple[int, int, str]:
    return series_age(board.problem_version, board.judge)
