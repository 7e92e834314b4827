"""Launchers that are ready before they are needed."""

import threading
from collections.abc import Callable, Iterator

import pytest
from fake_bench import FakeBench, FakeLauncher, FakeLaunchers, Time

from evaluation.adapters.referee.spares import SpareLaunchers
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import Gpu, GpuStuck, Launcher

GPU = Gpu(3, "GPU-1")


class Shop(FakeLaunchers):
    """Remembers which thread started what; the first ``failing`` starts fail."""

    failing = 0
    threads: set[str]
    meet: Callable[[], object] = staticmethod(lambda: None)

    def start(self, gpu: Gpu) -> FakeLauncher:
        self.meet()
        self.threads.add(threading.current_thread().name)
        if self.failing:
            self.failing -= 1
            raise ToolFailure("no jail", action="install bubblewrap")
        return super().start(gpu)


@pytest.fixture
def shop() -> Shop:
    made = Shop(FakeBench(Time(), []), [])
    made.threads = set()
    return made


@pytest.fixture
def spares(shop: Shop) -> Iterator[SpareLaunchers]:
    made = SpareLaunchers(shop, GPU, count=2)
    yield made
    made.close()


def test_a_launcher_is_started_when_there_is_no_spare(spares: SpareLaunchers, shop: Shop) -> None:
    spares.start(GPU)
    assert shop.started == 1


def test_spares_are_given_before_any_is_started(spares: SpareLaunchers, shop: Shop) -> None:
    spares.replenish()
    spares.settle()
    assert shop.started == 2
    spares.start(GPU)
    spares.start(GPU)
    assert shop.started == 2
    spares.start(GPU)
    assert shop.started == 3


def test_only_what_was_used_is_replaced(spares: SpareLaunchers, shop: Shop) -> None:
    spares.replenish()
    spares.start(GPU)
    spares.replenish()
    spares.settle()
    assert shop.started == 3


def test_spares_are_started_at_the_same_time_by_threads_that_stay(
    spares: SpareLaunchers, shop: Shop
) -> None:
    both = threading.Barrier(2)  # broken, and the starts with it, unless both come to it
    shop.meet = lambda: both.wait(60)
    spares.replenish()
    spares.settle()
    assert shop.started == 2
    alive = {one.name for one in threading.enumerate()}
    assert len(shop.threads) == 2
    assert shop.threads <= alive - {threading.current_thread().name}


def test_a_spare_that_could_not_be_started_is_tried_again(
    spares: SpareLaunchers, shop: Shop
) -> None:
    shop.failing = 2
    spares.replenish()
    spares.settle()
    spares.start(GPU)
    assert shop.started == 1
    shop.failing = 1
    with pytest.raises(ToolFailure, match="no jail"):
        spares.start(GPU)


def test_closing_ends_every_spare(shop: Shop) -> None:
    spares = SpareLaunchers(shop, GPU, count=2)
    spares.replenish()
    spares.close()
    words = [act[0] for act in shop.diary]
    assert words == ["start", "start", "leave", "leave", "end", "end"]
    assert {act[1] for act in shop.diary if act[0] == "end"} == {0, 1}


def test_another_gpu_has_no_spares_here(spares: SpareLaunchers) -> None:
    with pytest.raises(ToolFailure, match="another GPU"):
        spares.start(Gpu(0, "GPU-2"))


@pytest.mark.parametrize("used", [1, 2])
def test_the_spare_that_is_given_next_is_made_ready_and_no_other(shop: Shop, used: int) -> None:
    readied: list[Launcher] = []
    spares = SpareLaunchers(shop, GPU, count=2, ready=readied.append)
    spares.replenish()
    spares.replenish()
    spares.settle()
    given = [spares.start(GPU) for _ in range(used)]
    assert readied == given[:1]
    spares.replenish()
    spares.settle()
    assert readied[1:] == [spares.start(GPU)]
    spares.close()


def test_a_spare_that_cannot_be_made_ready_is_thrown_away(shop: Shop) -> None:
    def refuse(launcher: Launcher) -> None:
        raise ToolFailure("gone", action="look")

    spares = SpareLaunchers(shop, GPU, count=2, ready=refuse)
    spares.replenish()
    spares.settle()
    spares.start(GPU)
    assert shop.started == 2
    spares.start(GPU)
    assert shop.started == 3
    spares.close()


STUCK = GpuStuck("process 7 is still there 10 s after it was killed", action="look at the GPU")


def test_a_spare_that_does_not_die_when_its_start_fails_is_told_and_thrown_away(
    shop: Shop,
) -> None:
    """A failed start kills what it started; where that does not die, the GPU is sick (rule T8)."""
    spares = SpareLaunchers(shop, GPU, count=2, ready=_refuse)
    spares.replenish()
    with pytest.raises(GpuStuck, match="process 7"):
        spares.settle()
    spares.start(GPU)  # the other one, which nobody made ready
    assert shop.started == 2
    spares.close()


def test_every_spare_is_asked_to_end_and_then_the_one_that_does_not_die_is_told(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Launcher] = []

    def end(launcher: FakeLauncher) -> None:
        ended.append(launcher)
        if len(ended) == 1:
            raise STUCK
        raise ToolFailure("gone", action="look")

    monkeypatch.setattr(FakeLauncher, "end", end)
    spares = SpareLaunchers(shop, GPU, count=2)
    spares.replenish()
    with pytest.raises(GpuStuck, match="process 7"):
        spares.close()
    assert len(ended) == 2
    spares.close()  # nothing is left of it


def test_closing_tells_of_a_spare_that_did_not_die_before(shop: Shop) -> None:
    spares = SpareLaunchers(shop, GPU, count=2, ready=_refuse)
    spares.replenish()
    with pytest.raises(GpuStuck, match="process 7"):
        spares.close()
    assert [act[0] for act in shop.diary] == ["start", "start", "leave", "end"]


def test_spares_that_merely_fail_are_no_sick_gpu(shop: Shop) -> None:
    shop.failing = 2
    spares = SpareLaunchers(shop, GPU, count=2)
    spares.replenish()
    spares.settle()
    spares.close()
    assert shop.started == 0


def _refuse(launcher: Launcher) -> None:
    raise STUCK
