"""An examiner that answers what a test says, and notes what it was asked."""

from dataclasses import dataclass, field

from evaluation.core.measure.examination import ExaminationKind, Examined, Hindrance, NotRun
from evaluation.core.measure.prepared import Prepared


@dataclass
class FakeExaminer:
    answers: dict[ExaminationKind, Examined]
    asked: list[ExaminationKind] = field(default_factory=list)

    def examine(self, prepared: Prepared, kind: ExaminationKind) -> Examined:
        self.asked.append(kind)
        return self.answers.get(kind, NotRun(Hindrance.MISSING, "it is not installed"))
