"""The figures of a publication that come with the package give way to its own files."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target
from evaluation.models import Model, PaperCell
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardQuery, board_page
from leaderboard.standing import BoardKind
from portal.quickstart import sample_data
from portal.quickstart.sample_files import sample_folder
from portal.quickstart.sample_papers import load_paper_values, paper_values
from portal.uploads.paper_import import import_publication, read_published

pytestmark = pytest.mark.django_db

PUBLISHED = Path(__file__).parents[3].parent / "shared/data/ptxbench-published"


def load() -> bool:
    return load_paper_values(sample_folder(), at=timezone.now())


def cell(model: str, device: str, problem: str, metric: PaperMetric) -> PaperCell:
    return PaperCell.objects.get(
        model__name=model, device=device, problem=problem, metric=metric, turn_limit=8, main=True
    )


def test_four_models_have_three_values_for_five_problems_on_two_devices() -> None:
    assert load()
    assert {name: len(values) for name, values in paper_values(sample_folder()).items()} == {
        "Claude Opus 4.8": 30,
        "Gemini 3.1 Pro": 30,
        "GLM-5.2": 30,
        "Qwen3.6-27B": 30,
    }
    assert PaperCell.objects.count() == 120
    assert {one.accepted_at is not None for one in Model.objects.all()} == {True}


def test_the_figures_are_the_publications() -> None:
    load()
    opus = cell("Claude Opus 4.8", "B200", "mha_bwd_d128", PaperMetric.TARGET_CORRECT_AT)
    assert (opus.numerator, opus.denominator, opus.evidence) == (10, 96, "ptx_text")
    glm = cell("GLM-5.2", "H100", "mha_bwd_d128_causal", PaperMetric.BEST_SPEEDUP)
    assert (glm.numerator, glm.value) == (None, 0.101)
    qwen = cell("Qwen3.6-27B", "H100", "gemm_n7168_k5120", PaperMetric.BEST_SPEEDUP)
    assert qwen.value is None


def test_a_second_start_leaves_what_is_there() -> None:
    load()
    PaperCell.objects.filter(metric=PaperMetric.BEST_SPEEDUP).delete()
    assert not load()
    assert PaperCell.objects.count() == 80


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"{PUBLISHED} is not there")
def test_the_publications_files_keep_its_rates_and_make_its_ratios_exact() -> None:
    load()
    changes = import_publication(read_published(PUBLISHED), at=timezone.now())
    # 80 rates and the 9 ratios that are none (Qwen3.6-27B, but for GEMM on B200) stay; 31 rounded ratios go.
    assert (changes.kept, changes.removed) == (89, 31)
    assert changes.models == 7  # s0 to s6
    assert (
        cell("Claude Opus 4.8", "H100", "gemm_n7168_k5120", PaperMetric.BEST_SPEEDUP).value
        == 0.975629186
    )
    assert not load()


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"{PUBLISHED} is not there")
def test_boards_show_what_the_command_imported_over_the_samples_figures() -> None:
    sample_data.load()
    asked = BoardQuery(
        kind=BoardKind.SPEED,
        target=Target.HOPPER,
        device="h100",
        problem="gemm_n7168_k5120",
        provenance=Provenance.PAPER,
    )
    assert board_page(asked).rows[0].value == 0.976
    call_command("import_published", str(PUBLISHED), stdout=io.StringIO())
    assert board_page(asked).rows[0].value == 0.975629186
