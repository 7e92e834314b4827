"""Guard and supervisor over stand-ins: what starts when, what happens when a service ends, and how all of it ends."""

import os
import signal
import time
from pathlib import Path

import pytest
from product_process import Product, product

ORDER = ["broker", "migrate", "beat", "worker", "web"]


def in_order(product: Product) -> list[str]:
    started = product.started()
    return [*started[:2], *sorted(started[2:4]), *started[4:]]


def test_services_start_stage_by_stage_and_are_announced_when_all_are_ready(tmp_path: Path) -> None:
    with product(tmp_path) as running:
        running.wait_announced()
        assert in_order(running) == ORDER
        assert running.said() == "announced\n"


def test_the_next_stage_waits_until_the_one_before_is_ready(tmp_path: Path) -> None:
    with product(tmp_path, worker="wait") as running:
        running.wait_started("worker")
        running.wait_started("beat")
        running.wait_for((tmp_path / "beat.ready").exists)
        assert "web" not in running.started()
        (tmp_path / "worker.ready").touch()
        running.wait_announced()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_guard_stops_everything_in_order(
    tmp_path: Path, number: signal.Signals
) -> None:
    with product(tmp_path, worker="fork") as running:
        running.wait_announced()
        os.kill(running.guard, number)
        assert running.ended() == 0
        assert running.pids() == []
        assert running.said() == "announced\nstopping ...\n"


def test_a_signal_to_the_supervisor_itself_stops_everything_in_order(tmp_path: Path) -> None:
    with product(tmp_path) as running:
        running.wait_announced()
        os.kill(running.supervisor, signal.SIGTERM)
        assert running.ended() == 0
        assert running.pids() == []


def test_a_later_stage_has_ended_before_the_one_it_needs_is_asked_to(tmp_path: Path) -> None:
    with product(tmp_path, web="hold") as running:
        running.wait_announced()
        os.kill(running.guard, signal.SIGINT)
        running.wait_for(lambda: "stopping" in running.said())
        assert len(running.pids("broker")) == 1  # web takes its two seconds first
        assert running.ended() == 0
        assert running.pids() == []


def test_a_second_signal_ends_everything_at_once(tmp_path: Path) -> None:
    with product(tmp_path, web="hold", worker="hold", broker="hold") as running:
        running.wait_announced()
        os.kill(running.guard, signal.SIGINT)
        running.wait_for(lambda: "stopping" in running.said())
        os.kill(running.guard, signal.SIGINT)
        assert running.ended() == 130
        assert running.pids() == []


def test_a_fourth_signal_ends_even_a_supervisor_that_hears_nothing(tmp_path: Path) -> None:
    with product(tmp_path, worker="fork") as running:
        running.wait_announced()
        supervisor = running.supervisor
        os.kill(supervisor, signal.SIGSTOP)
        while supervisor in running.pids():
            os.kill(running.guard, signal.SIGINT)
            time.sleep(0.05)  # two at once would be one
        assert running.ended() == 70
        assert running.pids() == []


def test_a_service_that_is_killed_is_started_again_and_its_rest_ended_before(
    tmp_path: Path,
) -> None:
    with product(tmp_path, worker="fork") as running:
        running.wait_announced()
        before = set(running.pids())
        (worker,) = running.pids("worker")
        running.wait_for(
            lambda: len(running.pids()) == 8
        )  # guard, supervisor, 4 services, 2 children
        before = set(running.pids())
        os.kill(worker, signal.SIGKILL)
        running.wait_started("worker", times=2)
        running.wait_for(lambda: len(running.pids()) == 8)
        # The worker and both of its children are new ones.
        assert len(before & set(running.pids())) == 5
        assert "worker was ended by signal 9; it is started again in 0.05 s" in running.said()


def test_every_service_is_started_again_by_itself(tmp_path: Path) -> None:
    with product(tmp_path) as running:
        running.wait_announced()
        for name in ("broker", "worker", "beat", "web"):
            (pid,) = running.pids(name)
            os.kill(pid, signal.SIGKILL)
            running.wait_started(name, times=2)
        os.kill(running.guard, signal.SIGINT)
        assert running.ended() == 0
        assert running.said().count("announced") == 1


