"""The kernel of a reply: one rule, and the ways in which models really write code blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.verdict import Language
from portal.uploads.importers.kernel_of_turn import (
    LIMIT_REPLY_CHARACTERS,
    FoundKernel,
    How,
    kernel_of_turn,
)

WHOLE = "__global__ void k() {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"
OTHER = "// second\n__global__ void k() {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"
TRITON = "import triton\n\n@triton.jit\ndef kernel():\n    pass\n\ndef run(a):\n    pass\n"


def found(reply: str) -> FoundKernel | None:
    return kernel_of_turn(reply, Language.CUDA)


@pytest.mark.parametrize(
    ("reply", "source"),
    [
        pytest.param(f"Plan.\n```cpp\n{WHOLE}```\nDone.", WHOLE, id="one block"),
        pytest.param(f"```cpp\n{WHOLE}```\n```cpp\n{OTHER}```", OTHER, id="the last of two"),
        pytest.param(
            f"```cpp\n{WHOLE}```\nas in\n```cpp\nint x;\n```", WHOLE, id="not a later snippet"
        ),
        pytest.param(
            "```cpp\nint x;\n```\n```cpp\nint y;\n```",
            "int y;\n",
            id="the last where none is whole",
        ),
        pytest.param(f"```cpp\n{WHOLE}```\n```cpp\n   \n```", WHOLE, id="not an empty block"),
        pytest.param(f"```CPP\n{WHOLE}```", WHOLE, id="a tag in capitals"),
        pytest.param(f"``` cpp title=k.cu\n{WHOLE}```", WHOLE, id="more words behind the tag"),
        pytest.param(f"~~~cpp\n{WHOLE}~~~", WHOLE, id="tildes"),
        pytest.param(
            f"````cpp\n// ```\n{WHOLE}````", f"// ```\n{WHOLE}", id="a longer fence holds a shorter"
        ),
        pytest.param(
            f"~~~cpp\n// ```\n{WHOLE}~~~", f"// ```\n{WHOLE}", id="tildes hold back-ticks"
        ),
        pytest.param(
            f"````markdown\nText\n```cpp\n{WHOLE}```\n````", WHOLE, id="a block within Markdown"
        ),
        pytest.param(
            f"```markdown\n```cpp\n{WHOLE}```\n```", WHOLE, id="a block within an equal fence"
        ),
        pytest.param(
            "1. Kernel:\n\n   ```cpp\n   __global__ void k();\n     int x;\n   ```",
            "__global__ void k();\n  int x;\n",
            id="an indented block loses its indentation only",
        ),
        pytest.param(f"Here: ```cpp\n{WHOLE}```", WHOLE, id="a fence behind prose"),
        pytest.param(
            f"```cpp\n{WHOLE.rstrip()}```\nDone.", WHOLE, id="a fence that ends the last line"
        ),
        pytest.param(
            f"```cpp\nint draft;\n```cpp\n{WHOLE}```", WHOLE, id="a block left open before the next"
        ),
        pytest.param(
            f"```bash\nnvcc k.cu\n```\n```cpp\n{WHOLE}```\n```\noutput\n```",
            WHOLE,
            id="blocks of other languages around it",
        ),
        pytest.param(
            f"```cpp\n{WHOLE}```\n```cpp\nint cut", WHOLE, id="not a later one cut in the middle"
        ),
    ],
)
def test_the_kernel_is_found_by_the_rule(reply: str, source: str) -> None:
    assert found(reply) == FoundKernel(source)


def test_line_ends_of_two_characters_stay_as_they_are() -> None:
    reply = "Text\r\n```cpp\r\n__global__ void k() {}\r\nint x;\r\n```\r\nDone\r\n"

    assert found(reply) == FoundKernel("__global__ void k() {}\r\nint x;\r\n")


@pytest.mark.parametrize(
    ("reply", "how"),
    [
        pytest.param(f"```cuda\n{WHOLE}```", How.RELATED_TAG, id="cuda"),
        pytest.param(f"```c++\n{WHOLE}```", How.RELATED_TAG, id="c++"),
        pytest.param(f"```\n{WHOLE}```", How.NO_TAG, id="no tag"),
        pytest.param(f"~~~\n```\n{WHOLE}```\n~~~", How.NO_TAG, id="no tag within tildes"),
        pytest.param(f"```cpp\n{WHOLE}", How.NEVER_CLOSED, id="never closed"),
    ],
)
def test_a_kernel_found_in_another_way_says_how(reply: str, how: How) -> None:
    kernel = found(reply)

    assert kernel is not None
    assert kernel.how is how
    assert kernel.source.rstrip() == WHOLE.rstrip()


def test_a_block_of_the_harness_tag_comes_before_a_whole_one_of_another_tag() -> None:
    assert found(f"```cpp\nint x;\n```\n```cuda\n{WHOLE}```") == FoundKernel("int x;\n")


def test_a_whole_block_without_a_tag_comes_before_a_later_log() -> None:
    reply = f"```\n{WHOLE}```\n```\nptxas info: 0 bytes\n```"

    assert found(reply) == FoundKernel(WHOLE, How.NO_TAG)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No code today.",
        "Use `k<<<1, 1>>>` here.",
        "```bash\nls\n```",
        "```cpp\n\n```",
        "```",
        "````cpp",
    ],
)
def test_a_reply_without_code_has_no_kernel(reply: str) -> None:
    assert found(reply) is None


def test_triton_is_taken_from_python_blocks() -> None:
    reply = f"```cpp\n{WHOLE}```\n```python\n{TRITON}```\n```python\nprint(1)\n```"

    assert kernel_of_turn(reply, Language.TRITON) == FoundKernel(TRITON)


def test_an_indented_triton_block_can_be_parsed() -> None:
    indented = "".join(f"    {line}\n" if line else "\n" for line in TRITON.splitlines())

    assert kernel_of_turn(f"- k\n\n    ```python\n{indented}    ```", Language.TRITON) == (
        FoundKernel(TRITON)
    )


_PIECES = st.lists(
    st.sampled_from(
        [
            "```",
            "````",
            "~~~",
            "cpp",
            "python",
            "\n",
            "\r\n",
            " ",
            "\t",
            "`",
            "~",
            "{.",
            "x",
            "markdown",
            WHOLE,
            "\u2028",
            "\x0c",
        ]
    ),
    max_size=60,
)


@given(_PIECES, st.sampled_from(list(Language)))
def test_whatever_a_reply_is_a_kernel_is_some_of_its_text(
    pieces: list[str], language: Language
) -> None:
    kernel = kernel_of_turn("".join(pieces), language)

    if kernel is not None:
        assert kernel.source.strip()
        assert set(kernel.source) <= set("".join(pieces)) | {"\n"}


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param("```cpp\n", id="openings"),
        pytest.param("```\n", id="fences"),
        pytest.param("`", id="back-ticks"),
        pytest.param("``` ", id="fences in one line"),
        pytest.param("x```cpp\n", id="late openings"),
        pytest.param("~~~a\n```cpp\n", id="two kinds"),
        pytest.param(" ", id="spaces"),
        pytest.param("ptxbench eval ", id="words"),
    ],
)
def test_a_million_characters_of_one_repeated_piece_are_read_at_once(piece: str) -> None:
    """A second or two when linear, hours when quadratic; the time limit of a test is the judge."""
    kernel_of_turn(piece * (LIMIT_REPLY_CHARACTERS // 2 // len(piece)), Language.CUDA)


def test_a_deep_nest_of_fences_is_read_at_once() -> None:
    depth = 2000
    fences = [("`" if level % 2 else "~") * (3 + level) for level in range(depth)]
    reply = "\n".join([*reversed(fences), WHOLE, *fences])

    assert kernel_of_turn(reply, Language.CUDA) is not None
