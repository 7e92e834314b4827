"""A lab has its GPU alone from before its referee is opened until after it was closed."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_measurer import FakeMeasurer
from test_measure_wiring import FACTS

from evaluation.adapters import lab
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu_use import GpuUnavailable
from evaluation.adapters.lab import open_lab
from evaluation.adapters.measure_wiring import Gpu, quarantine_of
from evaluation.adapters.quarantine import GpuTaken, Quarantine
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.health import GpuSick


@dataclass
class Referee(FakeMeasurer):
    """``free`` says for each moment that counts whether another process could have had the GPU."""

    other: Quarantine | None = None
    free: list[bool] = field(default_factory=list)

    def look(self) -> None:
        assert self.other is not None
        try:
            self.other.claim()
        except GpuTaken:
            self.free.append(False)
        else:
            self.other.release()
            self.free.append(True)

    def close(self) -> None:
        self.look()
        super().close()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "home")


@pytest.fixture
def referee(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Referee:
    opened = Referee(other=quarantine_of(workspace, "h200", 1))

    def open_referee(*_: object) -> Referee:
        opened.look()
        return opened

    monkeypatch.setattr(lab, "find_gpu", lambda number: Gpu(number, FACTS, H200))
    monkeypatch.setattr(lab, "open_referee", open_referee)
    return opened


H200 = packaged().device("h200")


def test_the_gpu_is_claimed_around_the_referee_and_free_after_it(
    workspace: Workspace, referee: Referee
) -> None:
    with open_lab(workspace, "h200", 1, environment={}) as opened:
        assert opened.measurer is referee
        assert opened.ledger.gpu == "h200-1"
    referee.look()
    assert referee.free == [False, False, True]
    assert referee.said == ["end"]


def test_a_gpu_that_another_has_gets_no_referee(workspace: Workspace, referee: Referee) -> None:
    assert referee.other is not None
    referee.other.claim()
    with (
        pytest.raises(GpuUnavailable, match="a worker of this host has the GPU h200-1"),
        open_lab(workspace, "h200", 1, environment={}),
    ):
        pass
    assert (referee.free, referee.said) == ([], [])


def test_a_gpu_that_is_sick_outside_of_a_kernel_is_in_quarantine_too(
    workspace: Workspace, referee: Referee
) -> None:
    with (
        pytest.raises(GpuSick),
        open_lab(workspace, "h200", 1, environment={}),
    ):
        raise GpuSick("Xid 79")
    assert quarantine_of(workspace, "h200", 1).read().sick == "Xid 79"
    referee.look()
    assert referee.free[-1]


def test_another_product_is_not_claimed(workspace: Workspace, referee: Referee) -> None:
    with (
        pytest.raises(ToolMissing, match="the kernel was judged on h100-sxm"),
        open_lab(workspace, "h100-sxm", 1, environment={}),
    ):
        pass
    assert referee.free == []
    assert not workspace.measure.exists()
