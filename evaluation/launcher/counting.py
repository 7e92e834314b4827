"""Hardware counters of counted calls, by the judge's library over CUPTI; off in all other calls (rule S4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from evaluation.adapters.gpu.counters import CountersUnavailable
from evaluation.core.launching.answers import MOST_COUNTED
from evaluation.core.launching.port import Counting, Unavailable


class Profiler(Protocol):
    """What adapters/gpu/counters.py offers. Every method raises CountersUnavailable."""

    def configure(self, metrics: Sequence[str]) -> int: ...

    def begin_pass(self) -> None: ...

    def end_pass(self) -> bool: ...

    def values(self) -> dict[str, int]: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Counters:
    """``open_profiler`` loads the library when counters are asked for first; it raises CountersUnavailable."""

    open_profiler: Callable[[], Profiler]
    metrics: tuple[str, ...] = ()
    _profiler: Profiler | None = field(default=None)
    _passes: int = 0

    def configure(self, metrics: tuple[str, ...]) -> Counting:
        """A profiler takes its metrics once: other ones need another."""
        if self._profiler is not None and metrics == self.metrics:
            return Counting(self._passes)
        if self._profiler is not None:
            self._profiler.close()
        self.metrics, self._profiler = metrics, None
        try:
            profiler = self.open_profiler()
            self._passes = profiler.configure(metrics)
        except CountersUnavailable as error:
            return Counting(0, Unavailable(str(error.why)))
        self._profiler = profiler
        return Counting(self._passes)

    def counted(self, call: Callable[[], int]) -> int:
        """Make a call with counters on. One whose counters fail is a call like any other, and nothing can be read."""
        begun = self._begin()
        spent = call()
        if begun:
            self._end()
        return spent

    def read(self) -> tuple[int, ...] | None:
        """Give one value for each metric, in their order; None where the last reading failed."""
        try:
            values = None if self._profiler is None else self._profiler.values()
        except CountersUnavailable:
            return None
        if values is None:
            return None
        return tuple(min(max(values[name], 0), MOST_COUNTED) for name in self.metrics)

    def _begin(self) -> bool:
        try:
            if self._profiler is not None:
                self._profiler.begin_pass()
        except CountersUnavailable:
            self._profiler = None
        return self._profiler is not None

    def _end(self) -> None:
        try:
            if self._profiler is not None:
                self._profiler.end_pass()
        except CountersUnavailable:
            self._profiler = None
