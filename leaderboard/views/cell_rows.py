"""The rows of tables of cells as HTML: a template takes ten times as long, and a page has up to a few hundred."""

from collections.abc import Collection, Iterable, Iterator
from enum import Enum

from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.naming import devices_of
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead, PlacedRow
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import AddressesOf, EvidenceAddresses, board_address
from leaderboard.templatetags.figures import (
    beside,
    counted,
    duration,
    product,
    rank,
    ratio,
    said,
    share,
    shown,
)
from leaderboard.templatetags.rate_figures import rate_html
from leaderboard.templatetags.written import (
    BREAK,
    EMPTY,
    Html,
    cell,
    isolated,
    joined,
    link,
    small,
    span,
    text,
)

_NOT_SAID = frozenset({"", "not_verified"})  # beside each row of a table that ranks nothing


class CellLook(Enum):
    """PLAIN cells are all of one entry; those of a model say whose; of MANY series each says of which."""

    PLAIN = "plain"
    OF_MODEL = "of_model"
    MANY = "many"


def cell_rows(cells: Iterable[PlacedRow], look: CellLook, columns: Collection[str]) -> SafeString:
    """The cells of a row stand in the order of cell_columns; ``columns`` are the keys of those that are shown."""
    to = EvidenceAddresses.looked_up()
    problem = AddressesOf.kind("problem", "0-sample-0")
    rows = (
        f"<tr>{''.join(html for key, html in _cells(one, to, problem, look) if key in columns)}</tr>"
        for one in cells
    )
    return mark_safe("\n".join(rows))  # noqa: S308 (Html is escaped)


def _cells(
    one: PlacedRow, to: EvidenceAddresses, problem: AddressesOf, look: CellLook
) -> Iterator[tuple[str, Html]]:
    """Each under the key of its column."""
    row, board = one.row, one.board
    yield "problem", Html(f'<th scope="row">{_place(board, problem, look)}</th>')
    yield "T", cell("figure", text(str(row.turn_limit)))
    yield "value", cell("figure", _value(one, to))
    yield "rank", cell("figure", _rank(one))
    yield "place", Html(f"<td>{_where(one)}</td>")
    yield "entry", Html(f"<td>{_entry(one, to)}</td>")
    yield "rest", cell("small rest", _rest(one))
    yield "beside", cell("small beside", text("; ".join(beside(row)) or "–"))


def _place(board: BoardHead, problem: AddressesOf, look: CellLook) -> Html:
    place = (
        text(f"Suite “{board.suite}”")
        if board.suite
        else link(problem(board.problem), Html(f"<code>{text(board.problem)}</code>"))
    )
    if look is not CellLook.MANY:
        return place
    notes = (
        f"version {board.problem_version}" if board.problem_version else "",
        f"judge {board.judge}" if board.judge else "",
        said(board.language, "language") if board.language != "cuda" else "",
    )
    return joined(" ", place, span("small quiet", text(", ".join(one for one in notes if one))))


def _where(one: PlacedRow) -> Html:
    """The target or device, which leads to the board where it has an address; of a target the devices beneath."""
    board, row = one.board, one.row
    name = text(product(board.device) if board.device else board.target.title())
    address = board_address(board, row.provenance, row.turn_limit)
    place = link(address, name) if address else name
    verified = row.provenance is Provenance.VERIFIED
    if board.device or not (row.devices if verified else row.reported_device):
        return place
    measured = "measured on" if verified else "published on" if row.publication else "reported on"
    return joined(" ", place, small(text(f"{measured} {devices_of(row)}")))


def _entry(one: PlacedRow, to: EvidenceAddresses) -> Html:
    row = one.row
    if not row.entry_uid:
        return link(to.published, isolated(shown(row.publication, 60)))
    harness = shown(row.harness, 24) if row.harness else "entry"
    name = link(to.entry(row.entry_uid), isolated(f"{harness} {row.entry_uid[:6]}"))
    best = (
        small(text(f"best of {counted(one.others + 1, 'entry entries')}")) if one.others else EMPTY
    )
    return joined(" ", name, best)


def _rank(one: PlacedRow) -> Html:
    why = one.row.unranked_why
    if why in _NOT_SAID:
        return text(rank(one.row))
    return Html(f"{text(rank(one.row))}{BREAK}{span('small quiet', text(said(why, 'unranked')))}")


def _value(one: PlacedRow, to: EvidenceAddresses) -> Html:
    """The ratio, which leads to its kernel, or the first rate, which leads to its entry."""
    row = one.row
    if one.board.kind is not BoardKind.SPEED:
        if row.rates:
            return rate_html(row.rates[0], to.of(row), row.provenance)
        return text(share(row.value))
    value = text(ratio(row.value))
    if row.best and row.best.kernel:
        value = link(to.kernel(row.best.kernel), value)
    elif row.value is not None:
        value = link(to.of(row), value)
    if row.low is None:
        return value
    return joined(" ", value, span("interval", text(f"{ratio(row.low)} to {ratio(row.high)}")))


def _rest(one: PlacedRow) -> Html:
    row = one.row
    if one.board.kind is BoardKind.SPEED:
        if row.best and row.best.candidate_ns:
            return text(f"{duration(row.best.candidate_ns)} / {duration(row.best.vendor_ns)}")
        if row.reported_device and row.provenance is not Provenance.VERIFIED:
            return text(f"on {product(row.reported_device)}")
        return EMPTY
    others = (
        joined(
            " ",
            text(said(one.name, "rate")),
            text(share(one.value)),
            text(said(one.evidence, "evidence")),
        )
        for one in row.rates[1:]
    )
    return joined("; ", *others)
