"""Takes requests one after the other and gives each its answer, or none to those that only bring something."""

from collections.abc import Callable
from dataclasses import dataclass, field

from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.core.launching.answers import OurFault, counting_numbers
from evaluation.core.launching.frames import (
    Answer,
    Ask,
    BadFrame,
    Request,
    Say,
    read_calls,
    read_names,
)
from evaluation.core.launching.port import Counting
from evaluation.launcher.channel import content_of
from evaluation.launcher.counting import Counters
from evaluation.launcher.failures import OurFailure
from evaluation.launcher.machine import Machine
from evaluation.launcher.places import SharedSets
from evaluation.launcher.replay import OwnKernels, Replay
from evaluation.launcher.setting_up import Documents, set_up

Numbers = tuple[Say, tuple[int, ...]]


@dataclass(slots=True)
class Responder:
    """``load_own`` makes the judge's own kernels from their image; it raises CudaError."""

    machine: Machine
    counters: Counters
    load_own: Callable[[bytes], OwnKernels]
    _files: dict[Ask, bytes] = field(default_factory=dict)
    _shared: SharedSets = field(default_factory=SharedSets)
    _own: OwnKernels | None = None
    _failure: OurFailure | None = None  # of a request that gets no answer; the next one tells it
    _replay: Replay | None = None

    def take(self, request: Request, descriptor: int | None) -> Answer | None:
        """Raise OurFailure, StepFailed, and BadFrame for what no judge of ours sends."""
        waits = self._replay is not None and self._replay.row_waits
        if waits is not (request.ask is Ask.GO):
            raise OurFailure(OurFault.ORDER)
        if request.ask in _BRINGING:
            try:
                self._bring(request, _needed(descriptor))
            except OurFailure as error:
                self._failure = self._failure or error
            return None
        if self._failure is not None:
            raise self._failure
        say, numbers = self._answer(request, descriptor)
        return Answer(say, request.sequence, numbers)

    def _bring(self, request: Request, descriptor: int) -> None:
        if request.ask is Ask.TRUSTED:
            self._load_own(content_of(descriptor, request.numbers[0]))
            return
        if request.ask is not Ask.BUFFER:
            self._files[request.ask] = content_of(descriptor, request.numbers[0])
            return
        number, place, size, writable = request.numbers
        try:
            self._shared.add(
                descriptor, number=number, place=place, size=size, writable=bool(writable)
            )
        except CudaError as error:
            raise OurFailure(OurFault.DRIVER, error.code) from error

    def _load_own(self, image: bytes) -> None:
        """At once: a launcher that waits for its kernel has the time."""
        try:
            self._own = self.load_own(image)
        except CudaError as error:
            raise OurFailure(OurFault.IMAGE, error.code) from error

    def _answer(self, request: Request, descriptor: int | None) -> Numbers:
        match request.ask:
            case Ask.SET_UP:
                return self._set_up()
            case Ask.CALL:
                return self._call(request.numbers)
            case Ask.GO:
                return Say.CALLED, (self._ready().go(),)
            case Ask.ROW:
                row = read_calls(content_of(_needed(descriptor), request.numbers[0]))
                self.counters.rest()
                self._ready().prepare_row(row)
                return Say.WAITING, ()
            case Ask.COUNT:
                names = read_names(content_of(_needed(descriptor), request.numbers[0]))
                return Say.COUNTING, counting_numbers(self.counters.configure(names))
            case _:
                return self._read()

    def _set_up(self) -> Numbers:
        missing = [ask for ask in (Ask.PLAN, Ask.CUBIN) if ask not in self._files]
        if missing or self._own is None or self._replay is not None:
            raise OurFailure(OurFault.ORDER)
        documents = Documents(self._files[Ask.PLAN], self._files[Ask.CUBIN], self._shared)
        self._replay, done = set_up(documents, self.machine, self._own)
        return Say.SET_UP, (done.gpu_ns, done.bytes)

    def _call(self, numbers: tuple[int, ...]) -> Numbers:
        call, number, end_aligned, counted, cold = numbers
        if not counted:
            self.counters.rest()  # no profiler beside a call that may rank (rule S4)
        spent = self._ready().call(
            call,
            number=number,
            end_aligned=bool(end_aligned),
            cold=bool(cold),
            counted=self.counters.counted if counted else None,
        )
        return Say.CALLED, (spent,)

    def _read(self) -> Numbers:
        values = self.counters.read()
        if isinstance(values, Counting):
            return Say.COUNTING, counting_numbers(values)
        return Say.COUNTERS, values

    def _ready(self) -> Replay:
        if self._replay is None:
            raise OurFailure(OurFault.ORDER)
        return self._replay


_BRINGING = frozenset((Ask.TRUSTED, Ask.PLAN, Ask.CUBIN, Ask.BUFFER))


def _needed(descriptor: int | None) -> int:
    if descriptor is None:
        raise BadFrame("comes without the file that it speaks of")
    return descriptor
