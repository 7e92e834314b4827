"""What tensors and shapes answer is the same with both header sets."""

import pytest
from ffi_calls import (
    BF16,
    CPU,
    CUDA,
    FLOAT32,
    OK,
    Allocator,
    Argument,
    Numbers,
    Outcome,
    Runtime,
    Tensor,
    raised,
)
from header_sets import Loader

pytest_plugins = ("header_fixtures",)
pytestmark = pytest.mark.toolchain


def test_views_tell_what_the_tensor_is(load: Loader) -> None:
    x = Tensor(2, 3, 4, dtype=BF16, device=(CUDA, 1), data=0x7000_1234, byte_offset=32)
    out = Numbers()
    assert load("tensors").call("facts", x, out) == OK
    assert out.first(14) == [3, 3, 24, 32, 4, 16, 1, CUDA, 1, 1, 1, 48, 0x7000_1234, -1]


@pytest.mark.parametrize(
    ("shape", "numbers"),
    [
        ((2, 3), [2, 0, 6, 2, 3, 2, 2, 2, 3, 3, 3, 2]),
        ((7,), [1, 0, 7, 7, 7, 7, 7, 1]),
        ((0, 5), [2, 0, 0, 0, 5, 0, 0, 0, 5, 5, 5, 2]),
        ((), [0, 1, 1, 0]),
    ],
)
def test_shapes_are_walked_and_indexed(
    load: Loader, shape: tuple[int, ...], numbers: list[int]
) -> None:
    out = Numbers()
    assert load("tensors").call("whole_shape", Tensor(*shape), out) == OK
    assert out.first(len(numbers) + 1) == [*numbers, -1]


@pytest.mark.parametrize(
    ("shape", "strides", "contiguous"),
    [
        ((2, 3), None, 1),
        ((2, 3), (3, 1), 1),
        ((2, 3), (1, 2), 0),
        ((2, 3), (4, 1), 0),
        ((1, 3), (99, 1), 1),  # the stride of a dimension of one says nothing
        ((2, 1), (1, 99), 1),
        ((0, 3), (7, 7), 1),  # nothing is contiguous
        ((), (), 1),
        ((5,), (-1,), 0),
    ],
)
def test_strides_decide_what_is_contiguous(
    load: Loader, shape: tuple[int, ...], strides: tuple[int, ...] | None, contiguous: int
) -> None:
    out = Numbers()
    assert load("tensors").call("facts", Tensor(*shape, strides=strides), out) == OK
    assert out.first(11)[9:] == [contiguous, contiguous]


def test_strides_are_told_or_refused_where_there_are_none(load: Loader) -> None:
    library, out = load("tensors"), Numbers()
    assert library.call("whole_strides", Tensor(2, 3, strides=(3, 1)), out) == OK
    assert out.first(3) == [3, 1, -1]
    text = "Check failed: (tensor_.strides != nullptr || tensor_.ndim == 0) is false: "
    assert library.call("whole_strides", Tensor(2, 3), out) == raised("InternalError", text)
    assert library.call("whole_strides", Tensor(), out) == OK


@pytest.mark.parametrize(
    ("index", "size", "stride"), [(0, 2, 12), (1, 3, 4), (2, 4, 1), (-1, 4, 1), (-3, 2, 12)]
)
def test_dimensions_count_from_both_ends(load: Loader, index: int, size: int, stride: int) -> None:
    x = Tensor(2, 3, 4, strides=(12, 4, 1))
    for name, wanted in (("size", size), ("stride", stride)):
        out = Numbers()
        assert load("tensors").call(name, x, index, out) == OK
        assert out.first(2) == [wanted, -1]


@pytest.mark.parametrize("index", [3, -4, 2**40])
@pytest.mark.parametrize("name", ["size", "stride"])
def test_a_dimension_that_is_not_there_is_an_index_error(
    load: Loader, name: str, index: int
) -> None:
    text = f"Index {index} out of bounds for tensor with 3 dimensions"
    found = load("tensors").call(name, Tensor(2, 3, 4, strides=(12, 4, 1)), index, Numbers())
    assert found == raised("IndexError", text)


@pytest.mark.parametrize(
    ("name", "shape", "arguments", "wanted"),
    [
        ("shape_at", (2, 3), (1,), OK),
        ("shape_at", (2, 3), (2,), raised("IndexError", "indexing 2 on a Shape of size 2")),
        ("shape_at", (2,), (-1,), raised("IndexError", f"indexing {2**64 - 1} on a Shape of size 1")),
        ("front_and_back", (2, 3), (), OK),
        ("back_only", (), (), raised("IndexError", f"indexing {2**64 - 1} on a Shape of size 0")),
    ],
)  # fmt: skip
def test_a_shape_is_bounded(
    load: Loader,
    name: str,
    shape: tuple[int, ...],
    arguments: tuple[int, ...],
    wanted: Outcome,
) -> None:
    assert load("tensors").call(name, Tensor(*shape), *arguments, Numbers()) == wanted


