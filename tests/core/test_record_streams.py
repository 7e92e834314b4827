"""Streams and events (rule L10): recorded if the work has one order, refused by name if not."""

from collections.abc import Callable
from functools import partial

import pytest
from recorded import Process, number, plan_of, refusal_of

BESIDE = "work on stream {} runs beside earlier work of another stream"


def event(p: Process, identity: int, action: str, stream: int) -> None:
    p.write("event", id=identity, action=action, stream=stream)


def synchronize(p: Process, what: str, stream: int = 0, event: int = 0) -> None:
    p.write("synchronize", what=what, stream=stream, event=event)


def launches(script: object) -> int:
    return len(plan_of(script).steady)  # type: ignore[arg-type]


@pytest.mark.parametrize("stream", [0, 1, 5])
def test_one_stream_has_one_order(stream: int) -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=stream)
        p.k(stream=stream)

    assert launches(script) == 2


@pytest.mark.parametrize("kind", ["launch", "memset", "payload", "copy"])
def test_work_on_two_streams_without_order_is_refused(kind: str) -> None:
    def script(p: Process, _: int) -> None:
        p.k(stream=1)
        match kind:
            case "launch":
                p.launch("plain", number(1), stream=2)
            case "memset":
                p.memset(p.at("C"), stream=2)
            case "payload":
                p.payload(p.at("table"), b"x", stream=2)
            case _:
                p.copy(p.at("C"), p.at("A"), stream=2)

    assert refusal_of(script) == BESIDE.format(2)


def test_streams_that_wait_for_events_of_each_other_have_one_order() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.write("stream", id=2, action="create", non_blocking=True)
            event(p, 0, "create", 0)
            event(p, 1, "create", 0)
        p.launch("plain", number(1), stream=1)
        event(p, 0, "record", 1)
        event(p, 0, "wait", 2)
        p.launch("plain", number(2), stream=2)
        event(p, 1, "record", 2)
        event(p, 1, "wait", 1)
        p.k(stream=1)

    assert launches(script) == 3


def test_streams_that_fork_and_join_run_beside_each_other() -> None:
    def script(p: Process, _: int) -> None:
        event(p, 0, "record", 1)
        event(p, 0, "wait", 2)
        p.launch("plain", number(1), stream=1)
        p.launch("plain", number(2), stream=2)
        event(p, 1, "record", 2)
        event(p, 1, "wait", 1)
        p.k(stream=1)

    assert refusal_of(script) == BESIDE.format(2)


def test_an_event_recorded_too_early_gives_no_order() -> None:
    def script(p: Process, _: int) -> None:
        event(p, 0, "record", 1)
        p.launch("plain", number(1), stream=1)
        event(p, 0, "wait", 2)
        p.k(stream=2)

    assert refusal_of(script) == BESIDE.format(2)


def test_an_event_that_was_never_recorded_gives_no_order() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=1)
        event(p, 7, "wait", 2)
        p.k(stream=2)

    assert refusal_of(script) == BESIDE.format(2)


def test_a_chain_of_events_through_a_third_stream_gives_order() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=1)
        event(p, 0, "record", 1)
        event(p, 0, "wait", 3)
        event(p, 1, "record", 3)
        event(p, 1, "wait", 2)
        p.k(stream=2)
        event(p, 2, "record", 2)
        event(p, 2, "wait", 1)

    assert launches(script) == 2


def test_the_null_stream_is_ordered_with_every_other() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=2)
        p.launch("plain", number(2), stream=0)
        p.k(stream=3)

    def ending_on_null(p: Process, n: int) -> None:
        script(p, n)
        p.launch("plain", number(4), stream=0)

    assert launches(ending_on_null) == 4
    assert refusal_of(script) == BESIDE.format(2)  # stream 2 of a call beside stream 3 of the last


def test_the_null_stream_is_not_ordered_with_a_non_blocking_stream() -> None:
    def script(p: Process, n: int, *, null_first: bool, non_blocking: bool) -> None:
        if n == 1:
            p.write("stream", id=2, action="create", non_blocking=non_blocking)
        p.launch("plain", number(1), stream=0 if null_first else 2)
        p.k(stream=2 if null_first else 0)
        synchronize(p, "device")

    for null_first in (True, False):
        ordered = partial(script, null_first=null_first, non_blocking=False)
        assert launches(ordered) == 2
        beside = partial(script, null_first=null_first, non_blocking=True)
        assert refusal_of(beside) == BESIDE.format(2 if null_first else 0)


def test_an_event_orders_the_null_stream_with_a_non_blocking_one() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.write("stream", id=2, action="create", non_blocking=True)
        p.launch("plain", number(1), stream=2)
        event(p, 0, "record", 2)
        event(p, 0, "wait", 0)
        p.launch("nothing", b"", stream=0)
        p.k(stream=1)
        event(p, 1, "record", 1)
        event(p, 1, "wait", 2)

    assert launches(script) == 3


@pytest.mark.parametrize("what", ["stream", "device", "event"])
def test_a_host_that_waits_orders_what_comes_after(what: str) -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=1)
        event(p, 3, "record", 1)
        synchronize(p, what, stream=1, event=3)
        p.k(stream=2)
        synchronize(p, "device")

    assert launches(script) == 2


def two_streams_with(p: Process, between: Callable[[], None]) -> None:
    """Work on two non-blocking streams, ``between`` it what is tried, then an end that orders every call."""
    for stream in (2, 3):
        p.write("stream", id=stream, action="create", non_blocking=True)
    p.launch("plain", number(1), stream=2)
    between()
    p.k(stream=3)
    synchronize(p, "device")


def test_waiting_for_an_event_that_was_never_recorded_orders_nothing() -> None:
    def script(p: Process, _: int) -> None:
        event(p, 0, "create", 0)
        two_streams_with(p, lambda: synchronize(p, "event", event=0))

    assert refusal_of(script) == BESIDE.format(3)


@pytest.mark.parametrize("recorded", ["too early", "on another stream"])
def test_waiting_for_an_event_orders_only_what_the_event_covers(recorded: str) -> None:
    def script(p: Process, _: int) -> None:
        if recorded == "too early":
            event(p, 0, "record", 2)

        def between() -> None:
            if recorded == "on another stream":
                event(p, 0, "record", 3)
            synchronize(p, "event", event=0)

        two_streams_with(p, between)

    assert refusal_of(script) == BESIDE.format(3)


def test_waiting_for_an_old_event_takes_nothing_back() -> None:
    def script(p: Process, _: int) -> None:
        event(p, 0, "record", 2)

        def between() -> None:
            synchronize(p, "device")
            synchronize(p, "event", event=0)

        two_streams_with(p, between)

    assert launches(script) == 2


def test_waiting_for_another_stream_orders_nothing() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=1)
        synchronize(p, "stream", 2)
        p.k(stream=3)

    assert refusal_of(script) == BESIDE.format(3)


def test_work_left_on_another_stream_runs_beside_the_next_call() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("plain", number(1), stream=1)
        event(p, 0, "record", 1)
        event(p, 0, "wait", 2)
        p.k(stream=2)

    assert refusal_of(script) == BESIDE.format(1)


def test_async_allocations_and_frees_are_no_work() -> None:
    def script(p: Process, _: int) -> None:
        p.write("alloc", id=p.allocs, base=p.new_base(), size=64, kind="async", stream=9)
        p.allocs += 1
        p.k(stream=1)
        p.write("free", id=p.allocs - 1, stream=8)

    assert launches(script) == 3
