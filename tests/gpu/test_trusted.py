"""The judge's own kernels on a real device against the same in plain Python (evaluation/core/measure)."""

import itertools
import math
import random
import struct
from collections.abc import Callable, Iterator, Sequence

import pytest

from evaluation.adapters.gpu import driver, memory
from evaluation.adapters.gpu.trusted import Compare, Trusted
from evaluation.core.catalogue.dtype import DType
from evaluation.core.measure import canary_result, compare_result
from evaluation.core.measure.philox import bfloat16_bits, normals, random_bytes
from evaluation.core.measure.range_hash import range_hash
from evaluation.core.measure.seen import Canary
from evaluation.core.measure.tolerance import ComparedOutput, Limits, compare, single

from .packed import Pack

pytestmark = pytest.mark.gpu

NAN, INF = math.nan, math.inf
LIMITS = Limits(atol=1e-2, rtol=1e-2)
BEHIND = bytes(range(64))
LARGE = 58_720_256  # elements of a bfloat16 output of 117 MB
ODD = (NAN, INF, -INF, -0.0, 0.0, 3e38, -3e38, 1e-40, 0.01, 0.0100001)


class Bench:
    """A context with a stream, the trusted kernels and some memory."""

    def __init__(self, device: int, cubin: bytes) -> None:
        driver.start()
        self.context = driver.open_context(device, own=True)
        self.stream = driver.create_stream()
        self.trusted = Trusted(cubin, device=device)
        self.buffers = [memory.create(256 << 20, device=device) for _ in range(3)]
        self.result = driver.allocate(1 << 16)

    def place(self, number: int, content: bytes, *, offset: int = 0) -> int:
        address = self.buffers[number].base + offset
        driver.copy_to_device(address, content, self.stream)
        return address

    def bytes_at(self, address: int, size: int) -> bytes:
        return driver.copy_from_device(address, size, self.stream)

    def hash(self, address: int, size: int, key: int) -> int:
        self.trusted.hash(self.stream, address, size, self.result, key=key)
        return int.from_bytes(self.bytes_at(self.result, 8), "little")

    def compare(self, asked: Compare) -> ComparedOutput:
        self.trusted.compare(self.stream, asked, self.result)
        return compare_result.read_compare(
            self.bytes_at(self.result, compare_result.RESULT_BYTES),
            name="C",
            shape=asked.shape,
            with_oracle=asked.oracle is not None,
        )

    def canary(self, address: int, size: int, key: int) -> Canary:
        size = self.trusted.canary(self.stream, address, size, self.result, key=key)
        return canary_result.read_canary(self.bytes_at(self.result, size))

    def microseconds(self, enqueue: Callable[[], object]) -> float:
        """The best of five, after one that warms up."""
        begin, end = driver.create_event(), driver.create_event()
        enqueue()
        taken = []
        for _ in range(5):
            driver.record_event(begin, self.stream)
            enqueue()
            driver.record_event(end, self.stream)
            driver.synchronise_stream(self.stream)
            taken.append(driver.elapsed_ns(begin, end) / 1e3)
        driver.destroy_event(begin)
        driver.destroy_event(end)
        return min(taken)


@pytest.fixture(scope="module")
def opened(gpu: int, pack: Pack) -> Iterator[Bench]:
    bench = Bench(gpu, pack.trusted())
    yield bench
    bench.trusted.close()
    bench.context.close()


@pytest.fixture
def bench(opened: Bench) -> Bench:
    opened.context.make_current()
    return opened


def stored(values: Sequence[float], dtype: DType) -> bytes:
    if dtype is DType.FLOAT32:
        return struct.pack(f"<{len(values)}f", *values)
    special = {INF: 0x7F80, -INF: 0xFF80}
    bits = [0x7FC0 if v != v else special.get(v) or bfloat16_bits(v) for v in values]  # noqa: PLR0124 - NaN
    return struct.pack(f"<{len(bits)}H", *bits)


def loaded(content: bytes, dtype: DType) -> list[float]:
    if dtype is DType.BFLOAT16:
        halves = struct.iter_unpack("<2s", content)
        content = b"".join(b"\0\0" + half for (half,) in halves)
    return [value for (value,) in struct.iter_unpack("<f", content)]


