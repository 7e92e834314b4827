"""The four columns that only speed boards have, as HTML: best ratio, both times, Fast_p, median."""

from leaderboard.selectors import BoardRow
from leaderboard.templatetags.addresses import EvidenceAddresses
from leaderboard.templatetags.figures import duration, product, ratio, share
from leaderboard.templatetags.written import (
    BREAK,
    EMPTY,
    NOTHING,
    Html,
    cell,
    joined,
    link,
    small,
    span,
    text,
)
from leaderboard.views.board_lines import BoardLine


def speed_cells(line: BoardLine, to: EvidenceAddresses) -> tuple[tuple[str, Html], ...]:
    """Each under the key of its column."""
    row = line.row
    best = joined("\n", _ratio(row, to), _interval(row), _turn(row, to), _told(row, to))
    return (
        ("ratio", cell("figure", best)),
        ("times", cell("figure", _times(row, to))),
        ("fast", cell("figure", _fast(line, to))),
        ("median", cell("figure", _median(row, to))),
    )


def _ratio(row: BoardRow, to: EvidenceAddresses) -> Html:
    """The best ratio, which leads to its kernel; else to what says so."""
    if row.value is None:
        return NOTHING
    kernel = row.best.kernel if row.best else ""
    return link(to.kernel(kernel) if kernel else to.of(row), text(ratio(row.value)))


def _interval(row: BoardRow) -> Html:
    if row.low is None:
        return EMPTY
    return span("interval", text(f"{ratio(row.low)} to {ratio(row.high)}"))


def _turn(row: BoardRow, to: EvidenceAddresses) -> Html:
    """The turn that reached it. Pages count turns from 1."""
    if row.best is None or not row.best.trajectory:
        return EMPTY
    number = row.best.turn + 1
    return small(
        link(f"{to.trajectory(row.best.trajectory)}#turn-{number}", text(f"turn {number}"))
    )


def _told(row: BoardRow, to: EvidenceAddresses) -> Html:
    if row.reported_ratio is None:
        return EMPTY
    where = f" on {product(row.reported_device)}" if row.reported_device else ""
    told = link(to.of(row), text(f"reported {ratio(row.reported_ratio)}"))
    return span("small quiet", joined("", told, text(f"{where}, not comparable")))


def _times(row: BoardRow, to: EvidenceAddresses) -> Html:
    """Of the kernel and of the vendor, from one run, to which they lead."""
    if row.best is None or not row.best.candidate_ns:
        return NOTHING
    ours, theirs = text(duration(row.best.candidate_ns)), text(duration(row.best.vendor_ns))
    address = to.run(row.best.run) if row.best.run else to.of(row)
    return Html(f"{link(address, ours)}{BREAK}{small(theirs)}")


def _fast(line: BoardLine, to: EvidenceAddresses) -> Html:
    if line.fast is None:
        return NOTHING
    counts = small(text(f"{line.fast.hits} of {line.fast.counted}"))
    return Html(f"{link(to.of(line.row), text(share(line.fast.share)))}{BREAK}{counts}")


def _median(row: BoardRow, to: EvidenceAddresses) -> Html:
    if row.median_ratio is None:
        return NOTHING
    median = link(to.of(row), text(ratio(row.median_ratio)))
    return Html(f"{median}{BREAK}{small(text(f'of {len(row.ratios)}'))}") if row.ratios else median
