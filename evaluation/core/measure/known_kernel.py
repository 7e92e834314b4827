"""Known kernels: their ratio shows whether a GPU still measures as it should. An hourly run of them is a canary."""

from dataclasses import dataclass

from evaluation.core.findings import findings_of
from evaluation.core.measure.prepared import Prepared
from evaluation.core.messages import CanaryRun
from evaluation.core.records import Outcome, StageReport
from evaluation.core.verdict import Target, Verdict

_NO_BAND = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Band:
    """Where the ratio of a known kernel lies on a product that is well; ``source`` says who measured it."""

    product: str
    low: float
    high: float
    source: str


@dataclass(frozen=True, slots=True)
class KnownKernel:
    """What is stated of a known kernel; its source lies beside the statement."""

    name: str
    problem: str
    target: Target
    bands: tuple[Band, ...]

    def band(self, product: str) -> Band | None:
        return next((one for one in self.bands if one.product == product), None)


@dataclass(frozen=True, slots=True)
class ReadyKernel:
    """A known kernel for one product. Without a band, nobody has measured it there, it only has to be accepted."""

    name: str
    prepared: Prepared
    band: Band | None


def canary_run(ready: ReadyKernel, reports: tuple[StageReport, ...]) -> CanaryRun:
    """Say whether what came of a known kernel is what it should be."""
    outcome = Outcome(reports)
    found = findings_of(outcome)
    ratio = None if found.speed is None else found.speed.ratio
    said = _said(ready.band, outcome, ratio)
    facts = {one.name: one.value for report in reports for one in report.facts}
    low, high = _NO_BAND if ready.band is None else (ready.band.low, ready.band.high)
    return CanaryRun(
        name=ready.name,
        well=not said,
        said=said,
        ratio=ratio,
        low=low,
        high=high,
        sm_mhz=_whole(facts, "sm_clock"),
        memory_mhz=_whole(facts, "memory_clock"),
        temperature_c=_whole(facts, "temperature_highest"),
        power_mw=_whole(facts, "power"),
    )


def _said(band: Band | None, outcome: Outcome, ratio: float | None) -> str:
    """What is wrong, or nothing."""
    if outcome.verdict is not Verdict.ACCEPTED:
        return f"ended as {outcome.verdict}: {outcome.reports[-1].headline}"
    if band is None:
        return ""
    if ratio is None:
        return "no speed could be had"
    if not band.low <= ratio <= band.high:
        return f"a ratio of {ratio:.3f} is not within {band.low:.3f} to {band.high:.3f}"
    return ""


def _whole(facts: dict[str, str | int], name: str) -> int:
    value = facts.get(name, 0)
    return value if isinstance(value, int) else 0