@pytest.mark.parametrize("elements", [1, 3, 4, 7, 8, 9, 4097])
def test_single_precision_normals_are_the_model_s(bench: Bench, elements: int) -> None:
    address = bench.place(0, BEHIND * (elements // 16 + 2))
    bench.trusted.normals(bench.stream, address, elements, DType.FLOAT32, key=77, which=5)
    content = bench.bytes_at(address, 4 * elements + 16)
    assert loaded(content[: 4 * elements], DType.FLOAT32) == pytest.approx(
        normals(77, 5, elements), abs=4e-6
    )
    assert content[4 * elements :] == (BEHIND * (elements // 16 + 2))[4 * elements :][:16]


@pytest.mark.parametrize("elements", [1, 7, 8, 9, 4097])
def test_bfloat16_normals_are_the_model_s_to_the_bit_but_where_two_are_equally_near(
    bench: Bench, elements: int
) -> None:
    address = bench.place(0, bytes(2 * elements + 16))
    bench.trusted.normals(bench.stream, address, elements, DType.BFLOAT16, key=78, which=1)
    content = bench.bytes_at(address, 2 * elements + 16)
    got = [bits for (bits,) in struct.iter_unpack("<H", content[: 2 * elements])]
    expected = [bfloat16_bits(value) for value in normals(78, 1, elements)]
    apart = [abs(one - other) for one, other in zip(got, expected, strict=True)]
    assert max(apart) <= 1
    assert sum(apart) <= elements // 500
    assert content[2 * elements :] == bytes(16)


def test_normals_go_on_beyond_the_first_wave_of_blocks(bench: Bench) -> None:
    elements = 5_000_000
    address = bench.buffers[0].base
    bench.trusted.normals(bench.stream, address, elements, DType.FLOAT32, key=3, which=0)
    content = bench.bytes_at(address, 4 * elements)
    values = struct.unpack(f"<{elements}f", content)
    assert abs(math.fsum(values) / elements) < 3e-3
    assert math.fsum(value * value for value in values[::10]) / (elements / 10) == pytest.approx(
        1, abs=1e-2
    )
    assert len({content[at : at + 16] for at in range(0, 4 * elements, 1600)}) == elements // 400


@pytest.mark.parametrize("offset", [0, 1, 7, 15])
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 100, 70_001])
def test_random_bits_fill_exactly_the_range_at_any_address(
    bench: Bench, offset: int, size: int
) -> None:
    start = bench.place(0, bytes(size + 48))
    bench.trusted.bits(bench.stream, start + offset, size, key=9)
    expected = bytes(offset) + random_bytes(9, size, offset=offset)
    assert bench.bytes_at(start, size + 48) == expected + bytes(48 - offset)


@pytest.mark.parametrize("offset", [0, 3, 15])
@pytest.mark.parametrize("size", [0, 1, 16, 31, 1000, 60_003])
def test_the_hash_is_the_model_s_at_any_address(bench: Bench, offset: int, size: int) -> None:
    content = random_bytes(21, size)
    address = bench.place(0, content, offset=offset)
    assert bench.hash(address, size, 5) == range_hash(content, 5, offset=offset)


def test_every_flipped_byte_changes_the_hash(bench: Bench) -> None:
    content = random_bytes(22, 300)
    hashes = {bench.hash(bench.place(0, content), 300, 6)}
    for at in range(300):
        changed = content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]
        hashes.add(bench.hash(bench.place(0, changed), 300, 6))
    assert len(hashes) == 301


def test_one_bit_at_either_end_of_a_large_range_changes_the_hash(bench: Bench) -> None:
    address, size = bench.buffers[0].base, (200 << 20) + 5
    bench.trusted.bits(bench.stream, address, size, key=1)
    hashes = [bench.hash(address, size, 7), bench.hash(address, size, 7)]
    for at in (0, size // 2, size - 1):
        old = bench.bytes_at(address + at, 1)
        driver.copy_to_device(address + at, bytes([old[0] ^ 1]), bench.stream)
        hashes.append(bench.hash(address, size, 7))
    assert len(set(hashes)) == 4
    assert hashes[0] == hashes[1]


def crafted(kind: str, elements: int, seed: int) -> tuple[list[float], list[float], list[float]]:
    """Got, expected and oracle before they are rounded to the type."""
    chance = random.Random(seed)  # noqa: S311 - test data
    expected = [chance.gauss(0, 1) for _ in range(elements)]
    oracle = [value + chance.gauss(0, 0.003) for value in expected]
    if kind == "near":
        got = [value + chance.gauss(0, 0.004) for value in expected]
    elif kind == "some odd":
        got = [value if chance.random() > 0.02 else chance.choice(ODD) for value in expected]
        oracle[chance.randrange(elements)] = NAN
    else:
        got = [chance.choice(ODD) for _ in expected]
        expected = [chance.choice(ODD if chance.random() < 0.1 else ODD[3:]) for _ in expected]
        oracle = [chance.choice((0.0, 1e-3, 3e38)) for _ in expected]
    return got, expected, oracle


def agreed(one: ComparedOutput, other: ComparedOutput) -> None:
    """Sums of squares are added up in another order; everything else is equal, signs of zero included."""
    for name in one.seen.__slots__:
        mine, theirs = getattr(one.seen, name), getattr(other.seen, name)
        if name.endswith("square_error") and mine is not None:
            assert mine == pytest.approx(theirs, rel=1e-5), name
        else:
            assert repr(mine) == repr(theirs), name
    assert one.expected_nonfinite == other.expected_nonfinite
    assert one.oracle_nonfinite == other.oracle_nonfinite


@pytest.mark.parametrize("dtype", [DType.BFLOAT16, DType.FLOAT32])
@pytest.mark.parametrize("with_oracle", [False, True])
@pytest.mark.parametrize("kind", ["near", "some odd", "odd"])
@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (3, 5, 7), (70, 129), (2, 9001)])
def test_the_comparison_is_the_model_s(
    bench: Bench, dtype: DType, with_oracle: bool, kind: str, shape: tuple[int, ...]
) -> None:
    elements = math.prod(shape)
    got, expected, oracle = crafted(kind, elements, seed=elements)
    contents = [stored(got, dtype), stored(expected, dtype)]
    exact = [single(value) for value in oracle] if with_oracle else None
    asked = Compare(
        got=bench.place(0, contents[0]),
        expected=bench.place(1, contents[1]),
        oracle=bench.place(2, stored(exact, DType.FLOAT32)) if exact else None,
        dtype=dtype,
        shape=shape,
        atol=LIMITS.atol,
        rtol=LIMITS.rtol,
    )
    mine, theirs = (loaded(content, dtype) for content in contents)
    agreed(bench.compare(asked), compare(mine, theirs, exact, name="C", shape=shape, limits=LIMITS))


