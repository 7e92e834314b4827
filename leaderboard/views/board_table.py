"""The rows of a board's table as HTML: a template takes 25 ms for fifty of them, and boards are asked for often."""

from collections.abc import Collection, Iterable, Iterator

from django.utils.safestring import SafeString, mark_safe

from leaderboard.charts.naming import measured_on
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardRow
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import EvidenceAddresses
from leaderboard.templatetags.figures import beside, product, rank, said, shown
from leaderboard.templatetags.rate_figures import rate_html
from leaderboard.templatetags.written import (
    BREAK,
    EMPTY,
    NOTHING,
    Html,
    cell,
    isolated,
    joined,
    link,
    small,
    span,
    text,
)
from leaderboard.views.board_lines import BoardLine
from leaderboard.views.board_speed import speed_cells

_NOT_SAID = frozenset({"", "not_verified"})  # beside each row of a board that ranks nothing


def table_body(lines: Iterable[BoardLine], shown_columns: Collection[str]) -> SafeString:
    """The cells of a row stand in the order of board_heads; ``shown_columns`` are keys of board_arrangement.COLUMNS."""
    to = EvidenceAddresses.looked_up()
    rows = ("\n".join(("<tr>", *_cells(one, to, shown_columns), "</tr>")) for one in lines)
    return mark_safe("\n".join(rows))  # noqa: S308 (Html is escaped)


def _cells(
    line: BoardLine, to: EvidenceAddresses, shown_columns: Collection[str]
) -> Iterator[Html]:
    row = line.row
    yield _rank(row)
    yield Html(f'<th scope="row">{_model(row, to)}\n{BREAK}{small(_entry(row, to))}</th>')
    if row.kind is BoardKind.SPEED:
        yield from (one for key, one in speed_cells(line, to) if key in shown_columns)
    for rate in line.rates:
        shown_rate = NOTHING if rate is None else rate_html(rate, to.of(row), row.provenance)
        yield cell("figure", shown_rate)
    if "beside" in shown_columns:
        yield cell("small beside", _beside(row, to))
    if "devices" in shown_columns:
        yield Html(f"<td>{_devices(row)}</td>")


def _beside(row: BoardRow, to: EvidenceAddresses) -> Html:
    told = "; ".join(beside(row))
    return link(to.of(row), text(told)) if told else text("–")


def _rank(row: BoardRow) -> Html:
    if row.unranked_why in _NOT_SAID:
        return cell("figure", text(rank(row)))
    why = span("small quiet", text(said(row.unranked_why, "unranked")))
    return cell("figure", text(rank(row)), BREAK, why)


def _model(row: BoardRow, to: EvidenceAddresses) -> Html:
    name = isolated(shown(row.model_name, 60))
    return link(to.model(row.model_slug), name) if row.model_slug else name


def _entry(row: BoardRow, to: EvidenceAddresses) -> Html:
    """How it was made, which leads to it; who says so."""
    if not row.entry_uid:
        return link(to.published, isolated(shown(row.publication, 60)))
    entry = link(to.entry(row.entry_uid), _how(row))
    return joined(" · ", entry, text(said(row.authorship, "authorship")))


def _how(row: BoardRow) -> Html:
    if row.single_kernel:
        return text("single kernel")
    version = f" {shown(row.harness_version, 12)}" if row.harness_version else ""
    effort = row.reasoning_effort
    return joined(
        ", ",
        text(f"{row.prompts} × {row.trajectories} × {row.turns}"),
        isolated(f"{shown(row.harness, 60)}{version}") if row.harness else EMPTY,
        isolated(shown(row.pack, 30)) if row.pack else EMPTY,
        Html(f"effort {isolated(shown(effort, 20))}") if effort else EMPTY,
    )


def _devices(row: BoardRow) -> Html:
    """Where we measured; of values that are not ours, where others say that they did."""
    if row.provenance is Provenance.VERIFIED:
        return text(", ".join(product(one) for one in measured_on(row))) or NOTHING
    if not row.reported_device:
        return NOTHING
    by = "published" if row.publication else "reported"
    return span("quiet", text(f"{product(row.reported_device)}, as {by}"))
