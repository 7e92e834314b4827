"""Launchers that are ready before they are needed: started between kernels, so that no kernel's time is spent on it."""

import contextlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import Gpu, Launcher, Launchers


class SpareLaunchers:
    """The ``Launchers`` of the port over others. A spare knows no kernel and holds nothing of one.

    They are started by one thread that lives as long as this object, since launchers die with the thread that starts
    them. ``settle`` before anything is timed: a start beside a measurement would disturb it.
    """

    def __init__(self, launchers: Launchers, gpu: Gpu, *, count: int) -> None:
        self._launchers = launchers
        self._gpu = gpu
        self._count = count
        self._spares: deque[Future[Launcher]] = deque()
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starter")

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

    def settle(self) -> None:
        """Wait until nothing is being started; throw away what could not be started."""
        settled = [spare for spare in self._spares if spare.exception() is None]
        self._spares = deque(settled)

    def close(self) -> None:
        """End all spares and the thread."""
        self.settle()
        for spare in self._spares:
            with contextlib.suppress(ToolFailure):  # what cannot be ended dies with the thread
                spare.result().end()
        self._spares.clear()
        self._starter.shutdown()
