"""Launchers that are ready before they are needed: started between kernels, so that no kernel's time is spent on it."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import Gpu, GpuStuck, Launcher, Launchers


class SpareLaunchers:
    """The ``Launchers`` of the port over others. A spare knows no kernel and holds nothing of one.

    Threads that live as long as this object start them, all at the same time: launchers die with the thread that
    started them. ``settle`` before anything is timed: a start beside a measurement would disturb it.
    """

    def __init__(
        self,
        launchers: Launchers,
        gpu: Gpu,
        *,
        count: int,
        ready: Callable[[Launcher], object] = lambda _: None,
    ) -> None:
        """``ready`` is done with the spare that is given next and with no other: one process at a time can count."""
        self._launchers = launchers
        self._make_ready = ready
        self._gpu = gpu
        self._count = count
        self._spares: deque[Future[Launcher]] = deque()
        self._starter = ThreadPoolExecutor(max_workers=count, thread_name_prefix="starter")
        self._readier = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readier")
        self._next: Future[Launcher] | None = None

    def start(self, gpu: Gpu) -> Launcher:
        """Give a spare, or start one where there is none. Raise what the start of the spare raised."""
        if gpu != self._gpu:
            raise ToolFailure("a spare launcher is on another GPU", action="report this as a bug")
        if self._spares:
            return self._spares.popleft().result()
        return self._starter.submit(self._launchers.start, self._gpu).result()

    def replenish(self) -> None:
        """Begin to start what is missing; returns at once."""
        while len(self._spares) < self._count:
            self._spares.append(self._starter.submit(self._launchers.start, self._gpu))
        if self._spares and self._spares[0] is not self._next:
            self._next = self._spares[0] = self._readier.submit(self._readied, self._spares[0])

    def settle(self) -> None:
        """Wait until nothing is being started; throw away what could not be started.

        Raise GpuStuck where a process that was given up does not die: the GPU is sick, whoever's it was (rule T8).
        """
        failures = [(spare, spare.exception()) for spare in self._spares]
        self._spares = deque(spare for spare, failure in failures if failure is None)
        for _, failure in failures:
            if isinstance(failure, GpuStuck):
                raise failure

    def close(self) -> None:
        """End all spares and the threads. Raise GpuStuck as ``settle`` does, when all others have been ended."""
        stuck: list[GpuStuck] = []
        _done(self.settle, stuck)
        launchers = [spare.result() for spare in self._spares]
        for launcher in launchers:
            _done(launcher.leave, stuck)
        for launcher in launchers:
            _done(launcher.end, stuck)
        self._spares.clear()
        self._readier.shutdown()
        self._starter.shutdown()
        if stuck:
            raise stuck[0]

    def _readied(self, spare: Future[Launcher]) -> Launcher:
        launcher = spare.result()
        self._make_ready(launcher)
        return launcher


def _done(act: Callable[[], None], stuck: list[GpuStuck]) -> None:
    """Do it; what merely cannot be ended dies with its thread, and one that does not die at all is noted."""
    try:
        act()
    except GpuStuck as failure:
        stuck.append(failure)
    except ToolFailure:
        return
