"""A measurer that looks at its GPU's ledger when a kernel is handed to it, and can be interrupted there."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from fake_measurer import FakeMeasurer

from evaluation.adapters.quarantine import GpuTaken, Quarantine
from evaluation.core.measure.ledger import Ledger
from evaluation.core.measure.measurer import Session
from evaluation.core.measure.prepared import Prepared


@dataclass
class WatchedMeasurer(FakeMeasurer):
    """``noted`` is what the ledger said before each kernel was opened, ``taken`` why another process had to wait."""

    ledger: Quarantine | None = None
    interrupted: bool = False
    noted: list[Ledger] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def open(self, prepared: Prepared) -> Iterator[Session]:
        assert self.ledger is not None
        self.noted.append(self.ledger.read())
        try:
            self.ledger.claim()
        except GpuTaken as taken:
            self.taken.append(taken.what)
        else:
            self.ledger.release()
        with super().open(prepared) as session:
            if self.interrupted:
                raise KeyboardInterrupt
            yield session
