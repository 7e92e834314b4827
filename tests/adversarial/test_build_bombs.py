"""Sources that attack the compile: each ends in a typed refusal, in time, and reveals nothing of the host."""

import dataclasses

import pytest

from evaluation.adapters.nvcc import Nvcc
from evaluation.core.binary.library import read_library
from evaluation.core.compile.build import BuildLimits, Built, Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain

ENTRY = """
#include <tvm/ffi/tvm_ffi.h>
void run(tvm::ffi::TensorView a) {}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""


@pytest.fixture(scope="module")
def small(compiler: Nvcc) -> Nvcc:
    """Little memory, and the ordinary time."""
    limits = BuildLimits(memory_bytes=2 << 30, scratch_bytes=256 << 20)
    return dataclasses.replace(compiler, limits=limits)


@pytest.fixture(scope="module")
def hasty(small: Nvcc) -> Nvcc:
    """For what ends by its processor time alone."""
    return dataclasses.replace(small, limits=dataclasses.replace(small.limits, cpu_seconds=6))


def refused(nvcc: Nvcc, source: str, *headers: HeaderSet) -> Failed:
    program = nvcc.build(
        (source + ENTRY).encode(), Target.HOPPER, headers=headers or (HeaderSet.SLIM,)
    )
    assert isinstance(program, Failed)
    return program


DOUBLING = "".join(f"#define M{n} M{n - 1} M{n - 1}\n" for n in range(1, 41)).replace(
    "M0 M0", "int; int;"
)

LOOP = """
constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i; return s; }
static_assert(f(1000000000000l) == 1);
"""

TWO_WAYS = """
template <int N, int M> struct F { static constexpr long v = F<N - 1, 2 * M>::v + F<N - 2, 2 * M + 1>::v; };
template <int M> struct F<0, M> { static constexpr long v = 1; };
template <int M> struct F<1, M> { static constexpr long v = 1; };
long x = F<30, 1>::v;
"""

# The compiler caps its own unrolling, so this one is unrolled by hand: a million dependent statements.
UNROLLED = (
    "#define S0 a[n] = __sinf(a[n + 1]) * a[n]; n += int(a[n]);\n"
    + "".join(f"#define S{n} S{n - 1} S{n - 1}\n" for n in range(1, 21))
    + "__global__ void k(float* a) { int n = threadIdx.x; S20 }\nvoid call(float* a) { k<<<1, 1>>>(a); }\n"
)


BY_LIMIT = {FailureKind.TIMEOUT, FailureKind.MEMORY, FailureKind.CRASH, FailureKind.ERROR}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(TWO_WAYS, id="template_tree"),
        pytest.param(UNROLLED, id="unrolled"),
        pytest.param(DOUBLING + "M40", id="macro_tree"),
        pytest.param('#include "/dev/urandom"', id="endless_file"),
        pytest.param("__device__ char big[1ull << 31] = {1};", id="device_array"),
    ],
)
def test_a_compile_without_end_is_ended_by_a_limit(hasty: Nvcc, source: str) -> None:
    assert refused(hasty, source).kind in BY_LIMIT


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        pytest.param(
            "template <int N> struct A { static const int v = A<N + 1>::v; }; int x = A<0>::v;",
            FailureKind.ERROR,
            id="template_depth",
        ),
        pytest.param(LOOP, FailureKind.ERROR, id="constant_loop"),
        pytest.param(
            "#include __FILE__\n#include __FILE__", FailureKind.ERROR, id="includes_itself"
        ),
        pytest.param('#include "/dev/zero"', FailureKind.ERROR, id="zeros"),
        pytest.param('#include "/dev/ptmx"', FailureKind.ERROR, id="a_terminal_without_a_word"),
        pytest.param('#include "/dev/tty"', FailureKind.ERROR, id="the_terminal"),
        pytest.param('#include "/dev/stdin"', FailureKind.ERROR, id="standard_input"),
        pytest.param('#include "/dev/fd/9"', FailureKind.ERROR, id="a_pipe_of_ours"),
        pytest.param("char big[1u << 31] = {1};", FailureKind.OBJECT_TOO_LARGE, id="two_gigabytes"),
        pytest.param(
            "char big[100u << 20] = {1};", FailureKind.OBJECT_TOO_LARGE, id="hundred_megabytes"
        ),
    ],
)
def test_a_compile_bomb_ends_in_a_typed_refusal(
    small: Nvcc, source: str, kind: FailureKind
) -> None:
    assert refused(small, source).kind is kind


@pytest.mark.parametrize(
    "source",
    [
        '#include "/etc/passwd"',
        '#include "../../../etc/passwd"',
        "#include </etc/shadow>",
        '#include "/proc/self/environ"',
        '#include "/root/.bashrc"',
        'asm(".incbin \\"/etc/passwd\\"");',
        'asm(".include \\"/etc/passwd\\"");',
    ],
)
def test_a_file_of_the_host_is_not_there_to_be_shown(small: Nvcc, source: str) -> None:
    program = refused(small, source, HeaderSet.SLIM, HeaderSet.REAL)

    assert program.kind is FailureKind.ERROR
    assert (
        "No such file" in program.log
        or "file not found" in program.log
        or "can't open" in program.log
    )
    assert "root:" not in program.log


def test_whether_a_file_of_the_host_exists_cannot_be_asked(compiler: Nvcc) -> None:
    asks = '#if __has_include("/etc/passwd") || __has_include("/proc/self/maps")\n#error it is there\n#endif'

    assert isinstance(compiler.build((asks + ENTRY).encode(), Target.HOPPER), Built)


def test_messages_of_the_source_come_back_short_and_plain(small: Nvcc) -> None:
    line = '#pragma message("\\x1b[31mred\\r\\x07 ' + "x" * 400 + '")\n'
    flood = line * 500 + '#error "\x1b]0;title\x07 the end \u202e"\n'

    program = refused(small, flood)

    assert program.kind is FailureKind.ERROR
    assert len(program.log.encode()) <= 64 * 1024
    assert not {"\x1b", "\r", "\x07", "\u202e"} & set(program.log)


def test_a_name_that_the_source_exports_stays_inside(compiler: Nvcc) -> None:
    source = """
extern "C" __attribute__((visibility("default"))) int extra() { return 1; }
extern "C" __attribute__((visibility("default"))) int extra_too = 1;
"""
    program = compiler.build((source + ENTRY).encode(), Target.HOPPER)

    assert isinstance(program, Built)
    assert read_library(program.library).exports == ("__tvm_ffi_run",)


def test_a_symbol_version_of_the_source_does_not_get_around_the_export_list(small: Nvcc) -> None:
    source = """
extern "C" __attribute__((visibility("default"))) int extra() { return 1; }
asm(".symver extra_one, extra@@VERSION_1\\n.globl extra_one\\nextra_one: ret\\n");
"""
    program = refused(small, source)

    assert (program.kind, program.step) == (FailureKind.ERROR, "link")


def test_an_option_in_the_source_does_not_start_a_plugin_or_another_program(compiler: Nvcc) -> None:
    source = """
#pragma GCC optimize("plugin=/tmp/evil.so")
#pragma GCC optimize("-fplugin=/tmp/evil.so")
__attribute__((optimize("wrapper,/usr/bin/touch"))) int f() { return 1; }
"""
    program = compiler.build((source + ENTRY).encode(), Target.HOPPER)

    assert isinstance(program, Built)
    assert "evil.so: cannot open" not in program.log
