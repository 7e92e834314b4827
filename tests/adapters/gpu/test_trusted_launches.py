"""What the wrapper of the judge's own kernels enqueues, with a driver that only writes down."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.driver import DeviceFacts, LaunchShape
from evaluation.adapters.gpu.trusted import Compare, Trusted
from evaluation.adapters.gpu.trusted_kernels import KERNELS
from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import ToolFailure

L2 = 50 << 20
FACTS = DeviceFacts("device", "GPU-0", (9, 0), 132, L2, 1 << 37, 232_448, False, False, 13000)  # noqa: FBT003 - a record
STREAM = 7
SCRATCH = 0x2000
OWN = 0x1000


@dataclass
class Written:
    """Launches as name, shape and parameter values; clears as address and size."""

    launches: list[tuple[str, LaunchShape, tuple[object, ...]]] = field(default_factory=list)
    cleared: list[tuple[int, int]] = field(default_factory=list)
    freed: list[int] = field(default_factory=list)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    seen = Written()
    names: list[str] = []
    addresses = iter((OWN, SCRATCH))

    def find(_: int, name: str) -> int:
        names.append(name)
        return len(names) - 1

    def launch(
        function: int, shape: LaunchShape, *, stream: int, parameters: tuple[bytes, ...]
    ) -> None:
        assert stream == STREAM
        (codes,) = (kernel.codes for kernel in KERNELS if kernel.name == names[function])
        values = tuple(
            struct.unpack(f"<{code}", content)[0]
            for code, content in zip(codes, parameters, strict=True)
        )
        seen.launches.append((names[function], shape, values))

    fakes: dict[str, Callable[..., object]] = {
        "device_facts": lambda _: FACTS,
        "load_module": lambda _: 1,
        "unload_module": lambda _: None,
        "find_function": find,
        "function_attribute": lambda _, __: 1024,
        "set_function_attribute": lambda _, __, ___: None,
        "allocate": lambda _: next(addresses),
        "free": seen.freed.append,
        "clear": lambda address, size, _: seen.cleared.append((address, size)),
        "synchronise": lambda: None,
        "launch": launch,
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(driver, name, fake)
    return seen


@pytest.fixture
def trusted(written: Written) -> Trusted:
    made = Trusted(b"image", device=0)
    written.cleared.clear()
    return made


def grid(blocks: int, threads: int) -> LaunchShape:
    return LaunchShape((blocks, 1, 1), (threads, 1, 1))


def test_a_generator_has_blocks_for_its_elements_and_no_more_than_run_at_once(
    trusted: Trusted, written: Written
) -> None:
    trusted.normals(STREAM, 0x100, 2048 + 1, DType.BFLOAT16, key=1 << 63, which=3)
    trusted.normals(STREAM, 0x100, 1 << 30, DType.FLOAT32, key=5, which=0)
    assert written.launches == [
        ("trusted_normals_bf16", grid(2, 256), (0x100, 2049, 1 << 63, 3)),
        ("trusted_normals_f32", grid(132 * 8, 256), (0x100, 1 << 30, 5, 0)),
    ]


def test_a_hash_is_cleared_before_it_is_added_up(trusted: Trusted, written: Written) -> None:
    trusted.hash(STREAM, 0x103, 0, 0x900, key=9)
    assert written.cleared == [(0x900, 8)]
    assert written.launches == [("trusted_hash", grid(1, 512), (0x103, 0, 9, 0x900))]


@pytest.mark.parametrize(
    ("dtype", "oracle", "name"),
    [
        (DType.BFLOAT16, None, "trusted_compare_bf16"),
        (DType.BFLOAT16, 0x30, "trusted_compare_bf16_oracle"),
        (DType.FLOAT32, None, "trusted_compare_f32"),
        (DType.FLOAT32, 0x30, "trusted_compare_f32_oracle"),
    ],
)
def test_a_comparison_clears_its_result_and_knows_its_map(
    trusted: Trusted, written: Written, dtype: DType, oracle: int | None, name: str
) -> None:
    trusted.compare(STREAM, Compare(0x10, 0x20, oracle, dtype, (2, 3, 100), 0.5, 0.25), 0x900)
    assert written.cleared == [(0x900, 16512)]
    values = (0x10, 0x20, oracle or 0, 600, 100, 6, 64, 0.5, 0.25, 0x900)
    assert written.launches == [(name, grid(1, 512), values)]


def test_what_there_is_no_kernel_for_is_our_own_failure(trusted: Trusted, written: Written) -> None:
    with pytest.raises(ToolFailure, match="no generator for float16"):
        trusted.normals(STREAM, 0, 1, DType.FLOAT16, key=0, which=0)
    with pytest.raises(ToolFailure, match="no comparison for int32"):
        trusted.compare(STREAM, Compare(0, 0, None, DType.INT32, (1,), 0, 0), 0)
    with pytest.raises(ToolFailure, match="0 elements cannot be compared"):
        trusted.compare(STREAM, Compare(0, 0, None, DType.FLOAT32, (0, 4), 0, 0), 0)
    with pytest.raises(ToolFailure, match="4294967296 elements cannot be compared"):
        trusted.compare(STREAM, Compare(0, 0, None, DType.FLOAT32, (1 << 16, 1 << 16), 0, 0), 0)
    with pytest.raises(ToolFailure, match="too few for a canary"):
        trusted.canary(STREAM, 0, 1000, 0, key=0)
    assert written.launches == []


def test_a_flush_writes_and_then_reads_four_times_the_cache(
    trusted: Trusted, written: Written
) -> None:
    trusted.flush(STREAM)
    trusted.flush(STREAM)
    vectors = 4 * L2 // 16
    (write, read), again = written.launches[:2], written.launches[2:]
    assert write == ("trusted_flush_write", grid(528, 512), (SCRATCH, vectors, 0))
    assert (read[0], read[1], read[2][:2]) == ("trusted_read", grid(528, 512), (SCRATCH, vectors))
    assert read[2][2] != 0  # what the flush writes is never taken for what nobody reads
    assert again == [write, read]


def test_a_canary_compares_with_the_first_quarter_of_the_scratch_memory(
    trusted: Trusted, written: Written
) -> None:
    assert trusted.canary(STREAM, 0x100, 1 << 20, 0x900, key=4) == 3 * 4 * 2048
    values = (0x100, 1 << 20, SCRATCH, L2, 4, 0x900)
    assert written.launches == [("trusted_canary", grid(64, 1), values)]


def test_the_scrub_takes_all_shared_memory_of_every_multiprocessor_together(
    trusted: Trusted, written: Written
) -> None:
    trusted.scrub(STREAM)
    ((name, shape, values),) = written.launches
    assert name == "trusted_scrub"
    assert shape == LaunchShape((132, 1, 1), (1024, 1, 1), 231_424, cooperative=True)
    assert values[0] == 231_424  # without what is static
    assert written.cleared == [(values[1], 4)]


def test_small_kernels_get_what_they_ask_for(trusted: Trusted, written: Written) -> None:
    trusted.bits(STREAM, 0x101, 100, key=6)
    trusted.busy(STREAM, 1000)
    trusted.check_readonly(STREAM, 0x500)
    assert trusted.matrix(STREAM, rounds=3, key=2) == 132 * 3 * 2**23
    trusted.load(STREAM)
    names = [(name, shape) for name, shape, _ in written.launches]
    assert names == [
        ("trusted_bits", grid(1, 256)),
        ("trusted_busy", grid(1, 32)),
        ("trusted_check_readonly", grid(1, 1)),
        ("trusted_matrix", grid(132, 256)),
        ("trusted_matrix", grid(132, 256)),
    ]
    assert written.launches[0][2] == (0x101, 100, 6)
    assert written.launches[2][2] == (0x500,)


def test_closing_gives_back_what_was_allocated(trusted: Trusted, written: Written) -> None:
    trusted.flush(STREAM)
    trusted.close()
    assert sorted(written.freed) == [OWN, SCRATCH]
