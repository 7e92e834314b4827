"""A launcher as the judge sees it: the port of core/launching/port.py over a process that may say or do anything."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from evaluation.adapters.gpu.launcher_failures import ended, garbage, last_words, our_failure
from evaluation.adapters.gpu.launcher_link import Gone, Late, Link
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.answers import (
    Failed,
    Ours,
    read_called,
    read_counters,
    read_counting,
    read_set_up,
    read_waiting,
)
from evaluation.core.launching.frames import (
    Answer,
    Ask,
    BadFrame,
    write_calls,
    write_names,
)
from evaluation.core.launching.port import (
    IN_SET_UP,
    NO_STEP,
    BufferSet,
    Called,
    Counting,
    Died,
    GpuStuck,
    SetUp,
    Waiting,
)
from evaluation.core.launching.result_names import result_name
from evaluation.core.measure.seen import Fault, FaultKind

_Good = TypeVar("_Good", SetUp, Waiting, Called)
_Found = TypeVar("_Found")

# A launcher cannot have measured more than the judge has waited. The two clocks are different ones.
_CLOCK_SLACK_NS = 1_000_000
_CLOCK_SLACK_SHARE = 100


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds. ``set_up`` and ``call`` are the candidate's; a row has ``call`` for each, up to ``row`` beyond one.

    A row has as long again to get ready: the driver handles the candidate's launches then, though none of them runs.
    """

    set_up: float
    call: float
    row: float = 30.0
    start: float = 30.0
    ours: float = 20.0  # anything that does not run the candidate
    death: float = 10.0


