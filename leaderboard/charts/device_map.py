"""All values of a model as tables of problem by device: a cell's class says its band, and its words the value."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from leaderboard.charts.naming import devices_of, evidence_of, newest, place_of
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardRow, PlacedRow
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import board_address
from leaderboard.templatetags.figures import product, ratio, share

TURNS = 8  # of the paper's layout
# A value below the n-th of these is in band n; what is at or above the last one is in the last band, 4.
SHARE_BANDS = (0.0, 0.25, 0.5, 0.75)
RATIO_BANDS = (0.0, 0.5, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class MapCell:
    """``band`` is from 0 to 4, None where nothing stands; ``of`` says which of several entries it is.

    ``best`` is the row that is shown, with how many others it was chosen from.
    """

    text: str
    band: int | None
    address: str = ""
    of: str = ""
    best: PlacedRow | None = None


@dataclass(frozen=True, slots=True)
class MapRow:
    problem: str
    cells: tuple[MapCell, ...]


@dataclass(frozen=True, slots=True)
class DeviceMap:
    """One finding of one provenance in up to ``turns`` turns; ``bands`` explain the classes, the lowest one first."""

    kind: BoardKind
    provenance: Provenance
    title: str
    devices: tuple[str, ...]
    rows: tuple[MapRow, ...]
    bands: tuple[str, ...]
    turns: int


_TITLES = {
    BoardKind.CORRECTNESS: "Correct turns",
    BoardKind.INSTRUCTION: "Correct turns with the target’s instructions",
    BoardKind.SPEED: "Best ratio to the vendor",
}
_SHARE_WORDS = ("none", "under 25 %", "25 to 50 %", "50 to 75 %", "75 % or more")
_RATIO_WORDS = ("no ratio", "under 0.5×", "0.5 to 0.9×", "0.9 to 1×", "1× or more")


def device_maps(
    cells: Iterable[PlacedRow], titles: Mapping[str, str], *, turns: int = TURNS
) -> tuple[DeviceMap, ...]:
    """Give a table a finding and provenance, at most ``turns`` turns; only those that have a cell."""
    kept = _at_turns((one for one in newest(cells) if one.board.problem), turns)
    found = (
        _map(kind, provenance, kept, titles, turns)
        for provenance in Provenance
        for kind in BoardKind
    )
    return tuple(one for one in found if one is not None)


def band(value: float | None, edges: Sequence[float]) -> int:
    """0 for nothing at all, 4 for the best; edges belong to the band above them."""
    if value is None or value <= edges[0]:
        return 0
    return sum(value >= one for one in edges)


def _at_turns(cells: Iterable[PlacedRow], turns: int) -> tuple[PlacedRow, ...]:
    """Of each row the largest turn limit up to ``turns``, so that no cell is better for having had more turns."""
    kept: dict[tuple[str, str, str, str], PlacedRow] = {}
    for one in cells:
        row = one.row
        if row.turn_limit > turns:
            continue
        key = (one.board.slug, row.provenance, row.subject, row.reported_device)
        if key not in kept or row.turn_limit > kept[key].row.turn_limit:
            kept[key] = one
    return tuple(kept.values())


def _map(
    kind: BoardKind,
    provenance: Provenance,
    cells: Sequence[PlacedRow],
    titles: Mapping[str, str],
    turns: int,
) -> DeviceMap | None:
    there: defaultdict[tuple[str, str], list[PlacedRow]] = defaultdict(list)
    for one in cells:
        if one.board.kind is kind and one.row.provenance is provenance:
            there[one.board.problem, _device(one)].append(one)
    if not there:
        return None
    devices = tuple(sorted({device for _, device in there}))
    order = {name: number for number, name in enumerate(titles)}
    problems = sorted(
        {name for name, _ in there}, key=lambda name: (order.get(name, len(order)), name)
    )
    is_speed = kind is BoardKind.SPEED
    return DeviceMap(
        kind=kind,
        provenance=provenance,
        title=_TITLES[kind],
        devices=devices,
        rows=tuple(
            MapRow(
                place_of(next(iter(_first(there, name))).board, titles),
                tuple(
                    _cell(there.get((name, device), []), is_speed=is_speed, turns=turns)
                    for device in devices
                ),
            )
            for name in problems
        ),
        bands=_RATIO_WORDS if is_speed else _SHARE_WORDS,
        turns=turns,
    )


def _first(there: Mapping[tuple[str, str], list[PlacedRow]], problem: str) -> list[PlacedRow]:
    return next(some for (name, _), some in there.items() if name == problem)


def _device(one: PlacedRow) -> str:
    """The device of a speed board; elsewhere where it was measured, or is said to have been."""
    return product(one.board.device) if one.board.device else devices_of(one.row)


def _cell(cells: Sequence[PlacedRow], *, is_speed: bool, turns: int) -> MapCell:
    if not cells:
        return MapCell("–", None)
    best = max(cells, key=lambda one: -1.0 if one.row.value is None else one.row.value)
    row = best.row
    text = ratio(row.value) if is_speed else share(row.value)
    edges = RATIO_BANDS if is_speed else SHARE_BANDS
    address = (
        evidence_of(row) if is_speed else board_address(best.board, row.provenance, row.turn_limit)
    )
    limits = "" if row.turn_limit == turns else f"T = {row.turn_limit}"
    rows = sum(1 + one.others for one in cells)
    several = f"best of {rows}" if rows > 1 else ""
    notes = ", ".join(one for one in (limits, several, _without(row)) if one)
    chosen = replace(best, others=rows - 1)
    return MapCell(text, band(row.value, edges), address, notes, chosen)


def _without(row: BoardRow) -> str:
    """How many turns count without a verdict, or without anything that the upload says of them."""
    if not row.open:
        return ""
    return (
        f"{row.open} open"
        if row.provenance is Provenance.VERIFIED
        else f"{row.open} without a result"
    )
