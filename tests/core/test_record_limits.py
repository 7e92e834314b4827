"""Limits of the device that host code sets: one value of each in the plan (rule L10)."""

import pytest
from recorded import Process, plan_of, refusal_of

from evaluation.core.plan.plan import Assumption


def test_a_stack_limit_set_in_the_first_call_is_in_the_plan() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.write("limit", what="stack", bytes=4096)
        p.k()

    plan = plan_of(script)
    assert (plan.stack_bytes, plan.heap_bytes) == (4096, 0)
    assert plan.setup == ()


def test_a_stack_limit_set_while_loading_is_in_the_plan() -> None:
    plan = plan_of(lambda p, _: p.k(), loading=lambda p: p.write("limit", what="stack", bytes=2048))
    assert plan.stack_bytes == 2048


def test_a_limit_that_every_call_sets_and_takes_back_is_the_larger_one() -> None:
    def script(p: Process, n: int) -> None:
        p.write("limit", what="stack", bytes=8192)
        p.k()
        p.write("limit", what="stack", bytes=1024)

    assert plan_of(script).stack_bytes == 8192


def test_a_heap_limit_is_in_the_plan() -> None:
    def script(p: Process, n: int) -> None:
        p.write("limit", what="heap", bytes=2**26)
        p.k()

    plan = plan_of(script)
    assert (plan.stack_bytes, plan.heap_bytes) == (0, 2**26)


@pytest.mark.parametrize(("what", "size"), [("stack", 512), ("stack", 1024), ("heap", 2**23)])
def test_a_limit_up_to_that_of_the_device_is_none(what: str, size: int) -> None:
    def script(p: Process, n: int) -> None:
        p.write("limit", what=what, bytes=size)
        p.k()

    plan = plan_of(script)
    assert (plan.stack_bytes, plan.heap_bytes) == (0, 0)


def test_a_limit_that_grows_from_call_to_call_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.write("limit", what="stack", bytes=2048 + 16 * n)
        p.k()

    headline = refusal_of(script)
    assert headline == "call 3 differs: the limits of the device that it sets"


def test_a_limit_that_one_call_alone_sets_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 5:
            p.write("limit", what="heap", bytes=2**26)
        p.k()

    assert refusal_of(script) == "call 5 differs: the limits of the device that it sets"


def test_a_limit_that_differs_from_process_to_process_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.write("limit", what="stack", bytes=2048 << p.process)
        p.k()

    wanted = "two runs with the same arguments set different limits of the device"
    assert refusal_of(script) == wanted


def test_the_limit_before_it_was_set_is_no_assumption() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.query("cudaDeviceGetLimit", [0], [1024])
            p.query("cuCtxGetLimit", [2], [2**23])
            p.write("limit", what="stack", bytes=4096)
        p.k()

    assert plan_of(script).assumptions == (Assumption("cuCtxGetLimit", (2,), (2**23,)),)
