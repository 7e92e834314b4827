"""One of many sessions of a referee: while a kernel's last results are compared, the next one's launchers start."""

from evaluation.adapters.referee.session import KernelSession, Resources, Subject
from evaluation.adapters.referee.spares import SpareLaunchers
from evaluation.core.measure.seen import MeasureSeen


class ServedSession(KernelSession):
    """Launchers for the next kernel are begun when nothing of this one is timed any more, and when it closes."""

    def __init__(self, subject: Subject, resources: Resources, spares: SpareLaunchers) -> None:
        super().__init__(subject, resources)
        self._spares = spares

    def measure(self) -> MeasureSeen:
        """See the base. A second measurement waits for what the first one began: nothing starts while it is timed."""
        self._spares.settle()
        return super().measure()

    def close(self) -> None:
        self._dismiss()
        self._spares.replenish()
        self._see_off()

    def _all_timed(self) -> None:
        self._spares.replenish()