def test_an_empty_shape_has_no_front(load: Loader) -> None:
    found = load("tensors").call("front_and_back", Tensor(), Numbers())
    # which of the two operands of << is evaluated first is fixed since C++17: the left one
    assert found == raised("IndexError", "indexing 0 on a Shape of size 0")


@pytest.mark.parametrize(
    ("name", "arguments", "numbers"),
    [
        ("front_and_back", (Tensor(2, 3, 4),), [2, 4]),
        ("own_shapes", (), [12, 1, 3]),
        ("compared", (Tensor(1, dtype=BF16), Tensor(2, dtype=BF16)), [1, 0, 1]),
        ("compared", (Tensor(1, dtype=FLOAT32), Tensor(1, dtype=BF16)), [0, 1, 0]),
        ("compared", (Tensor(1, dtype=(4, 16, 2)), Tensor(1, dtype=BF16)), [0, 1, 0]),
        ("assigned", (Tensor(5), Tensor(6)), [6, 1]),
        ("data_sizes", (), [6, 3, 2, 48, 512, 1]),
        ("alignment", (Tensor(1, data=0x1010), 16), [1, 1]),
        ("alignment", (Tensor(1, data=0x1010), 32), [1, 0]),
        ("alignment", (Tensor(1, data=0x1010, byte_offset=16), 32), [1, 1]),
        ("alignment", (Tensor(1, data=0x1010, device=(7, 0)), 32), [0, 1]),  # Vulkan
    ],
)
def test_shapes_types_and_sizes_are_computed_alike(
    load: Loader, name: str, arguments: tuple[Argument, ...], numbers: list[int]
) -> None:
    out = Numbers()
    assert load("tensors").call(name, *arguments, out) == OK
    assert out.first(len(numbers) + 1) == [*numbers, -1]


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        (Tensor(2, 3, dtype=BF16, device=(CUDA, 0)), OK),
        (
            Tensor(2, 3, dtype=FLOAT32, device=(CUDA, 0)),
            raised(
                "InternalError",
                "Check failed: (x.dtype().code == kDLBfloat && x.dtype().bits == 16) is false: bf16 only",
            ),
        ),
        (
            Tensor(2, 3, dtype=BF16, device=(CPU, 0)),
            raised("InternalError", "Check failed: x.device().device_type == kDLCUDA (1 vs. 2) : "),
        ),
        (
            Tensor(2, dtype=BF16, device=(CUDA, 0)),
            raised("InternalError", "Check failed: x.ndim() == 2 (1 vs. 2) : a matrix"),
        ),
    ],
)
def test_what_kernels_check_of_their_arguments(load: Loader, x: Tensor, wanted: Outcome) -> None:
    assert load("tensors").call("expects_bf16", x) == wanted


def test_an_allocated_tensor_is_whole_and_freed(load: Loader, ffi_runtime: Runtime) -> None:
    out = Numbers()
    with Allocator().installed(ffi_runtime) as allocator:
        assert load("allocation").call("allocated", out) == OK
    address = 0x7000_0000_0000
    assert out.first(15) == [1, 2, 15, 5, 5, 1, 1, 1, 60, 1, CPU, 0, 2, address, -1]
    assert (allocator.given, allocator.freed) == ([(3, 5)], [0])


def test_owned_tensors_share_move_and_let_go(load: Loader, ffi_runtime: Runtime) -> None:
    out = Numbers()
    with Allocator().installed(ffi_runtime) as allocator:
        assert load("allocation").call("shared", out) == OK
    assert out.first(6) == [0, 1, 2, 7, 0, -1]
    assert (allocator.given, allocator.freed) == ([(2,), (7,)], [0, 1])


def test_a_static_workspace_lives_on(load: Loader, ffi_runtime: Runtime) -> None:
    first, second = Numbers(), Numbers()
    with Allocator().installed(ffi_runtime) as allocator:
        assert load("allocation").call("kept_between_calls", first) == OK
        assert load("allocation").call("kept_between_calls", second) == OK
    assert first.first(1) == second.first(1)
    assert allocator.freed == []


def test_a_failed_allocation_is_raised_as_the_allocator_said(
    load: Loader, ffi_runtime: Runtime
) -> None:
    with Allocator(fails=True).installed(ffi_runtime):
        found = load("allocation").call("allocated", Numbers())
    assert found == raised("MemoryError", "the allocator has nothing left")


def test_no_view_is_made_of_an_undefined_tensor(load: Loader) -> None:
    found = load("allocation").call("view_of_nothing", Numbers())
    assert found == raised("InternalError", "Check failed: (tensor.defined()) is false: ")
