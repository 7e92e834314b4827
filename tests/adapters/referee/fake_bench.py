"""A bench and launchers without a GPU: a clock that only moves when work is done, and a diary of every act."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from evaluation.core.launching.port import (
    BufferSet,
    Called,
    Counting,
    CountingStep,
    Died,
    Gpu,
    SetUp,
    SharedBuffer,
    Unavailable,
    Waiting,
)
from evaluation.core.measure.bench import Compared, Place
from evaluation.core.measure.seen import (
    Canary,
    ClockSample,
    DeviceSeen,
    Fault,
    FaultKind,
    Libraries,
    OutputSeen,
    Roofs,
    Timed,
)

MILLISECOND = 1_000_000
DEVICE = DeviceSeen(
    product="h200",
    name="NVIDIA H200",
    uuid="GPU-1",
    driver="580",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=60 << 20,
    memory_bytes=141 << 30,
    libraries=Libraries("2.11.0", "13.0", "13.0", "13.1.0", "9.15.1"),
    confined=True,
)
ROOFS = Roofs(4.5e12, 8e14)
RIGHT = OutputSeen("C", 1_000_000, 0, 0, 0, 0, None, None)
ILLEGAL = Fault(FaultKind.CUDA_ERROR, 0, 0, -1, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", 0.1)

Diary = list[tuple[Any, ...]]


def found(output: OutputSeen = RIGHT, *, inputs: bool = True, slack: bool = True) -> Compared:
    return Compared(inputs, slack, (output,))


def wrong(**changes: Any) -> Compared:
    return found(replace(RIGHT, **changes))


@dataclass
class Time:
    now: int = 0

    def __call__(self) -> int:
        return self.now

    def pass_by(self, nanoseconds: int) -> None:
        self.now += nanoseconds


@dataclass
class FakeBench:
    """``judge`` says what the n-th comparison finds; by default every output is right."""

    time: Time
    diary: Diary
    count: int = 4
    vendor_ns: int = MILLISECOND
    is_well: bool = True
    judge: Callable[[int], Compared] = lambda _: found()
    compared: int = 0
    device: DeviceSeen = DEVICE
    fresh: set[int] = field(default_factory=set)
    expected: Place | None = None

    @property
    def sets(self) -> tuple[BufferSet, ...]:
        return (
            (SharedBuffer(7, 16, writable=False), SharedBuffer(8, 16, writable=True)),
        ) * self.count

    def renew(self, place: Place) -> None:
        self.time.pass_by(MILLISECOND)
        self.fresh.add(place.number)
        self.diary.append(("renew", place))

    def vendor(self, place: Place) -> Timed:
        self.time.pass_by(self.vendor_ns)
        self.expected = place
        self.diary.append(("vendor", place))
        return Timed(self.vendor_ns, self.vendor_ns)

    def oracle(self, place: Place) -> None:
        self.time.pass_by(50 * MILLISECOND)
        self.diary.append(("oracle", place))

    def compare(self, place: Place) -> Compared:
        assert self.expected == place, "compared with the outputs of other inputs"
        self.diary.append(("compare", place))
        self.compared += 1
        return self.judge(self.compared - 1)

    def slope(self, places: tuple[Place, ...]) -> int:
        self.time.pass_by(self.vendor_ns * len(places))
        self.diary.append(("vendor slope", len(places)))
        return self.vendor_ns * len(places)

    def canary(self, place: Place) -> Canary:
        self.diary.append(("canary", place))
        return Canary(4096, 0)

    def roofs(self) -> Roofs:
        self.diary.append(("roofs",))
        return ROOFS

    def sample(self) -> ClockSample:
        return ClockSample(self.time.now, 1980, 2619, 40, 300_000, 0)

    def well(self) -> bool:
        self.diary.append(("well",))
        return self.is_well


@dataclass
class FakeLauncher:
    """``answer`` says how call number n of this launcher ends; a call takes ``call_ns``."""

    shop: "FakeLaunchers"
    place: int
    expected_number: int = 0
    counted: int = 0
    readings: int = 0
    row: tuple[int, tuple[int, ...]] = (0, ())

    def set_up(
        self, plan: bytes, cubin: bytes, sets: tuple[BufferSet, ...]
    ) -> SetUp | Fault | Died:
        self.shop.diary.append(("set up", self.place, plan, cubin, len(sets)))
        return self.shop.set_up_answer(self.place)

    def call(
        self,
        number: int,
        *,
        set: int,  # noqa: A002 - the port's name
        end_aligned: bool,
        counted: bool,
        cold: bool,
    ) -> Called | Fault | Died:
        assert cold
        assert number == self.expected_number, "calls are numbered without a gap"
        assert set in self.shop.bench.fresh, "an input set was used twice"
        self.shop.bench.fresh.discard(set)
        self.expected_number += 1
        self.counted += counted
        self.shop.diary.append(("call", self.place, number, Place(set, end_aligned), counted))
        return self._answer(number, 1)

    def prepare(self, numbers: tuple[int, ...], sets: tuple[int, ...]) -> Waiting | Fault | Died:
        assert numbers == tuple(range(self.expected_number, self.expected_number + len(sets)))
        self.expected_number += len(sets)
        self.row = (numbers[0], sets)
        self.shop.bench.fresh.clear()  # a row that does not wait could work on these
        self.shop.diary.append(("prepare", self.place, len(sets)))
        self.shop.bench.time.pass_by(7 * MILLISECOND * len(sets))  # the host's time
        answer = self.shop.row_answer(self.place)
        return Waiting() if answer is None else answer

    def go(self) -> Called | Fault | Died:
        first, sets = self.row
        assert {*sets} <= self.shop.bench.fresh, "inputs were not new when the row began"
        self.shop.bench.fresh.difference_update(sets)
        self.shop.diary.append(("go", self.place, len(sets)))
        return self._answer(first, len(sets))

    def count(self, metrics: tuple[str, ...]) -> Counting:
        self.shop.diary.append(("count", metrics))
        return self.shop.counting

    def read_counters(self) -> tuple[tuple[str, int], ...] | Counting:
        assert self.counted == self.shop.counting.passes, "not one reading's worth of calls"
        self.counted = 0
        self.readings += 1
        return FAILED if self.readings == self.shop.failing_reading else (("ops", 42),)

    def leave(self) -> None:
        self.shop.diary.append(("leave", self.place))

    def end(self) -> None:
        self.shop.diary.append(("end", self.place))

    def kill(self) -> None:
        self.shop.diary.append(("kill", self.place))

    def _answer(self, number: int, calls: int) -> Called | Fault | Died:
        self.shop.bench.time.pass_by(self.shop.call_ns * calls + MILLISECOND // 10)
        answer = self.shop.answer(self.place, number)
        return Called(self.shop.call_ns * calls) if answer is None else answer


@dataclass
class FakeLaunchers:
    bench: FakeBench
    diary: Diary
    call_ns: int = 2 * MILLISECOND
    counting: Counting = field(default_factory=lambda: Counting(2))
    answer: Callable[[int, int], Fault | Died | None] = lambda _place, _number: None
    row_answer: Callable[[int], Fault | Died | None] = lambda _place: None
    set_up_answer: Callable[[int], SetUp | Fault | Died] = lambda _: SetUp(5000, 64)
    started: int = 0
    failing_reading: int = 0  # of a launcher, from 1

    def start(self, gpu: Gpu) -> FakeLauncher:
        assert gpu == Gpu(3, "GPU-1")
        self.diary.append(("start", self.started))
        self.started += 1
        return FakeLauncher(self, self.started - 1)


FAILED = Counting(0, Unavailable.REFUSED, 15, CountingStep.BEGIN)
NO_COUNTERS = Counting(0, Unavailable.NOT_PERMITTED)