def test_elements_exactly_at_the_limit_are_inside_and_their_neighbours_outside(
    bench: Bench,
) -> None:
    limit = single(1e-2)
    above = struct.unpack(
        "<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", limit))[0] + 1)
    )[0]
    got = [limit, above, -limit, -above]
    asked = Compare(
        bench.place(0, stored(got, DType.FLOAT32)),
        bench.place(1, bytes(16)),
        None,
        DType.FLOAT32,
        (4,),
        LIMITS.atol,
        LIMITS.rtol,
    )
    seen = bench.compare(asked).seen
    assert (seen.outside, seen.map_counts) == (2, (0, 1, 0, 1))
    assert seen.first is not None
    assert seen.first.index == (1,)


@pytest.mark.parametrize("wrong", [0, 12_345_678, LARGE - 1])
def test_one_wrong_element_of_a_large_output_is_found(bench: Bench, wrong: int) -> None:
    one, other = bench.buffers[0].base, bench.buffers[1].base
    for address in (one, other):
        bench.trusted.normals(bench.stream, address, LARGE, DType.BFLOAT16, key=5, which=0)
    driver.copy_to_device(one + 2 * wrong, struct.pack("<H", bfloat16_bits(100.0)), bench.stream)
    shape = (LARGE // 4096, 4096)
    asked = Compare(one, other, None, DType.BFLOAT16, shape, LIMITS.atol, LIMITS.rtol)
    seen = bench.compare(asked).seen
    assert (seen.outside, seen.outside_fourfold, seen.nonfinite) == (1, 1, 0)
    assert seen.first is not None
    assert seen.first.index == (wrong // 4096, wrong % 4096)
    assert seen.worst == seen.first
    assert sum(seen.map_counts) == 1


def test_after_a_flush_hardly_a_line_is_in_the_cache_and_after_reading_nearly_all_are(
    bench: Bench,
) -> None:
    address, size = bench.buffers[0].base, 16 << 20
    bench.trusted.bits(bench.stream, address, size, key=2)
    bench.trusted.flush(bench.stream)
    flushed = bench.canary(address, size, key=1)
    bench.trusted.flush(bench.stream)
    bench.trusted.read(bench.stream, address, size)
    read = bench.canary(address, size, key=2)
    assert flushed.lines == read.lines == canary_result.MOST_LINES
    assert flushed.hits < 0.02 * flushed.lines
    assert read.hits > 0.9 * read.lines


def test_the_health_kernel_answers_and_takes_its_time(bench: Bench) -> None:
    taken = bench.microseconds(lambda: bench.trusted.busy(bench.stream, 200_000))
    assert 200 <= taken < 400
    assert bench.trusted.is_well(bench.stream)


def test_roofs_are_plausible_for_a_hopper(bench: Bench) -> None:
    read = bench.trusted.read_rate(bench.stream)
    matrix = bench.trusted.matrix_rate(bench.stream)
    print(f"read {read / 1e12:.3f} TB/s, matrix {matrix / 1e12:.1f} TFLOP/s")  # noqa: T201 - shown with -s
    assert 1.5e12 < read < 5.0e12
    assert 5e14 < matrix < 1.1e15


def test_no_kernel_takes_longer_than_a_verdict_can_bear(bench: Bench) -> None:
    trusted, stream = bench.trusted, bench.stream
    one, other, third = (buffer.base for buffer in bench.buffers)
    small = 16 << 20  # elements with an oracle: of an attention output
    for address in (one, other):
        trusted.normals(stream, address, LARGE, DType.BFLOAT16, key=5, which=0)
    trusted.normals(stream, third, small, DType.FLOAT32, key=5, which=0)
    whole = Compare(one, other, None, DType.BFLOAT16, (LARGE // 4096, 4096), 1e-2, 1e-2)
    exact = Compare(one, other, third, DType.BFLOAT16, (small // 128, 128), 1e-2, 1e-2)
    wrong = Compare(one, third, None, DType.BFLOAT16, (LARGE // 4096, 4096), 1e-2, 1e-2)
    rows: tuple[tuple[str, Callable[[], object], float], ...] = (
        (
            "normals 117 MB",
            lambda: trusted.normals(stream, one, LARGE, DType.BFLOAT16, key=5, which=0),
            300,
        ),
        ("bits 117 MB", lambda: trusted.bits(stream, other, 2 * LARGE, key=5), 200),
        (
            "bits again",
            lambda: trusted.normals(stream, other, LARGE, DType.BFLOAT16, key=5, which=0),
            300,
        ),
        ("hash 117 MB", lambda: trusted.hash(stream, one, 2 * LARGE, bench.result, key=5), 150),
        ("compare 117 MB", lambda: trusted.compare(stream, whole, bench.result), 200),
        ("compare 32 MB with oracle", lambda: trusted.compare(stream, exact, bench.result), 150),
        ("compare 117 MB all wrong", lambda: trusted.compare(stream, wrong, bench.result), 2000),
        ("flush", lambda: trusted.flush(stream), 400),
        ("canary", lambda: trusted.canary(stream, one, 16 << 20, bench.result, key=3), 400),
        ("scrub", lambda: trusted.scrub(stream), 100),
        ("load", lambda: trusted.load(stream), 200),
    )
    late = []
    for name, enqueue, limit in rows:
        taken = bench.microseconds(enqueue)
        print(f"{name:28}{taken:9.1f} us")  # noqa: T201 - shown with -s
        if taken > limit:
            late.append(f"{name}: {taken:.1f} us, at most {limit} us")
    assert late == []


def test_the_scrub_runs_again_and_again_on_every_multiprocessor(bench: Bench) -> None:
    for _, __ in itertools.product(range(10), range(10)):
        bench.trusted.scrub(bench.stream)
    driver.synchronise_stream(bench.stream)
    bench.trusted.busy(bench.stream, 1000)
    assert bench.trusted.is_well(bench.stream)
