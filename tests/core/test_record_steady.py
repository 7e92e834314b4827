"""Set-up against steady state: what may change from call to call, and what may not (L8, L14)."""

import pytest
from recorded import Process, number, plan_of, refusal_of, subject, word

from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    CopyStep,
    LaunchStep,
    MapStep,
    MemsetStep,
    PayloadStep,
    Relocation,
    Space,
    Stepping,
)
from evaluation.core.record.stepping import Inferred, NoRule, infer_steps


def allocation(index: int, offset: int = 0) -> Address:
    return Address(Space.ALLOCATION, index, "", offset)


def launch_of(script: object, calls: int = 8) -> LaunchStep:
    plan = plan_of(script, subject(calls=calls))  # type: ignore[arg-type]
    found = [step for step in plan.steady if isinstance(step, LaunchStep)]
    assert len(found) == 1
    return found[0]


# L8: one call that differs is named with what differs.


def test_a_grid_that_differs_in_call_9_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.k(grid=[4 if n < 9 else 3, 1, 1])

    assert refusal_of(script, subject(calls=12)) == "call 9 differs: grid of the launch of 'k'"


def test_a_grid_that_shrinks_in_every_call_is_refused() -> None:
    headline = refusal_of(lambda p, n: p.k(grid=[100 - n, 1, 1]))
    assert headline == "call 3 differs: grid of the launch of 'k'"


@pytest.mark.parametrize(
    ("what", "headline"),
    [
        ("block", "call 5 differs: block of the launch of 'k'"),
        ("shared", "call 5 differs: shared of the launch of 'k'"),
        ("cooperative", "call 5 differs: cooperative of the launch of 'k'"),
        ("settings", "call 5 differs: settings of the launch of 'k'"),
        ("kernel", "call 5 differs: function of the launch of 'k'"),
        ("attribute", "call 5 differs: value of the attribute of 'k'"),
        ("memset", "call 5 differs: value of the memset"),
        ("size", "call 5 differs: size of the allocation"),
        ("rows", "call 5 differs: rows of the device copy"),
        ("bytes", "call 5 differs: the bytes of the host-to-device copy"),
        ("length", "call 5 differs: columns of the host-to-device copy"),
        ("pointer", "call 5 differs: the places of pointers of the host-to-device copy"),
        ("null", "call 5 differs: the places of pointers of the launch of 'wide'"),
        (
            "target",
            "call 5 differs: the memset points to argument 2 + 64 where call 2 has argument 2 + 0",
        ),
        (
            "symbol",
            "call 5 differs: the device copy points to symbol 'table' + 0 where call 2 has symbol 'scratch' + 0",
        ),
        ("adds", "call 5 differs: it adds the allocation"),
        ("lacks", "call 5 differs: it lacks the launch of 'plain'"),
        ("order", "call 5 differs: the free stands where call 2 has the launch of 'nothing'"),
        ("other", "call 5 differs: the memset stands where call 2 has the launch of 'nothing'"),
    ],
)
def test_call_5_may_not_differ_in_anything(what: str, headline: str) -> None:
    def script(p: Process, n: int) -> None:
        odd = n == 5

        def is_odd(name: str) -> int:
            return int(odd and what == name)

        ws = p.once("ws", p.alloc)
        p.attribute("k", 2048 + is_odd("attribute"))
        p.memset(p.at("C", 64 * is_odd("target")), value=is_odd("memset"))
        p.alloc(64 + is_odd("size"))
        p.copy(
            p.at("table" if is_odd("symbol") else "scratch"),
            ws,
            64,
            rows=1 + is_odd("rows"),
            destination_pitch=64,
            source_pitch=64,
        )
        content = bytes([is_odd("bytes")]) * (8 + is_odd("length"))
        p.payload(p.at("table"), word(ws) if is_odd("pointer") else content)
        p.launch("wide", (bytes(8) if is_odd("null") else word(ws)) + bytes(8))
        p.launch(
            "plain" if is_odd("kernel") else "k",
            bytes(4 if is_odd("kernel") else 28),
            block=[32 + is_odd("block"), 1, 1],
            shared=is_odd("shared"),
            cooperative=is_odd("cooperative") == 1,
            attributes=[{"id": 5, "value": [1]}] * is_odd("settings"),
        )
        if is_odd("other"):
            p.memset(p.at("C"))
        elif not is_odd("order"):
            p.launch("nothing", b"")
        p.free(p.allocs - 1)
        if not is_odd("lacks"):
            p.launch("plain", number(1))
        if is_odd("adds"):
            p.alloc(64)
            p.free(p.allocs - 1)

    assert refusal_of(script) == headline


