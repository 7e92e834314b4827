"""What reaches a function, and what is told of wrong arguments, is the same with both header sets."""

import ctypes
import struct

import pytest
from ffi_calls import (
    BOOL,
    DL_TENSOR,
    INT,
    OK,
    OPAQUE_POINTER,
    RAW_STRING,
    TENSOR,
    Argument,
    Numbers,
    Outcome,
    Packed,
    Raw,
    Tensor,
    raised,
)
from header_sets import Loader

pytest_plugins = ("header_fixtures",)
pytestmark = pytest.mark.toolchain


def little(form: str, *values: float) -> bytes:
    return struct.pack("<" + form, *values)


VALUES: tuple[tuple[str, Argument, bytes], ...] = (
    ("int64", -5, little("q", -5)),
    ("int64", True, little("q", 1)),
    ("int32", 7, little("i", 7)),
    ("int32", 2**32 + 3, little("i", 3)),  # cut like a C cast
    ("int8", 200, little("b", -56)),
    ("uint8", -1, little("B", 255)),
    ("uint32", -1, little("I", 2**32 - 1)),
    ("uint64", -1, little("Q", 2**64 - 1)),
    ("truth", True, little("B", 1)),
    ("truth", 256, little("B", 1)),
    ("truth", 0, little("B", 0)),
    ("float32", 0.1, little("f", 0.1)),
    ("float32", 3, little("f", 3)),
    ("float32", True, little("f", 1)),
    ("float64", 0.1, little("d", 0.1)),
    ("float64", -2, little("d", -2)),
    ("int64_reference", 11, little("q", 11)),
    ("int64_moved", 12, little("q", 12)),
    ("int64_constant", 13, little("q", 13)),
    ("float32_reference", 0.5, little("f", 0.5)),
    ("member", 10, little("q", 11)),
    ("functor", 10, little("q", 12)),
    ("lambda", 10, little("q", 13)),
    ("variable", 10, little("q", 11)),
    ("reference", 10, little("q", 11)),
    ("from_a_namespace", 10, little("q", 14)),
    ("view", Tensor(21), little("q", 21)),
    ("view_reference", Tensor(22, 2), little("q", 22)),
    ("view_moved", Tensor(23), little("q", 23)),
    ("pointer", Tensor(24), little("q", 24)),
    ("pointer", Raw(DL_TENSOR, 0), little("q", -1)),  # a null DLTensor* is the author's to check
)


@pytest.mark.parametrize(("name", "argument", "wanted"), VALUES)
def test_an_argument_arrives_as_its_type_says(
    load: Loader, name: str, argument: Argument, wanted: bytes
) -> None:
    out = Numbers()
    assert load("arguments").call(name, argument, out) == OK
    assert out.bytes(len(wanted)) == wanted
    assert out.bytes(16)[len(wanted) :] == b"\xff" * (16 - len(wanted))


def mismatch(place: int, signature: str, expected: str, got: str) -> Outcome:
    return raised(
        "TypeError",
        f"Mismatched type on argument #{place} when calling: `{signature}`. "
        f"Expected `{expected}` but got `{got}`",
    )


WRONG: tuple[tuple[str, Argument, str, str], ...] = (
    ("int64", 0.5, "int", "float"),
    ("int64", None, "int", "None"),
    ("int64", Tensor(1), "int", "DLTensor*"),
    ("uint8", 0.5, "int", "float"),
    ("truth", 0.5, "bool", "float"),
    ("float32", None, "float", "None"),
    ("float64", Tensor(1), "float", "DLTensor*"),
    ("view", 1, "DLTensor*", "int"),
    ("view", None, "DLTensor*", "None"),
    ("view_reference", 0.5, "DLTensor*", "float"),
    ("pointer", True, "DLTensor*", "bool"),
    ("pointer", Raw(OPAQUE_POINTER, 64), "DLTensor*", "void*"),
    ("view", Raw(RAW_STRING, 0), "DLTensor*", "const char*"),
)


@pytest.mark.parametrize(("name", "argument", "expected", "got"), WRONG)
def test_a_wrong_type_is_told_with_the_signature(
    load: Loader, name: str, argument: Argument, expected: str, got: str
) -> None:
    out = Numbers()
    signature = f"{name}(0: {expected}, 1: DLTensor*) -> void"
    wanted = mismatch(0, signature, expected, got)
    assert load("arguments").call(name, argument, out) == wanted
    assert out.first(1) == [-1]


MANY = "many(0: DLTensor*, 1: int, 2: float, 3: bool, 4: DLTensor*, 5: DLTensor*, 6: int) -> void"


def test_of_many_arguments_the_wrong_one_is_named(load: Loader) -> None:
    library, x, yes = load("arguments"), Tensor(1), Raw(BOOL, 1)
    assert library.call("many", x, 1, 0.5, yes, x, x, 3) == OK
    assert library.call("many", x, 1, None, yes, x, x, 3) == mismatch(2, MANY, "float", "None")
    assert library.call("many", x, 1, 1, yes, x, 7, 3) == mismatch(5, MANY, "DLTensor*", "int")
    # g++ evaluates arguments from the last to the first, so the last wrong one is told
    assert library.call("many", 1, 1, 1, yes, x, x, 0.5) == mismatch(6, MANY, "int", "float")


@pytest.mark.parametrize(
    ("name", "arguments", "signature", "expected"),
    [
        ("nothing", (1,), "nothing() -> void", 0),
        ("int64", (), "int64(0: int, 1: DLTensor*) -> void", 2),
        ("int64", (1,), "int64(0: int, 1: DLTensor*) -> void", 2),
        ("view", (None, None, None), "view(0: DLTensor*, 1: DLTensor*) -> void", 2),
        ("many", (1, 2), MANY, 7),
    ],
)
def test_a_wrong_count_is_told_before_any_type(
    load: Loader, name: str, arguments: tuple[Argument, ...], signature: str, expected: int
) -> None:
    wanted = raised(
        "TypeError",
        f"Mismatched number of arguments when calling: `{signature}`. "
        f"Expected {expected} but got {len(arguments)} arguments",
    )
    assert load("arguments").call(name, *arguments) == wanted


def test_a_function_without_parameters_is_called(load: Loader) -> None:
    assert load("arguments").call("nothing") == OK


def test_a_null_tensor_is_an_error_of_the_view(load: Loader) -> None:
    wanted = raised("InternalError", "Check failed: (tensor != nullptr) is false: ")
    assert load("arguments").call("view", Raw(DL_TENSOR, 0), Numbers()) == wanted


def test_an_owned_tensor_is_taken_where_a_view_is_asked_for(load: Loader) -> None:
    tensor = Tensor(31)
    # An object of this type is a header of 24 bytes and the DLTensor.
    held = ctypes.create_string_buffer(b"\0" * 24 + bytes(tensor.struct))
    given = Raw(TENSOR, ctypes.addressof(held))
    for name in ("view", "view_reference", "pointer"):
        out = Numbers()
        assert load("arguments").call(name, given, out) == OK
        assert out.first(1) == [31]


def test_the_result_stays_as_the_caller_set_it(load: Loader) -> None:
    result = Packed(INT, 5, Packed.Value(integer=77))
    assert load("arguments").call_into(result, "nothing") == OK
    assert (result.type_index, result.padding, result.value.integer) == (INT, 5, 77)
