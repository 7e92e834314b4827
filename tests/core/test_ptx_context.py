"""PTX lines beside ptxas's words."""

from evaluation.core.compile.ptx_context import with_context

PTX = """\
.version 9.0
.target sm_90a
.visible .entry first(
\t.param .u64 p
)
{
\t.loc\t1 3 5
\tmov.u32 %r1, 0;
\t.loc\t1 7 3
\t// begin inline asm
\tbogus.instruction %r1;
\t.loc\t2 99 1
\talso.bogus %r2;
}
.visible .entry second(
)
{
\tbad;
}
\t.file\t1 "/w/kernel.cu"
\t.file\t2 "/toolchain/include/mma.h"
"""


def test_a_named_line_is_shown_with_the_source_line_that_it_comes_from() -> None:
    said = "ptxas kernel.ptx, line 11; error   : Unknown modifier\n"

    assert with_context(said, PTX) == said + (
        "PTX lines named above:\n  kernel.ptx:11 (kernel.cu:7): bogus.instruction %r1;\n"
    )


def test_a_line_from_a_header_or_another_function_gets_no_place_in_the_source() -> None:
    said = "ptxas kernel.ptx, line 13; error : x\nptxas kernel.ptx, line 18; error : y\n"

    assert with_context(said, PTX).endswith(
        "  kernel.ptx:13: also.bogus %r2;\n  kernel.ptx:18: bad;\n"
    )


def test_a_line_above_every_place_gets_none() -> None:
    assert with_context("ptxas kernel.ptx, line 1; error : x\n", PTX).endswith(
        "  kernel.ptx:1: .version 9.0\n"
    )


def test_each_line_is_shown_once_and_at_most_ten() -> None:
    said = "".join(f"ptxas kernel.ptx, line {n}; error : x\n" for n in (2, 2, *range(3, 19)))

    shown = with_context(said, PTX).split("PTX lines named above:\n")[1]

    assert shown.count("\n") == 10
    assert shown.count("kernel.ptx:2:") == 1


def test_words_that_name_no_line_of_the_file_stay_alone() -> None:
    for said in (
        "ptxas fatal : gone\n",
        "ptxas kernel.ptx, line 0; error\n",
        "ptxas kernel.ptx, line 999; error\n",
    ):
        assert with_context(said, PTX) == said


def test_a_long_line_is_cut() -> None:
    shown = with_context("ptxas kernel.ptx, line 1; error\n", "x" * 5000)

    assert shown.endswith(f"  kernel.ptx:1: {'x' * 200}\n")