def test_a_first_call_that_passes_something_else_is_refused() -> None:
    headline = refusal_of(lambda p, n: p.k(5 if n == 1 else 6))
    assert headline == "call 1 differs: what it passes of the launch of 'k'"


def test_a_first_call_with_another_grid_is_refused() -> None:
    headline = refusal_of(lambda p, n: p.k(grid=[1 if n == 1 else 2, 1, 1]))
    assert headline == "call 1 differs: grid of the launch of 'k'"


def test_a_first_call_without_the_launch_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n > 1:
            p.k()

    assert refusal_of(script) == "call 1 differs: it lacks the launch of 'k'"


def test_a_first_call_in_another_order_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.k()
        p.launch("plain", number(1))
        if n > 1:
            p.k()

    assert refusal_of(script) == "call 1 differs: what it passes of the launch of 'plain'"


# L14: counters.


def test_an_epoch_that_counts_the_calls_becomes_a_rule() -> None:
    step = launch_of(lambda p, n: p.k(41 + n))
    assert step.stepping == (Stepping(24, 4, 1),)
    assert step.parameters.content[24:] == number(42)  # the value of call 1


def test_a_counter_may_go_down_and_wrap() -> None:
    step = launch_of(lambda p, n: p.k((3 - n) % 2**32))
    assert step.stepping == (Stepping(24, 4, 2**32 - 1),)
    assert step.parameters.content[24:] == number(2)


def test_a_counter_of_eight_bytes_carries_into_its_upper_half() -> None:
    start = 2**32 - 30

    def script(p: Process, n: int) -> None:
        p.launch("wide", (start + 10 * n).to_bytes(8, "little") + word(p.at("C")))

    step = launch_of(script)
    assert step.stepping == (Stepping(0, 8, 10),)
    assert step.parameters.content[:8] == (start + 10).to_bytes(8, "little")


def test_a_small_counter_in_a_parameter_of_eight_bytes_has_eight() -> None:
    step = launch_of(lambda p, n: p.launch("wide", number(n, 8) + word(p.at("C"))))
    assert step.stepping == (Stepping(0, 8, 1),)


def test_a_counter_inside_a_struct_steps_at_its_natural_alignment() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("packed", word(p.at("A")) + number(5) + number(n) + number(9) + number(2 * n))

    step = launch_of(script)
    assert step.stepping == (Stepping(12, 4, 1), Stepping(20, 4, 2))


def test_two_counters_side_by_side_are_two_rules() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("packed", number((-3 * n) % 2**32) + number(7 * n) + bytes(16))

    assert launch_of(script).stepping == (Stepping(0, 4, 2**32 - 3), Stepping(4, 4, 7))


@pytest.mark.parametrize("calls", [8, 40])
@pytest.mark.parametrize("values", ["random", "time", "toggle", "once"])
def test_what_steps_unevenly_is_refused(calls: int, values: str) -> None:
    def script(p: Process, n: int) -> None:
        value = {
            "random": n * n * 7919 % 1000,
            "time": 1_000_000 + 17 * n + (n > 5),
            "toggle": n % 2,
            "once": int(n == 7),
        }
        p.k(value[values])

    headline = refusal_of(script, subject(calls=calls))
    assert headline.endswith(
        "parameter 3, byte 0 of the launch of 'k': it does not grow by the same step in every call"
    )


def test_a_value_that_changes_in_one_call_is_refused_with_that_call() -> None:
    assert refusal_of(lambda p, n: p.k(7 + (n == 6))).startswith("call 6 differs: parameter 3")


def test_an_int_of_two_bytes_does_not_step() -> None:
    headline = refusal_of(lambda p, n: p.launch("small", number(n, 2) + b"\x01\x02"))
    assert headline == (
        "call 3 differs: parameter 0, byte 0 of the launch of 'small': "
        "only integers of 4 or 8 bytes may step"
    )


def test_a_step_across_two_members_is_no_counter() -> None:
    def script(p: Process, n: int) -> None:
        value = (2**16 * n * 3 + n * n).to_bytes(8, "little")
        p.launch("packed", bytes(2) + value[:6] + bytes(16))

    assert "it does not grow by the same step" in refusal_of(script)


def test_a_counter_in_a_payload_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.payload(p.at("table"), number(n))
        p.k()

    assert refusal_of(script) == "call 3 differs: the bytes of the host-to-device copy"


