"""One row of a board, as pages show it and exports write it."""

from dataclasses import dataclass
from datetime import date

from leaderboard.cells import Beside
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind, ShownRate, counts_of, rates_of, ratios_of


@dataclass(frozen=True, slots=True)
class BestLink:
    """Where the best ratio was reached; ``run`` is empty, and times are None, where only the upload says so.

    ``turn`` counts from 0; times are in nanoseconds.
    """

    run: str
    kernel: str
    trajectory: str
    turn: int
    candidate_ns: int | None
    vendor_ns: int | None


@dataclass(frozen=True, slots=True)
class FastShare:
    """Fast_p: turns that are correct and strictly faster than ``p`` times the vendor, of all that count."""

    p: float
    hits: int
    counted: int

    @property
    def share(self) -> float | None:
        return self.hits / self.counted if self.counted else None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """``value`` with its interval orders the board; ``rates`` begin with the rate that its counts are of.

    ``position`` only orders. A rank is a range from ``rank_low`` to ``rank_high``; where there is none,
    ``unranked_why`` is a word of leaderboard.estimates.Unranked. A turn that is ``open`` has no verdict to show yet.
    Columns of an entry are empty in rows of a publication. ``reported_ratio`` is the upload's own best ratio on
    ``reported_device``, beside a verified one and not comparable with it.
    """

    kind: BoardKind
    subject: str
    provenance: Provenance
    turn_limit: int
    position: int
    rank_low: int | None
    rank_high: int | None
    unranked_why: str
    value: float | None
    low: float | None
    high: float | None
    hits: int | None
    counted: int
    declared: int
    open: int
    rates: tuple[ShownRate, ...]
    ratios: tuple[float, ...]
    median_ratio: float | None
    beside: Beside | None
    best: BestLink | None
    devices: tuple[str, ...]
    reported_device: str
    reported_ratio: float | None
    model_slug: str
    model_name: str
    track: str
    released_on: date | None
    publication: str
    entry_uid: str
    harness: str
    harness_version: str
    pack: str
    reasoning_effort: str
    authorship: str
    single_kernel: bool
    prompts: int | None
    trajectories: int | None
    turns: int | None

    @property
    def judged(self) -> int:
        return self.counted - self.open

    @property
    def provisional(self) -> bool:
        return self.open > 0

    def fast(self, p: float) -> FastShare | None:
        """Give Fast_p for any p; None where the row keeps no ratios: not of speed, a suite's, or a publication's."""
        if self.kind is not BoardKind.SPEED or self.hits is None or self.publication:
            return None
        return FastShare(p, sum(one > p for one in self.ratios), self.counted)


def board_row(one: Standing, kind: BoardKind, reported_ratio: float | None = None) -> BoardRow:
    """``one`` was read with its entry and model."""
    entry, model = one.entry, one.model
    return BoardRow(
        kind=kind,
        subject=one.subject,
        provenance=Provenance(one.provenance),
        turn_limit=one.turn_limit,
        position=one.position,
        rank_low=one.rank_low,
        rank_high=one.rank_high,
        unranked_why=one.unranked_why,
        value=one.value,
        low=one.low,
        high=one.high,
        hits=one.hits,
        counted=one.counted,
        declared=one.declared,
        open=one.open,
        rates=rates_of(one.rates),
        ratios=ratios_of(one.ratios),
        median_ratio=one.median_ratio,
        beside=Beside(**counts_of(one.beside)) if one.beside != "{}" else None,
        best=_best(one),
        devices=tuple(one.devices.split(",")) if one.devices else (),
        reported_device=one.reported_device,
        reported_ratio=reported_ratio,
        model_slug=model.slug if model else "",
        model_name=model.name if model else (entry.proposed_model if entry else ""),
        track=model.track if model else "",
        released_on=model.released_on if model else None,
        publication=one.publication,
        entry_uid=str(entry.uid) if entry else "",
        harness=entry.harness if entry else "",
        harness_version=entry.harness_version if entry else "",
        pack=entry.pack if entry else "",
        reasoning_effort=entry.reasoning_effort if entry else "",
        authorship=entry.authorship if entry else "",
        single_kernel=entry.single_kernel if entry else False,
        prompts=entry.prompts if entry else None,
        trajectories=entry.trajectories if entry else None,
        turns=entry.turns if entry else None,
    )


def _best(one: Standing) -> BestLink | None:
    if one.best_turn is None:
        return None
    return BestLink(
        one.best_run,
        one.best_kernel,
        one.best_trajectory,
        one.best_turn,
        one.candidate_ns,
        one.vendor_ns,
    )