def test_a_service_that_ends_again_and_again_ends_everything_and_shows_its_log(
    tmp_path: Path,
) -> None:
    with product(tmp_path, worker="crash") as running:
        assert running.ended() == 70
        assert running.pids() == []
        assert running.started().count("worker") == 3
        what = "worker ended 3 times soon after its start; the last time it ended with exit code 7"
        end = "  worker has  [31mno luck\n" * 3
        assert f"{what}. The end of {tmp_path}/worker.log:\n{end}stopping ...\n" in running.said()


def test_work_that_is_done_once_and_fails_is_not_tried_again(tmp_path: Path) -> None:
    with product(tmp_path, migrate="crash") as running:
        assert running.ended() == 70
        assert running.started() == ["broker", "migrate"]
        assert running.pids() == []
        assert "migrate ended with exit code 7. The end of " in running.said()


# Which stand-in hangs, and so in which phase of the start the product stays.
PHASES = ["broker", "migrate", "worker", "web"]


@pytest.mark.parametrize("victim", ["guard", "supervisor"])
@pytest.mark.parametrize("phase", PHASES)
def test_nothing_is_left_when_one_of_both_is_killed_while_the_product_starts(
    tmp_path: Path, phase: str, victim: str
) -> None:
    with product(tmp_path, **{"broker": "fork", phase: "wait fork hold"}) as running:
        running.wait_started(phase)
        os.kill(getattr(running, victim), signal.SIGKILL)
        running.wait_gone()
        assert running.ended() == (-9 if victim == "guard" else 70)


@pytest.mark.parametrize("victim", ["guard", "supervisor"])
def test_nothing_is_left_when_one_of_both_is_killed_while_it_runs(
    tmp_path: Path, victim: str
) -> None:
    with product(tmp_path, worker="fork hold", web="fork") as running:
        running.wait_announced()
        os.kill(getattr(running, victim), signal.SIGKILL)
        running.wait_gone()


@pytest.mark.parametrize("victim", ["guard", "supervisor"])
def test_nothing_is_left_when_one_of_both_is_killed_while_it_stops(
    tmp_path: Path, victim: str
) -> None:
    with product(tmp_path, worker="fork hold", web="fork hold") as running:
        running.wait_announced()
        os.kill(running.guard, signal.SIGINT)
        running.wait_for(lambda: "stopping" in running.said())
        os.kill(getattr(running, victim), signal.SIGKILL)
        running.wait_gone()


def test_services_themselves_end_where_both_are_killed_in_one_moment(tmp_path: Path) -> None:
    """Nobody is left who could end a grandchild; a real one sees its parent's end by itself."""
    with product(tmp_path) as running:
        running.wait_announced()
        pair = (running.supervisor, running.guard)
        for pid in pair:
            os.kill(pid, signal.SIGSTOP)
        for pid in pair:
            os.kill(pid, signal.SIGKILL)
        running.wait_gone()


@pytest.mark.parametrize("phase", PHASES)
def test_ctrl_c_while_the_product_starts_stops_what_was_started(tmp_path: Path, phase: str) -> None:
    with product(tmp_path, **{phase: "wait"}) as running:
        running.wait_started(phase)
        os.kill(running.guard, signal.SIGINT)
        assert running.ended() == 0
        assert running.pids() == []
        assert running.said() == "stopping ...\n"


def test_a_service_has_no_descriptor_and_no_variable_that_it_was_not_given(tmp_path: Path) -> None:
    with product(tmp_path) as running:
        running.wait_announced()
        (pid,) = running.pids("web")
        assert {int(one.name) for one in Path(f"/proc/{pid}/fd").iterdir()} == {0, 1, 2}
        names = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        assert {one.partition(b"=")[0] for one in names if one} == {b"PTXBOARD_TEST_MARK", b"PATH"}
        assert (tmp_path / "web.log").stat().st_mode & 0o777 == 0o600
