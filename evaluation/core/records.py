"""What a stage says. A report is a value: it can be stored, sent, shown and compared."""

from dataclasses import dataclass

from evaluation.core.signal import Signal
from evaluation.core.verdict import Stage, Verdict


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """Bytes by content: lower-case hex SHA-256 and size in bytes. ``name`` says what it is (``cubin``, ``plan``)."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing the author should read: where it is, which rule speaks, what is wrong, what to do instead.

    ``line`` and ``column`` are 1-based places in the submitted source; 0 where there is no such place.
    """

    rule: str
    message: str
    instead: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """One named value for people and programs; ``unit`` is empty for counts and words."""

    name: str
    value: str | int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class StageReport:
    """What one stage found. A verdict ends the run; without one the next stage follows."""

    stage: Stage
    headline: str
    verdict: Verdict | None = None
    remarks: tuple[Remark, ...] = ()
    signals: tuple[Signal, ...] = ()
    facts: tuple[Fact, ...] = ()
    artifacts: tuple[ArtifactRef, ...] = ()
    log: str = ""
    seconds: float = 0.0

    @property
    def ends_run(self) -> bool:
        return self.verdict is not None


@dataclass(frozen=True, slots=True)
class Outcome:
    """All reports of the stages that ran, in order."""

    reports: tuple[StageReport, ...]

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, or None while stages that need a GPU are still to come."""
        return self.reports[-1].verdict if self.reports else None

    @property
    def signals(self) -> tuple[Signal, ...]:
        return tuple(signal for report in self.reports for signal in report.signals)

    @property
    def artifacts(self) -> tuple[ArtifactRef, ...]:
        return tuple(artifact for report in self.reports for artifact in report.artifacts)
