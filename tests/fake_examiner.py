"""An examiner that answers what a test says, and notes what it was asked."""

from dataclasses import dataclass, field

from evaluation.core.measure.examination import ExaminationKind, Examined, Hindrance, NotRun
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import Reading

MISSING = NotRun(Hindrance.MISSING, "it is not installed")


@dataclass
class FakeExaminer:
    answers: dict[ExaminationKind, Examined]
    asked: list[ExaminationKind] = field(default_factory=list)
    readings: tuple[Reading, ...] | NotRun = MISSING
    counted: int = 0  # times that readings were asked for

    def examine(self, prepared: Prepared, kind: ExaminationKind) -> Examined:
        self.asked.append(kind)
        return self.answers.get(kind, MISSING)

    def count(self, prepared: Prepared) -> tuple[Reading, ...] | NotRun:
        self.counted += 1
        return self.readings
