"""System checks of lease, sweep and visibility: each refuses the order that would do a run twice or lose it."""

from types import MappingProxyType

import pytest

from portal.checks import Timing, queues_check, wrong_broker, wrong_order, wrong_silence

GOOD = {"heartbeat": 10, "lease": 60, "sweep": 15, "visibility": MappingProxyType({"prepare": 61})}


def ids(timing: Timing) -> list[str | None]:
    return [one.id for one in wrong_order(timing)]


def test_the_settings_of_this_release_are_in_order() -> None:
    assert queues_check(None) == []


def test_an_order_that_just_holds_is_taken() -> None:
    assert ids(Timing(**GOOD)) == []  # type: ignore[arg-type]  # values of a table


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"lease": 29}, "portal.E001"),
        ({"sweep": 61}, "portal.E002"),
        ({"visibility": MappingProxyType({"prepare": 60})}, "portal.E003"),
    ],
    ids=["lease", "sweep", "visibility"],
)
def test_an_order_that_takes_a_healthy_run_for_a_lost_one_is_refused(
    change: dict[str, object], refused: str
) -> None:
    assert ids(Timing(**(GOOD | change))) == [refused]  # type: ignore[arg-type]  # values of a table


@pytest.mark.parametrize(
    ("silence", "refused"),
    [
        ({"prepare": 30, "measure": 60}, 0),
        ({"prepare": 29, "measure": 60}, 1),
        ({"measure": 59}, 1),
    ],
    ids=["just enough", "a prepare worker", "a measure worker"],
)
def test_a_silence_that_takes_a_healthy_worker_for_gone_is_refused(
    silence: dict[str, int], refused: int
) -> None:
    timing = Timing(heartbeat=10, device_heartbeat=20, silence=silence)
    assert [one.id for one in wrong_silence(timing)] == ["portal.E005"] * refused


@pytest.mark.parametrize("url", ["redis://h/0", "rediss://h/0", "redis+socket:///s"])
def test_a_redis_is_taken_for_a_broker(url: str) -> None:
    assert list(wrong_broker(url)) == []


@pytest.mark.parametrize("url", ["amqp://h//", "memory://", "localhost:6379", ""])
def test_any_other_broker_is_refused(url: str) -> None:
    assert [one.id for one in wrong_broker(url)] == ["portal.E004"]
