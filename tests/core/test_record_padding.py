"""Padding of arguments (rule L3): bytes that no one reads, and bytes that vary from run to run."""

import pytest
from recorded import KERNELS, Process, kernel, made, number, play, subject, word

from evaluation.core.binary.facts import KernelReads
from evaluation.core.plan.plan import ByteRange, LaunchStep
from evaluation.core.record.record import NOISE_RECORDINGS, NeedsNoise, PlanMade, make_plan
from evaluation.core.record.record_refusal import NotRecorded
from evaluation.core.record.record_subject import Subject

STRUCT = kernel("s", 24)  # struct { int n; /* 4 bytes of padding */ float* p; char c; /* 7 */ }


def about(*ranges: tuple[int, int], exact: bool = True) -> Subject:
    return subject((STRUCT,), (KernelReads("s", exact=exact, read=ranges),))


def struct(p: Process, padding: bytes, tail: bytes = bytes(7)) -> bytes:
    return number(5) + padding + word(p.at("A")) + b"c" + tail


def launch_of(found: object) -> LaunchStep:
    assert isinstance(found, PlanMade), found
    step = found.plan.steady[0]
    assert isinstance(step, LaunchStep)
    return step


def noisy(paddings: list[bytes], tails: list[bytes]) -> tuple[Process, ...]:
    """Recordings with the bases of process 0, one for each padding."""
    return tuple(
        play(lambda p, _, padding=padding, tail=tail: p.launch("s", struct(p, padding, tail)), 0)  # type: ignore[misc]
        for padding, tail in zip(paddings, tails, strict=True)
    )


def test_bytes_that_are_never_read_are_zero_in_the_plan() -> None:
    reads = about((0, 4), (8, 17))

    def script(p: Process, n: int) -> None:
        garbage = bytes([n + 16 * p.process] * 4)
        p.launch("s", struct(p, garbage, garbage + b"xyz"))

    step = launch_of(made(script, reads))
    assert step.parameters.content == number(5) + bytes(4) + bytes(8) + b"c" + bytes(7)
    assert step.undetermined == ()


def test_bytes_that_are_read_do_count_even_if_they_vary() -> None:
    def script(p: Process, _: int) -> None:
        p.launch("s", struct(p, bytes([16 + p.process] * 4)))

    found = made(script, about((0, 24)))
    assert isinstance(found, NotRecorded)
    assert found.headline.endswith(
        "parameter 0, byte 4 is a value that differs from run to run, "
        "as time, random or uninitialised memory does"
    )
    assert found.remarks[0].instead.endswith("set every byte of a struct passed by value (= {})")


def test_an_unused_pointer_is_no_pointer_of_the_plan() -> None:
    step = launch_of(made(lambda p, _: p.launch("s", struct(p, bytes(4))), about((0, 4))))
    assert step.parameters.content == number(5) + bytes(20)
    assert step.parameters.relocations == ()


def test_reads_beyond_the_block_change_nothing() -> None:
    step = launch_of(
        made(lambda p, _: p.launch("s", struct(p, bytes(4))), about((-8, 4), (16, 99), (99, 120)))
    )
    assert step.parameters.content == number(5) + bytes(12) + b"c" + bytes(7)


def test_bytes_that_no_parameter_covers_are_zero() -> None:
    gap = kernel("s", 4, 8)

    def script(p: Process, n: int) -> None:
        p.launch("s", number(5) + bytes([n] * 4) + word(p.at("A")))

    reads = subject((gap,), (KernelReads("s", exact=True, read=((0, 16),)),))
    assert launch_of(made(script, reads)).parameters.content == number(5) + bytes(12)


def test_a_struct_of_a_kernel_with_inexact_reads_asks_for_noise() -> None:
    found = made(lambda p, _: p.launch("s", struct(p, bytes(4))), about(exact=False))
    assert found == NeedsNoise(("s",), NOISE_RECORDINGS)


def test_noise_is_asked_for_before_anything_is_refused() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("s", struct(p, bytes([n + 16 * p.process] * 4)))

    assert made(script, about(exact=False)) == NeedsNoise(("s",))


def test_a_kernel_with_unknown_reads_asks_for_noise_too() -> None:
    found = made(lambda p, _: p.launch("s", struct(p, bytes(4))), subject((STRUCT,), ()))
    assert found == NeedsNoise(("s",))


@pytest.mark.parametrize(
    ("sizes", "needs"),
    [
        ((8, 8, 4, 2, 1), False),  # pointers and numbers of up to four bytes
        ((16,), False),  # a struct of two pointers
        ((128, 128), False),  # tensor maps
        ((136,), False),  # a tensor map and a pointer
        ((24,), True),  # two pointers and eight bytes
        ((8, 8, 8), True),  # eight bytes that are no pointer
        ((12,), False),  # a packed pointer and an int
        ((3,), True),
    ],
)
def test_only_what_may_have_padding_asks_for_noise(sizes: tuple[int, ...], needs: bool) -> None:
    one = kernel("s", *sizes)

    def script(p: Process, _: int) -> None:
        block = b""
        pointers = iter((p.at("A"), p.at("C")))
        for parameter in one.parameters:
            block += bytes(parameter.offset - len(block))
            part = b""
            while parameter.size - len(part) >= 128:
                part += p.map(p.at("A"))
            while parameter.size - len(part) >= 8 and (address := next(pointers, 0)):
                part += word(address)
            block += part.ljust(parameter.size, b"\x01")
        p.launch("s", block)

    found = made(script, subject((one,), (KernelReads("s", exact=False, read=()),)))
    assert isinstance(found, NeedsNoise) is needs


