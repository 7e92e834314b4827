"""When the launchers of the next kernel begin: not while anything of this one is timed."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fake_bench import MILLISECOND, Diary, FakeBench, FakeLaunchers, Time, wrong

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.referee.served_session import ServedSession
from evaluation.adapters.referee.session import Resources, Subject
from evaluation.adapters.referee.spares import SpareLaunchers
from evaluation.core.launching.port import Gpu, Launchers

TIMED = {"prepare", "go", "call", "vendor slope", "canary"}
GPU = Gpu(3, "GPU-1")


class DiarySpares(SpareLaunchers):
    """Writes down when it is asked for spares, and starts none before one is needed."""

    def __init__(self, launchers: Launchers, diary: Diary) -> None:
        super().__init__(launchers, GPU, count=1)
        self._diary = diary

    def replenish(self) -> None:
        self._diary.append(("replenish",))

    def settle(self) -> None:
        self._diary.append(("settle",))


@dataclass
class Scene:
    session: ServedSession
    bench: FakeBench
    launchers: FakeLaunchers
    diary: Diary

    def words(self) -> list[str]:
        return [act[0] for act in self.diary]


@pytest.fixture
def there() -> Iterator[Scene]:
    diary: Diary = []
    time = Time()
    bench = FakeBench(time, diary)
    launchers = FakeLaunchers(bench, diary)
    spares = DiarySpares(launchers, diary)
    resources = Resources(bench, spares, GPU, time, lambda size: b"\x5a" * size)
    subject = Subject(packaged().problem("gemm_n4096_k4096"), b"", b"", ("ops",), held_calls=512)
    yield Scene(ServedSession(subject, resources, spares), bench, launchers, diary)
    spares.close()


def test_the_next_kernels_launchers_begin_behind_the_last_timed_row(there: Scene) -> None:
    assert there.session.check().fault is None
    assert len(there.session.measure().slopes) == 4
    words = there.words()
    begun = words.index("replenish")
    # The set that no launcher can foresee is compared first: nothing may come between its row and that.
    assert words[begun - 2 : begun] == ["go", "compare"]
    assert not TIMED & {*words[begun:]}
    assert words[begun + 1 : begun + 3] == ["vendor", "compare"]
    alone = len(words) - 1 - words[::-1].index("renew")
    assert words[alone:] == ["renew", *["vendor"] * 10, "roofs"]
    assert begun < alone


def test_a_second_measurement_times_nothing_before_all_launchers_that_were_begun_stand(
    there: Scene,
) -> None:
    there.session.check()
    there.session.measure()
    there.diary.clear()
    there.session.measure()
    words = there.words()
    settled = words.index("settle")
    assert not (TIMED | {"vendor"}) & {*words[:settled]}


def test_closing_asks_a_launcher_to_go_and_does_not_wait_for_it_to_begin_the_next(
    there: Scene,
) -> None:
    there.session.check()
    there.diary.clear()
    there.session.close()
    assert there.words() == ["leave", "replenish", "end"]


def test_a_kernel_of_one_process_lets_the_next_begin_when_that_is_asked_to_go(there: Scene) -> None:
    """Its last row is the vendor's, and its launcher has counted until then: one process at a time can."""
    there.launchers.call_ns = 200 * MILLISECOND
    there.session.check()
    assert there.session.measure().launchers == 1
    words = there.words()
    begun = words.index("replenish")
    assert words[begun - 2 : begun] == ["vendor slope", "leave"]


def test_a_kernel_that_is_wrong_begins_nothing_before_it_is_closed(there: Scene) -> None:
    there.bench.judge = lambda _: wrong(outside=5, outside_both=5)
    there.session.check()
    assert "replenish" not in there.words()
    there.session.close()
    assert there.words()[-1] == "replenish"
