"""The judge's own kernels on a processor, one thread for the whole grid, against the same in plain Python.

What many threads do together only a GPU can show (tests/gpu/test_trusted.py); what one of them does shows here.
"""

import ctypes
import math
import random
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluation.core.measure import cells
from evaluation.core.measure.compare_result import RESULT_BYTES, read_compare
from evaluation.core.measure.philox import bfloat16_bits, normals, random_bytes
from evaluation.core.measure.range_hash import range_hash
from evaluation.core.measure.tolerance import Limits, compare, single

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")

HERE = Path(__file__).parent
KERNELS = HERE.parents[1] / "evaluation/native/gpu"
NAN, INF = math.nan, math.inf
ODD = (NAN, INF, -INF, -0.0, 0.0, 3e38, -3e38, 1e-40, 0.01, 0.0100001)
LIMITS = Limits(atol=1e-2, rtol=1e-2)
U64, U32, F32, POINTER = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_float, ctypes.c_void_p


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("kernels") / "kernels.so"
    # What the device rounds twice must not be rounded once here; pragmas for nvcc's front end are none of g++'s.
    flags = (
        "-std=c++17",
        "-O1",
        "-ffp-contract=off",
        "-Wall",
        "-Wno-unknown-pragmas",
        "-shared",
        "-fPIC",
    )
    source = HERE / "one_thread/kernels.cpp"
    subprocess.run(["g++", *flags, f"-I{KERNELS}", str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


class Memory:
    """Zeroed bytes at an address of 16-byte alignment, or ``offset`` behind one, with as many zeros behind them."""

    def __init__(self, content: bytes | int, *, offset: int = 0) -> None:
        size = content if isinstance(content, int) else len(content)
        self._kept = ctypes.create_string_buffer(size + 64)
        self.address = -(-ctypes.addressof(self._kept) // 16) * 16 + offset
        if isinstance(content, bytes):
            ctypes.memmove(self.address, content, size)

    def read(self, size: int) -> bytes:
        return ctypes.string_at(self.address, size)


@pytest.mark.parametrize("elements", [1, 3, 4, 5, 8, 13, 100])
def test_normals_are_the_model_s_and_nothing_is_written_behind_them(
    kernels: ctypes.CDLL, elements: int
) -> None:
    expected = normals(77, 5, elements)
    memory = Memory(4 * elements)
    kernels.trusted_normals_f32(POINTER(memory.address), U64(elements), U64(77), U32(5))
    assert struct.unpack(f"<{elements}f", memory.read(4 * elements)) == pytest.approx(
        expected, abs=3e-6
    )
    assert memory.read(4 * elements + 16)[4 * elements :] == bytes(16)
    memory = Memory(2 * elements)
    kernels.trusted_normals_bf16(POINTER(memory.address), U64(elements), U64(77), U32(5))
    assert struct.unpack(f"<{elements}H", memory.read(2 * elements)) == tuple(
        map(bfloat16_bits, expected)
    )
    assert memory.read(2 * elements + 16)[2 * elements :] == bytes(16)


@pytest.mark.parametrize("offset", [0, 1, 7, 15])
@pytest.mark.parametrize("size", [0, 1, 2, 15, 16, 17, 31, 33, 100])
def test_bits_fill_exactly_their_range_and_the_hash_of_it_is_the_model_s(
    kernels: ctypes.CDLL, offset: int, size: int
) -> None:
    memory = Memory(offset + size)
    address = memory.address + offset
    kernels.trusted_bits(U64(address), U64(size), U64(9))
    content = random_bytes(9, size, offset=offset)
    assert memory.read(offset + size + 16) == bytes(offset) + content + bytes(16)
    result = U64(0)
    kernels.trusted_hash(U64(address), U64(size), U64(123), ctypes.byref(result))
    assert result.value == range_hash(content, 123, offset=offset)


def bits_of(value: float, *, half: bool) -> int:
    """The bits of a stored value; a bfloat16 in the upper half of a word."""
    if half and not math.isfinite(value):
        return 0x7FC00000 if math.isnan(value) else 0x7F800000 if value > 0 else 0xFF800000
    if half:
        return bfloat16_bits(value) << 16
    return int.from_bytes(struct.pack("<f", value), "little")


def rounded(values: Sequence[float], *, half: bool) -> list[float]:
    words = struct.pack(f"<{len(values)}I", *(bits_of(value, half=half) for value in values))
    return list(struct.unpack(f"<{len(values)}f", words))


def stored(values: Sequence[float], *, half: bool) -> bytes:
    words = (bits_of(value, half=half).to_bytes(4, "little") for value in values)
    return b"".join(word[2:] if half else word for word in words)


def crafted(kind: str, elements: int) -> tuple[list[float], list[float], list[float]]:
    """Got, expected and oracle before they are rounded to the type."""
    chance = random.Random(elements)  # noqa: S311 - test data
    expected = [chance.gauss(0, 1) for _ in range(elements)]
    oracle = [value + chance.gauss(0, 0.003) for value in expected]
    if kind == "near":
        return [value + chance.gauss(0, 0.004) for value in expected], expected, oracle
    if kind == "some odd":
        got = [value if chance.random() > 0.02 else chance.choice(ODD) for value in expected]
        oracle[chance.randrange(elements)] = NAN
        return got, expected, oracle
    got = [chance.choice(ODD) for _ in expected]
    expected = [chance.choice(ODD if chance.random() < 0.1 else ODD[3:]) for _ in expected]
    return got, expected, [chance.choice((0.0, 1e-3, 3e38)) for _ in expected]


@pytest.mark.parametrize("half", [True, False], ids=["bf16", "f32"])
@pytest.mark.parametrize("with_oracle", [False, True], ids=["vendor", "oracle"])
@pytest.mark.parametrize("kind", ["near", "some odd", "odd"])
@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (9,), (3, 5, 7), (70, 129), (1, 130)], ids=str)
def test_the_comparison_is_the_model_s(
    kernels: ctypes.CDLL, half: bool, with_oracle: bool, kind: str, shape: tuple[int, ...]
) -> None:
    elements = math.prod(shape)
    got, expected, oracle = crafted(kind, elements)
    exact = [single(value) for value in oracle] if with_oracle else None
    tensors = Memory(stored(got, half=half)), Memory(stored(expected, half=half))
    wide = Memory(stored(exact, half=False)) if exact else None
    result = Memory(RESULT_BYTES)
    name = f"trusted_compare_{'bf16' if half else 'f32'}{'_oracle' if with_oracle else ''}"
    kernels[name](
        *(POINTER(tensor.address) for tensor in tensors),
        POINTER(wide.address if wide else 0),
        *(U32(elements), U32(shape[-1]), *map(U32, cells.cells(shape))),
        *(F32(LIMITS.atol), F32(LIMITS.rtol), POINTER(result.address)),
    )
    found = read_compare(result.read(RESULT_BYTES), name="C", shape=shape, with_oracle=with_oracle)
    model = compare(
        rounded(got, half=half),
        rounded(expected, half=half),
        exact,
        name="C",
        shape=shape,
        limits=LIMITS,
    )
    for field in found.seen.__slots__:
        mine, theirs = getattr(found.seen, field), getattr(model.seen, field)
        if field.endswith("square_error") and mine is not None:
            # The kernel adds up a vector in single precision first.
            assert mine == pytest.approx(theirs, rel=1e-5), field
        else:
            assert repr(mine) == repr(theirs), field  # signs of zero and NaN too
    assert found.expected_nonfinite == model.expected_nonfinite
    assert found.oracle_nonfinite == model.oracle_nonfinite