def test_a_pointer_that_steps_through_own_memory_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once("ws", p.alloc)
        p.launch("wide", word(ws + 16 * n) + word(p.at("C")))

    assert refusal_of(script) == (
        "call 3 differs: the launch of 'wide' points to allocation 0 + 48 "
        "where call 2 has allocation 0 + 32"
    )


def test_a_counter_that_the_first_call_does_not_share_is_refused() -> None:
    headline = refusal_of(lambda p, n: p.k(0 if n == 1 else 10 + n))
    assert headline == "call 1 differs: what it passes of the launch of 'k'"


def test_a_rule_needs_six_calls() -> None:
    parameters = subject().cubin.functions[0].parameters
    five = tuple(bytes(24) + number(n) for n in range(2, 7))
    assert infer_steps(five, parameters) == NoRule(24, "fewer than 6 calls show how it changes")
    six = (*five, bytes(24) + number(7))
    assert infer_steps(six, parameters) == Inferred(bytes(24) + number(1), (Stepping(24, 4, 1),))


def test_bytes_between_parameters_do_not_step() -> None:
    parameters = subject().cubin.functions[0].parameters
    six = tuple(bytes(28) + number(n) for n in range(6))
    assert infer_steps(six, parameters) == NoRule(28, "only integers of 4 or 8 bytes may step")


# Cycles through own memory.


@pytest.mark.parametrize("period", [2, 3, 4])
def test_workspaces_that_alternate_record_as_a_cycle(period: int) -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % period}", p.alloc)
        p.launch("wide", word(ws + 8) + word(p.at("C")))

    plan = plan_of(script, subject(calls=9))
    assert plan.setup == tuple(AllocStep(index, 4096) for index in range(period))
    launch = plan.steady[0]
    assert isinstance(launch, LaunchStep)
    cycle = tuple(allocation(index, 8) for index in range(period))
    assert launch.parameters.relocations[0] == Relocation(0, cycle)


def test_a_cycle_that_calls_do_not_go_round_twice_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % 4}", p.alloc)
        p.launch("wide", word(ws) + word(p.at("C")))

    assert refusal_of(script, subject(calls=8)).startswith("call 3 differs: the launch of 'wide'")


def test_a_cycle_of_five_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            for index in range(5):
                p.kept[f"ws{index}"] = p.alloc()
        p.launch("wide", word(p.kept[f"ws{n % 5}"]) + word(p.at("C")))

    assert refusal_of(script, subject(calls=20)).startswith(
        "call 3 differs: the launch of 'wide' points to allocation 3"
    )


def test_halves_of_one_workspace_may_alternate() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once("ws", p.alloc)
        p.launch("wide", word(ws + n % 2 * 2048) + word(p.at("C")))

    assert launch_of(script).parameters.relocations[0].to == (
        allocation(0, 2048),
        allocation(0, 0),
    )


def test_memsets_copies_payloads_and_maps_may_alternate_too() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % 2}", p.alloc)
        p.memset(ws)
        p.copy(ws + 64, p.at("scratch", n % 2 * 64))
        p.payload(ws, word(ws + 128))
        p.launch("mapped", p.map(ws) + word(p.at("C")))

    plan = plan_of(script)
    both = (allocation(0), allocation(1))
    memset, copy, payload, encode, _ = plan.steady
    assert isinstance(memset, MemsetStep)
    assert memset.destination == both
    assert isinstance(copy, CopyStep)
    assert copy.destination == (allocation(0, 64), allocation(1, 64))
    scratch = (Address(Space.SYMBOL, 0, "scratch", 64), Address(Space.SYMBOL, 0, "scratch", 0))
    assert copy.source == scratch
    assert isinstance(payload, PayloadStep)
    assert payload.payload.relocations == (Relocation(0, (allocation(0, 128), allocation(1, 128))),)
    assert isinstance(encode, MapStep)
    assert encode.encode.address == both


def test_inputs_may_not_take_turns() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("wide", word(p.at("AB"[n % 2])) + word(p.at("C")))

    assert refusal_of(script) == (
        "call 3 differs: the launch of 'wide' points to argument 1 + 0 "
        "where call 2 has argument 0 + 0"
    )


def test_two_counters_and_a_cycle_hold_for_hundreds_of_calls() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % 3}", p.alloc)
        p.launch("packed", word(ws) + number(n) + number(5 * n) + word(p.at("C")))

    step = launch_of(script, calls=300)
    assert step.stepping == (Stepping(8, 4, 1), Stepping(12, 4, 5))
    assert len(step.parameters.relocations[0].to) == 3
