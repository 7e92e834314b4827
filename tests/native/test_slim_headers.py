"""Sources that compile with the slim headers compile with the real ones too; what needs more fails with the slim ones."""

import ctypes
from pathlib import Path

import pytest
from ffi_calls import BF16, OK, Argument, Outcome, Tensor, raised
from header_sets import SETS, SOURCES, Builder, Loader

pytest_plugins = ("header_fixtures",)
pytestmark = pytest.mark.toolchain


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("alone_tensor", (Tensor(2, 3, dtype=BF16),), OK),
        ("alone_tensor", (Tensor(2, 3),), raised("TypeError", "bf16 only")),
        ("alone_error", (), raised("Caught", "from error.h")),
        ("alone_function", (1,), OK),
        ("alone_function", (2,), raised("ValueError", "Check failed: x == 1 (2 vs. 1) : ")),
        ("alone_dtype", (Tensor(1, dtype=BF16),), OK),
        ("alone_shape", (6,), Outcome(6)),
        ("alone_umbrella", (Tensor(1, dtype=BF16),), OK),
    ],
)
def test_each_header_is_enough_alone(
    load: Loader, name: str, arguments: tuple[Argument, ...], wanted: Outcome
) -> None:
    assert load(name).call("run", *arguments) == wanted


def test_both_header_sets_state_one_version(header_builder: Builder) -> None:
    found = [
        list((ctypes.c_int * 5).in_dll(ctypes.CDLL(str(header_builder.library(one, SOURCES / "versions.cpp"))), "versions"))
        for one in SETS
    ]  # fmt: skip
    assert found == [[0, 1, 12, 1, 3], [0, 1, 12, 1, 3]]


NEEDS_REAL = tuple(sorted(path.stem for path in (SOURCES / "needs_real").glob("*.cpp")))
WITH_MACROS = ("log_before_throw", "metadata")  # these define a macro before they include


@pytest.mark.parametrize("name", NEEDS_REAL)
def test_what_the_slim_headers_lack_is_a_compile_error(header_builder: Builder, name: str) -> None:
    source = SOURCES / "needs_real" / f"{name}.cpp"
    done = header_builder.compile("slim", source, "-fsyntax-only")
    assert done.returncode == 1
    assert "error" in done.stderr


def test_what_the_slim_headers_lack_compiles_with_the_real_ones(
    header_builder: Builder, tmp_path: Path
) -> None:
    assert len(NEEDS_REAL) == 31
    whole = tmp_path / "whole.cpp"
    whole.write_text(
        "".join(
            f'#include "{SOURCES}/needs_real/{name}.cpp"\n'
            for name in NEEDS_REAL
            if name not in WITH_MACROS
        ),
        encoding="utf-8",
    )
    alone = [SOURCES / "needs_real" / f"{name}.cpp" for name in WITH_MACROS]
    for source in (whole, *alone):
        done = header_builder.compile("real", source, "-fsyntax-only")
        assert done.returncode == 0, done.stderr


# What a source could only have from the slim headers would build here and nowhere else.
ONLY_WITH = {
    "view_without_its_header": "#include <tvm/ffi/function.h>\nvoid run(tvm::ffi::TensorView) {}\n",
    "constant_pointer": (
        "#include <tvm/ffi/function.h>\nvoid run() {}\nvoid (*const entry)() = run;\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, entry)\n"
    ),
    "reference_parameter": (
        "#include <tvm/ffi/function.h>\nvoid run(int64_t&) {}\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)\n"
    ),
    "lambda_in_place": (
        "#include <tvm/ffi/function.h>\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, [](int64_t) {})\n"
    ),
    "view_of_a_temporary": (
        "#include <tvm/ffi/container/tensor.h>\n"
        "void run() { tvm::ffi::TensorView view{tvm::ffi::Tensor()}; }\n"
    ),
}


@pytest.mark.parametrize("name", ONLY_WITH)
def test_what_the_real_headers_refuse_is_refused(
    header_builder: Builder, header_set: str, tmp_path: Path, name: str
) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(ONLY_WITH[name], encoding="utf-8")
    done = header_builder.compile(header_set, source, "-fsyntax-only")
    assert done.returncode == 1
    assert "error" in done.stderr
