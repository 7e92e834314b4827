"""Hardware counters of counted calls, by the judge's library over CUPTI; off in all other calls (rule S4).

A reading's passes are meant to come in a row: between them the profiler stays on, for switching it takes longer than
all calls of a reading.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from evaluation.adapters.gpu.counters import CountersUnavailable
from evaluation.core.launching.answers import MOST_COUNTED
from evaluation.core.launching.port import Counting, CountingStep, Unavailable

_Found = TypeVar("_Found")
_NOTHING_ASKED: Final = Counting(0, Unavailable.INCOMPLETE)


class Profiler(Protocol):
    """What adapters/gpu/counters.py offers with ``stay_on``. Every method but ``close`` raises CountersUnavailable."""

    def configure(self, metrics: Sequence[str]) -> int: ...

    def switch_on(self) -> None: ...

    def begin_pass(self) -> None: ...

    def end_pass(self) -> bool: ...

    def rest(self) -> None: ...

    def values(self) -> dict[str, int]: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Counters:
    """``open_profiler`` loads the library when counters are asked for first; it raises CountersUnavailable."""

    open_profiler: Callable[[], Profiler]
    metrics: tuple[str, ...] = ()
    _profiler: Profiler | None = None  # None after a failure too
    _counting: Counting = _NOTHING_ASKED
    _is_on: bool = False

    def configure(self, metrics: tuple[str, ...]) -> Counting:
        """A profiler takes its metrics once: other ones need another. After a failure all is tried anew.

        It is switched on and off once: the first time takes longer than all later ones, and is refused where the
        device may not be counted on.
        """
        if self._profiler is not None and metrics == self.metrics:
            return self._counting
        self._forget()
        self.metrics = metrics
        self._open()
        passes = self._do(CountingStep.CHOOSE, lambda profiler: profiler.configure(metrics))
        if passes is not None:
            self._counting = Counting(passes)
            self._is_on = True
            self._do(CountingStep.SWITCH_ON, lambda profiler: profiler.switch_on())
            self.rest()
        return self._counting

    def counted(self, call: Callable[[], int]) -> int:
        """Make a call with counters on. One whose counters fail is a call like any other, and nothing can be read."""
        self._is_on = True
        self._do(CountingStep.BEGIN, lambda profiler: profiler.begin_pass())
        spent = call()
        if self._do(CountingStep.END, lambda profiler: profiler.end_pass()):
            self.rest()
        return spent

    def rest(self) -> None:
        """Be off. A reading that lacks passes goes on with the next counted call."""
        if self._is_on:
            self._do(CountingStep.SWITCH_OFF, lambda profiler: profiler.rest())
        self._is_on = False

    def read(self) -> tuple[int, ...] | Counting:
        """Give one value for each metric, in their order, or why the last reading failed."""
        values = self._do(CountingStep.READ, lambda profiler: profiler.values())
        if values is None:
            return self._counting
        return tuple(min(max(values[name], 0), MOST_COUNTED) for name in self.metrics)

    def _open(self) -> None:
        try:
            self._profiler = self.open_profiler()
        except CountersUnavailable as error:
            self._fail(CountingStep.OPEN, error)

    def _do(self, step: CountingStep, act: Callable[[Profiler], _Found]) -> _Found | None:
        """Do it where there is a profiler; where that fails there is none any more."""
        if self._profiler is None:
            return None
        try:
            return act(self._profiler)
        except CountersUnavailable as error:
            self._fail(step, error)
            return None

    def _fail(self, step: CountingStep, error: CountersUnavailable) -> None:
        self._counting = Counting(0, error.why, error.status, step)
        self._forget()

    def _forget(self) -> None:
        """Closing switches off."""
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.close()
