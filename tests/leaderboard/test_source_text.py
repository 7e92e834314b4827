"""A source as HTML: every character once, words told apart, lines with addresses, and hostile texts in little time."""

import re
import time
from html import unescape
from pathlib import Path

import pytest
from django.test import Client
from page_reading import strictly
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

from leaderboard.views.source_text import (
    MARKED_BYTES,
    SHOWN_LINES,
    SourceText,
    lines_of,
    source_text,
)

__all__ = ["artifacts", "seeded"]  # fixtures
STYLES = Path(__file__).parents[2] / "static" / "ptxboard-source.css"
GOLDEN = Path(__file__).parents[1] / "golden" / "kernels"
MOST_SECONDS = 3.0  # 0.4 s on two busy cores; a reader that is not linear takes minutes


def marks(text: str) -> list[tuple[str, str]]:
    """What is told apart in a source, as (class, text)."""
    found = source_text(text.encode(), is_cuda=True)
    return re.findall(r'<span class="hl-(\w+)">(.*?)</span>', found.html, re.DOTALL)


def written(found: SourceText) -> str:
    """The text of the lines without the links that number them."""
    return unescape(re.sub(r"<a .*?</a>|<[^>]*>", "", found.html))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a // b \\\nc\nd", [("comment", "// b \\"), ("comment", "c")]),
        ("a /* b\nc */ d", [("comment", "/* b"), ("comment", "c */")]),
        ("/* never ends", [("comment", "/* never ends")]),
        ('x = "a // b";', [("string", "&quot;a // b&quot;")]),
        (r'"a\"b" c', [("string", r"&quot;a\&quot;b&quot;")]),
        ('"never ends\nint', [("string", "&quot;never ends"), ("type", "int")]),
        ("u8'\\''", [("string", "u8&#x27;\\&#x27;&#x27;")]),
        ('R"(a)b)" int', [("string", "R&quot;(a)b)&quot;"), ("type", "int")]),
        ('R"x(a)")x" int', [("string", "R&quot;x(a)&quot;)x&quot;"), ("type", "int")]),
        ("1'000u + .5e-3f", [("number", "1&#x27;000u"), ("number", ".5e-3f")]),
        ("x1 = 0x1F", [("number", "0x1F")]),
        ("#include <mma.h>", [("directive", "#include &lt;mma.h&gt;")]),
        ("  #  define N 8", [("directive", "  #  define"), ("number", "8")]),
        ("a # b", []),
        (
            "__global__ void k() { if (threadIdx.x) return; }",
            [
                ("device", "__global__"),
                ("type", "void"),
                ("keyword", "if"),
                ("device", "threadIdx"),
                ("keyword", "return"),
            ],
        ),
        ("iffy voided _return", []),
    ],
    ids=[
        *("spliced comment", "long comment", "open comment", "string with slashes", "escape"),
        *("open string", "character", "raw string", "raw string with a fence", "numbers"),
        *("number behind a name", "include", "define", "no directive", "words", "longer names"),
    ],
)
def test_words_of_a_source_are_told_apart(source: str, expected: list[tuple[str, str]]) -> None:
    assert marks(source) == expected


def test_every_line_has_an_anchor_a_link_and_its_own_text() -> None:
    found = source_text(b"int a;\n\n<b>&</b>\n", is_cuda=False)
    assert found.html == (
        '<span class="line" id="L1"><a href="#L1" aria-label="line 1">1</a>int a;\n</span>'
        '<span class="line" id="L2"><a href="#L2" aria-label="line 2">2</a>\n</span>'
        '<span class="line" id="L3"><a href="#L3" aria-label="line 3">3</a>&lt;b&gt;&amp;&lt;/b&gt;\n</span>'
    )
    assert (found.lines, found.rest) == (3, "")