def test_bytes_that_vary_in_noise_are_zero_and_listed_as_undetermined() -> None:
    first, second = (
        play(lambda p, _: p.launch("s", struct(p, b"\x11\x22\x33\x44")), process)
        for process in (0, 1)
    )
    noise = noisy(
        [bytes([index, 0x22, 40 + index, 0x44]) for index in range(6)],
        [bytes(6) + bytes([index]) for index in range(6)],
    )
    found = make_plan(
        first.recording, second.recording, tuple(one.recording for one in noise), about(exact=False)
    )
    step = launch_of(found)
    assert step.parameters.content == (number(5) + b"\x00\x22\x00\x44" + bytes(8) + b"c" + bytes(7))
    assert step.undetermined == (ByteRange(4, 5), ByteRange(6, 7), ByteRange(23, 24))
    assert isinstance(found, PlanMade)
    assert [one.kind for one in found.signals] == ["undetermined_bytes"]
    assert found.signals[0].evidence[0] == "'s': bytes 4 to 4 of its parameters"


def test_noise_shows_in_the_first_recording_too() -> None:
    first, second = (
        play(lambda p, _: p.launch("s", struct(p, b"\x11\x22\x33\x44")), process)
        for process in (0, 1)
    )
    noise = noisy([b"\x11\x22\x33\x55"] * 6, [bytes(7)] * 6)
    step = launch_of(
        make_plan(
            first.recording,
            second.recording,
            tuple(one.recording for one in noise),
            about(exact=False),
        )
    )
    assert step.undetermined == (ByteRange(7, 8),)


def test_noise_takes_no_byte_from_a_kernel_whose_reads_are_exact() -> None:
    first, second = (
        play(lambda p, _: p.launch("s", struct(p, bytes(4))), process) for process in (0, 1)
    )
    noise = noisy([bytes([index] * 4) for index in range(6)], [bytes(7)] * 6)
    step = launch_of(
        make_plan(
            first.recording,
            second.recording,
            tuple(one.recording for one in noise),
            about((0, 24)),
        )
    )
    assert step.undetermined == ()


def test_tensor_maps_are_no_noise() -> None:
    one = kernel("s", 136)

    def script(p: Process, _: int) -> None:
        p.launch("s", p.map(p.at("A")) + number(3) + b"\x01\x02\x03\x04")

    first, second = (play(script, process) for process in (0, 1))
    other = play(script, 0)
    other.process = 1  # another nonce, and its tokens
    for index, line in enumerate(other.lines):
        match line["e"]:
            case "begin":
                line["nonce"] = second.lines[0]["nonce"]
            case "launch":
                line["parameters"] = second.lines[index]["parameters"]
    reads = subject((one,), (KernelReads("s", exact=False, read=()),))
    found = make_plan(first.recording, second.recording, (other.recording,), reads)
    assert isinstance(found, PlanMade)
    launch = found.plan.steady[1]
    assert isinstance(launch, LaunchStep)
    assert launch.undetermined == ()
    assert launch.parameters.maps[0].at == 0


def test_noise_that_launches_other_kernels_is_refused() -> None:
    first, second = (play(lambda p, _: p.launch("plain", number(1)), one) for one in (0, 1))
    other = play(lambda p, _: p.launch("nothing", b""), 0)
    found = make_plan(first.recording, second.recording, (other.recording,), subject())
    assert isinstance(found, NotRecorded)
    assert found.headline == "two runs with the same arguments launch different kernels"


def test_a_kernel_or_a_map_that_is_refused_later_does_not_confuse_the_noise() -> None:
    inexact = subject(
        KERNELS, tuple(KernelReads(one.name, exact=False, read=()) for one in KERNELS)
    )
    first, second, other = (
        play(lambda p, _: p.launch("mapped", p.map(p.at("A"))[:127] + bytes(9)), one)
        for one in (0, 1, 0)
    )
    hidden = tuple(play(lambda p, _: p.launch("hidden", bytes(3)), one) for one in (0, 1, 0))
    found = make_plan(first.recording, second.recording, (other.recording,), inexact)
    assert isinstance(found, NotRecorded)
    assert "changed bytes" in found.headline
    found = make_plan(hidden[0].recording, hidden[1].recording, (), inexact)
    assert isinstance(found, NotRecorded)
    assert "not in the cubin" in found.headline
    found = make_plan(hidden[0].recording, hidden[1].recording, (hidden[2].recording,), inexact)
    assert isinstance(found, NotRecorded)
    assert "not in the cubin" in found.headline