@dataclass(slots=True)
class LauncherClient:
    """The ``Launcher`` of the port. Use it from one thread."""

    link: Link
    deadlines: Deadlines
    _plan: bytes = field(default=b"", repr=False)
    _metrics: tuple[str, ...] = ()
    _row: tuple[int, ...] = ()  # numbers of the calls that wait for ``go``
    _leaves: bool = False
    _over: bool = False

    def bring_own_kernels(self, image: bytes) -> None:
        """Send the image of the judge's kernels, before anything else."""
        with self._no_excuse():
            self.link.send_bytes(Ask.TRUSTED, image, (len(image),), seconds=self.deadlines.ours)

    def set_up(
        self, plan: bytes, cubin: bytes, sets: tuple[BufferSet, ...]
    ) -> SetUp | Fault | Died:
        """See the port."""
        self._plan = plan

        with self._no_excuse():
            self._bring(plan, cubin, sets)
        return self._theirs(
            lambda: self.link.send(Ask.SET_UP, seconds=self.deadlines.ours),
            read_set_up,
            IN_SET_UP,
            self.deadlines.set_up + self.deadlines.ours,
        )

    def call(
        self,
        number: int,
        *,
        set: int,  # noqa: A002 - the port's word
        end_aligned: bool,
        counted: bool,
        cold: bool,
    ) -> Called | Fault | Died:
        """See the port."""
        numbers = (number, set, int(end_aligned), int(counted), int(cold))
        return self._theirs(
            lambda: self.link.send(Ask.CALL, numbers, seconds=self.deadlines.ours),
            read_called,
            number,
            self.deadlines.call,
        )

    def prepare(self, numbers: tuple[int, ...], sets: tuple[int, ...]) -> Waiting | Fault | Died:
        """See the port."""
        row = write_calls(numbers, sets)
        self._row = numbers
        return self._theirs(
            lambda: self.link.send_bytes(Ask.ROW, row, (len(row),), seconds=self.deadlines.ours),
            read_waiting,
            numbers[0],
            self._row_seconds,
        )

    def go(self) -> Called | Fault | Died:
        """See the port."""
        if not self._row:
            raise RuntimeError("a launcher was told to go without a row")
        seconds, first = self._row_seconds, self._row[0]
        self._row = ()
        return self._theirs(
            lambda: self.link.send(Ask.GO, seconds=self.deadlines.ours),
            read_called,
            first,
            seconds,
        )

    def count(self, metrics: tuple[str, ...]) -> Counting:
        """See the port."""
        names = write_names(metrics)
        self._metrics = metrics
        seconds = self.deadlines.ours
        found = self._ours(
            lambda: self.link.send_bytes(Ask.COUNT, names, (len(names),), seconds=seconds),
            read_counting,
        )
        if isinstance(found, Counting):
            return found
        raise self._no_answer(found)

    def read_counters(self) -> tuple[tuple[str, int], ...] | Counting:
        """See the port."""
        found = self._ours(
            lambda: self.link.send(Ask.READ, seconds=self.deadlines.ours),
            lambda answer: read_counters(answer, len(self._metrics)),
        )
        if isinstance(found, Counting):
            return found
        if isinstance(found, tuple):
            return tuple(zip(self._metrics, found, strict=True))
        raise self._no_answer(found)

    def leave(self) -> None:
        """See the port. One that cannot be asked is killed."""
        if self._over or self._leaves:
            return
        self._leaves = True
        try:
            self.link.send(Ask.END, seconds=self.deadlines.ours)
        except (Late, Gone, BadFrame):
            self.kill()  # nothing that it did counts any more

    def end(self) -> None:
        """See the port."""
        self.leave()
        if not self._over:
            self.link.process.ended(seconds=self.deadlines.ours)
        self.kill()

    def kill(self) -> None:
        """See the port."""
        if self._over:
            return
        self._over = True
        self.link.close()
        if not self.link.process.kill(seconds=self.deadlines.death):
            raise GpuStuck(
                f"a killed launcher is still there after {self.deadlines.death:.0f} s",
                action="its GPU must not serve; look for a process in state D, reset the GPU or restart the host",
            )

    def _bring(self, plan: bytes, cubin: bytes, sets: tuple[BufferSet, ...]) -> None:
        seconds = self.deadlines.ours
        for ask, content in ((Ask.PLAN, plan), (Ask.CUBIN, cubin)):
            self.link.send_bytes(ask, content, (len(content),), seconds=seconds)
        for number, one in enumerate(sets):
            for place, buffer in enumerate(one):
                numbers = (number, place, buffer.size, int(buffer.writable))
                self.link.send(Ask.BUFFER, numbers, fd=buffer.fd, seconds=seconds)

    def _theirs(
        self,
        send: Callable[[], None],
        read: Callable[[Answer], _Good | Failed | Ours],
        call: int,
        seconds: float,
    ) -> _Good | Fault | Died:
        """Ask for work of the candidate. What it does to the launcher is a value."""
        began = time.monotonic()
        try:
            found = read(self._answer(send, seconds))
            spent = time.monotonic() - began
            if not isinstance(found, Failed | Ours):
                self._believe(found, spent)
                return found
        except Late:
            self.kill()
            return _timed_out(call, time.monotonic() - began)
        except Gone as gone:
            self.kill()
            end = gone.end
            return Died(call, end.exit_code, end.signal, time.monotonic() - began)
        except BadFrame as bad:
            self.kill()
            raise garbage(bad) from bad
        self.kill()
        if isinstance(found, Ours):
            raise our_failure(found, self._plan)
        return Fault(
            kind=FaultKind.CUDA_ERROR,
            launcher=0,
            call=call,
            step=found.step,
            code=found.code,
            name=result_name(found.code),
            seconds=spent,
        )

    def _answer(self, send: Callable[[], None], seconds: float) -> Answer:
        if self._over or self._leaves:
            raise RuntimeError("a launcher that has ended was asked for something")
        send()
        return self.link.receive(seconds=seconds)

    def _ours(self, send: Callable[[], None], read: Callable[[Answer], _Found]) -> _Found:
        """Ask for something in which the candidate has no part: whatever goes wrong is a ToolFailure."""
        with self._no_excuse():
            return read(self._answer(send, self.deadlines.ours))

    @contextlib.contextmanager
    def _no_excuse(self) -> Iterator[None]:
        try:
            yield
        except Late as late:
            self.kill()
            raise ToolFailure(
                f"a launcher did not answer within {self.deadlines.ours:.0f} s",
                action="the host is overloaded, or its GPU is sick: run ptxboard doctor",
            ) from late
        except Gone as gone:
            words = last_words(self.link.process)
            self.kill()
            raise ended(gone.end, words) from gone
        except BadFrame as bad:
            self.kill()
            raise garbage(bad) from bad

    def _no_answer(self, found: Failed | Ours) -> ToolFailure:
        """A failure where no work of the candidate was asked for."""
        self.kill()
        if isinstance(found, Ours):
            return our_failure(found, self._plan)
        return ToolFailure(
            f"a launcher failed between two calls: {result_name(found.code)}",
            action="run ptxboard doctor",
        )

    @property
    def _row_seconds(self) -> float:
        call, row = self.deadlines.call, self.deadlines.row
        return call + min(call * (len(self._row) - 1), row)

    def _believe(self, found: SetUp | Waiting | Called, seconds: float) -> None:
        """Raise BadFrame for a time that is longer than the wait for it."""
        if isinstance(found, Waiting):
            return
        said = found.gpu_ns if isinstance(found, SetUp) else found.event_ns
        waited = round(seconds * 1e9)
        if said > waited + waited // _CLOCK_SLACK_SHARE + _CLOCK_SLACK_NS:
            raise BadFrame("says that work took longer than the wait for it")


def _timed_out(call: int, seconds: float) -> Fault:
    in_set_up = call == IN_SET_UP
    kind = FaultKind.SET_UP_TIMED_OUT if in_set_up else FaultKind.TIMED_OUT
    return Fault(kind, launcher=0, call=call, step=NO_STEP, code=0, name="", seconds=seconds)