def test_lines_are_those_of_a_compiler() -> None:
    assert lines_of(b"a\r\nb\rc\nd\x0b\x0c\xe2\x80\xa8e\n") == ["a", "b", "c", "d\x0b\x0c\u2028e"]
    assert lines_of(b"a\n\n") == ["a", ""]
    assert source_text(b"a\r\nb\rc\nd\x0b\xe2\x80\xa8e\n", is_cuda=True).lines == 4


def test_what_hides_in_a_word_or_a_comment_is_spelled_out() -> None:
    found = source_text("// a\u202eb\nint\u200b x\0\tc".encode(), is_cuda=True)
    assert "\u202e" not in found.html
    assert written(found) == "// a⟨U+202E⟩b\nint⟨U+200B⟩ x⟨U+0000⟩\tc\n"


def test_a_real_kernel_loses_no_character() -> None:
    content = (GOLDEN / "gemm_wgmma_tma" / "kernel.cu").read_bytes()
    found = source_text(content, is_cuda=True)
    assert found.lines == 334
    assert written(found) == content.decode()
    assert found.html.count('<span class="hl-device">__global__</span>') == 1


def test_a_large_source_is_shown_in_one_colour_and_says_so() -> None:
    content = b"int a;\n" * (MARKED_BYTES // 7 + 1)
    found = source_text(content[:MARKED_BYTES], is_cuda=True)
    assert '<span class="hl-type">int</span> a;' in found.html
    found = source_text(content, is_cuda=True)
    assert "hl-" not in found.html
    assert "More than 128 KiB are shown in one colour." in found.rest
    assert "hl-" not in source_text(b"int a;", is_cuda=False).html


def test_lines_beyond_the_last_that_is_shown_are_counted_and_said_to_be_left_out() -> None:
    found = source_text(b"x\n" * (SHOWN_LINES + 1), is_cuda=True)
    assert found.lines == 10_001
    assert 'id="L10000"' in found.html
    assert 'id="L10001"' not in found.html
    assert found.rest == "The first 10,000 lines are shown; save the source to read the rest."
    assert source_text(b"x\n" * SHOWN_LINES, is_cuda=True).rest == ""


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "/", "/*", '"', "'", "\\", " ", "\n", " \n", "//\\\n", 'R"(', 'R"abcdefghijklmnop'),
        *(
            "#",
            "#include <",
            "1'",
            "1 ",
            "a ",
            "(",
            "<",
            '"a',
            "if ",
            "é",
            "\r",
            "\0",
            ')")',
            "a\\ ",
        ),
    ],
    ids=ascii,
)
def test_a_source_that_was_made_to_be_slow_is_not(unit: str) -> None:
    content = f"a{unit * MARKED_BYTES}".encode()[:MARKED_BYTES]
    begun = time.perf_counter()
    found = source_text(content, is_cuda=True)
    assert time.perf_counter() - begun < MOST_SECONDS
    assert found.lines >= 1


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_of_a_source_can_be_read_on_its_paper(theme: str) -> None:
    light, _, rest = STYLES.read_text().partition("@media (prefers-color-scheme: dark)")
    text = light if theme == "light" else rest
    # Papers of differences are no colours of words; test_shown_differences sets every word against them.
    colours = dict(re.findall(r"--((?!diff-)[a-z-]+): (#[0-9a-f]{6});", text))
    paper = luminance(colours.pop("source-paper"))
    assert len(colours) == 9
    for name, colour in colours.items():
        bright, dim = sorted((paper, luminance(colour)), reverse=True)
        assert (bright + 0.05) / (dim + 0.05) >= 4.5, name


@pytest.mark.django_db
def test_the_page_of_a_kernel_shows_its_source_in_colours_and_asks_for_their_style(
    client: Client, seeded: Seeded
) -> None:
    page = client.get(f"/kernels/{seeded.evidence.kernel.sha256}/").content.decode()
    strictly(page)
    assert "/static/ptxboard-source.css" in page
    assert '<span class="hl-directive">#include &lt;cuda_runtime.h&gt;</span>' in page
    assert "style=" not in page
