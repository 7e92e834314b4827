"""An examiner that is made ready when the first kernel is to be looked at: most never are."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.examination import (
    ExaminationKind,
    Examined,
    Examiner,
    Hindrance,
    NotRun,
)
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import Reading


@dataclass(slots=True)
class LateExaminer:
    """``open`` raises ToolFailure where this host lacks something, and is tried again with the next kernel."""

    open: Callable[[], Examiner]
    _opened: Examiner | None = None

    def examine(self, prepared: Prepared, kind: ExaminationKind) -> Examined:
        """See the port."""
        found = self._ready()
        return found if isinstance(found, NotRun) else found.examine(prepared, kind)

    def count(self, prepared: Prepared) -> tuple[Reading, ...] | NotRun:
        """See the port."""
        found = self._ready()
        return found if isinstance(found, NotRun) else found.count(prepared)

    def _ready(self) -> Examiner | NotRun:
        if self._opened is None:
            try:
                self._opened = self.open()
            except ToolFailure as failure:
                action = f"; {failure.action}" if failure.action else ""
                return NotRun(Hindrance.MISSING, f"{failure}{action}")
        return self._opened
