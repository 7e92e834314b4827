"""Differences of two sources as their page shows them: coloured like sources, readable, and not told by colour alone."""

import re
from itertools import product
from pathlib import Path

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT
from page_reading import strictly, text_of
from site_fixtures import artifacts

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.models import Kernel
from leaderboard.projection import rebuild
from leaderboard.views.source_text import lines_of, marked_lines

__all__ = ["artifacts"]  # fixtures

STYLE = Path(__file__).parents[2] / "static" / "ptxboard-source.css"
LEAST_CONTRAST = 4.5  # of text on its paper, WCAG 2.2, 1.4.3
LEAST_OF_EDGES = 3.0  # of what is no text, 1.4.11
OLD = b"// one\nint a = 1;\n/* both\n   stay */\nreturn a;\n"
NEW = b"// one\nfloat a = 2;\n/* both\n   stay */\nreturn a;\n// <b>last</b>\n"


def differences(client: Client, folder: Path, old: bytes, new: bytes) -> list[str]:
    """The lines of the differences as HTML, of kernels with these sources."""
    store = LocalArtifacts(folder)
    for source in (old, new):
        entry = rows.judged(["p"] * 5, model=rows.model())
        sha256 = store.put("source", source).sha256
        kernel = Kernel.objects.filter(turns__trajectory__entry=entry).order_by("pk")[0]
        Kernel.objects.filter(pk=kernel.pk).update(sha256=sha256)
    rebuild(at=AT)
    keys = Kernel.objects.filter(sha256__gt="1").order_by("pk").values_list("sha256", flat=True)
    answer = client.get("/compare/?" + "&".join(f"kernel={one}" for one in keys))
    assert answer.status_code == 200
    page = answer.content.decode()
    strictly(page)
    assert "ptxboard-source.css" in page
    return re.findall(r'<span class="line (?:old|new|both)">.*?\n</span>', page, re.DOTALL)


@pytest.mark.django_db
def test_lines_of_either_side_have_a_sign_a_class_and_words_told_apart(
    client: Client, artifacts: Path
) -> None:
    found = differences(client, artifacts, OLD, NEW)
    said = [text_of(one) for one in found]
    assert said == [
        "1 1 // one",
        "2 \N{MINUS SIGN} int a = 1 ;",
        "2 + float a = 2 ;",
        "3 3 /* both",
        "4 4 stay */",
        "5 5 return a;",
        "6 + // <b>last</b>",
    ]
    old, new = found[1], found[2]
    assert old.startswith('<span class="line old">')
    assert '<span class="hl-type">int</span> a = <span class="hl-number">1</span>;' in old
    assert new.startswith('<span class="line new">')
    assert '<span class="hl-type">float</span>' in new
    assert '<span class="hl-comment">   stay */</span>' in found[4]  # of a comment above it
    assert "<b>" not in "".join(found)


@pytest.mark.django_db
def test_hostile_characters_of_a_source_are_spelled_out_in_its_differences(
    client: Client, artifacts: Path
) -> None:
    found = differences(client, artifacts, OLD, "// \u202e <script>alert(1)</script>\n".encode())
    added = [text_of(one) for one in found if "line new" in one]
    assert added == ["1 + // ⟨U+202E⟩ <script>alert(1)</script>"]
    assert "<script>" not in "".join(found)


def test_lines_are_marked_as_many_as_are_compared() -> None:
    for source in (OLD, NEW, b"", b"\n\n", b"a\r\nb\rc", b"/* no end\n\n"):
        for is_cuda in (True, False):
            assert len(marked_lines(source, is_cuda=is_cuda)) == len(lines_of(source))


def test_what_is_no_cuda_is_not_coloured() -> None:
    assert marked_lines(b"int a;\n", is_cuda=False) == ["int a;"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_can_be_read_on_every_paper(scheme: str) -> None:
    colours = palette(scheme)
    papers = ("--source-paper", "--diff-old", "--diff-new")
    words = [one for one in colours if one.startswith(("--hl-", "--source-t"))]
    assert len(words) == 8
    for word, paper in product([*words, "--source-number-of-line"], papers):
        assert contrast(colours[word], colours[paper]) >= LEAST_CONTRAST, (word, paper)
    for side in ("old", "new"):
        edge, paper = colours[f"--diff-{side}-edge"], colours[f"--diff-{side}"]
        assert contrast(edge, paper) >= LEAST_OF_EDGES, side


def test_contrast_is_that_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def palette(scheme: str) -> dict[str, str]:
    """Colours by name; those of the dark scheme stand after those of the light one."""
    light, dark = re.findall(r":root[^{]*\{([^}]*)\}", STYLE.read_text())
    chosen = light if scheme == "light" else dark
    return dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", chosen))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.2."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
