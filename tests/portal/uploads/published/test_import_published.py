"""manage.py import_published on a database: the sample made by hand, and the real files where they are."""

import io
from pathlib import Path

import published_sample
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone
from published_sample import NO_CHOICES, PROBLEMS

from evaluation.core.entry_words import PaperMetric, Track
from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target
from evaluation.models import Model, ModelAlias, PaperCell
from evaluation.services.authors import add_model
from portal.uploads.importers.published.main_runs import MainRuns
from portal.uploads.importers.published.published_folder import read_publication
from portal.uploads.paper_import import import_publication
from portal.uploads.paper_summary import lines

REPOSITORY = Path(__file__).parents[4]
FOLDER = REPOSITORY.parent / "shared" / "data" / "ptxbench-published"

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    published_sample.write(tmp_path)
    return tmp_path


def _import(folder: Path, *, main_runs: MainRuns = NO_CHOICES) -> list[str]:
    publication = read_publication(folder, problems=PROBLEMS, main_runs=main_runs)
    changes = import_publication(publication, at=timezone.now())
    return list(lines(publication, changes))


def _cells() -> list[tuple[object, ...]]:
    names = ("metric", "turn_limit", "numerator", "denominator", "value", "evidence")
    return list(PaperCell.objects.order_by("turn_limit", "metric").values_list(*names))


def test_values_of_our_problem_become_cells_and_others_are_left_out(folder: Path) -> None:
    _import(folder)
    assert _cells() == [
        ("best_speedup", 1, None, None, 0.25, ""),
        ("correct_at", 1, 1, 2, None, ""),
        ("solved_by", 1, 1, 2, None, ""),
        ("target_correct_at", 1, 0, 2, None, "ptx_text"),
        ("target_solved_by", 1, 0, 2, None, "dynamic_sass"),
        ("best_speedup", 2, None, None, 0.5, ""),
        ("correct_at", 2, 2, 3, None, ""),
        ("solved_by", 2, 2, 2, None, ""),
        ("target_correct_at", 2, 1, 3, None, "ptx_text"),
        ("target_solved_by", 2, 1, 2, None, "dynamic_sass"),
    ]
    assert PaperCell.objects.filter(
        publication="sample",
        model__slug="alpha-1",
        target="hopper",
        device="H100",
        problem="gemm_n7168_k5120",
        experiment="alpha-gemm",
        main=True,
    ).count() == len(_cells())


def test_a_model_is_new_accepted_and_found_by_its_names(folder: Path) -> None:
    _import(folder)
    model = Model.objects.get()
    assert (model.slug, model.name, model.track, model.owner) == (
        "alpha-1",
        "Alpha 1",
        Track.MODEL,
        "",
    )
    assert model.accepted_at is not None
    # The publication's day may be the end of a model's knowledge, so that it is no day of release.
    assert model.released_on is None
    assert set(model.aliases.values_list("alias", flat=True)) == {"alpha 1", "alpha-1"}


def test_a_second_import_changes_nothing_and_says_so(folder: Path) -> None:
    _import(folder)
    before = list(PaperCell.objects.order_by("pk").values_list())
    assert "Nothing changed: all 10 values were here already." in _import(folder)
    assert list(PaperCell.objects.order_by("pk").values_list()) == before


def test_an_import_says_what_it_did(folder: Path) -> None:
    assert _import(folder) == [
        "made by hand",
        "",
        "model                   device   shown  kept  left out",
        "Alpha 1                 B200         0     0         1",
        "Alpha 1                 H100         1     0         0",
        "all                                  1     0         1",
        "Runs. Shown: the main one of a model and problem. Left out: of a problem that is none of ours.",
        "",
        "Added 10 values, 1 model and 2 names of models; removed 0 values; 0 values were here already.",
        "Not understood or not known:",
        "  fa_release_dates.csv, line 3: 2025-0631 is in no calendar; kept as unknown",
    ]


def test_a_corrected_value_takes_the_place_of_the_earlier_one(folder: Path) -> None:
    _import(folder)
    published_sample.change(
        folder, "best_speedup_by_release_date.csv", "2026-01-31,1,2,0.25", "2026-01-31,1,2,0.26"
    )
    said = _import(folder)
    assert (
        "Added 1 value, 0 models and 0 names of models; removed 1 value; 9 values were here already."
        in said
    )
    assert "  alpha-gemm: best_speedup at turn limit 1: published 0.26, its turns give 0.25" in said
    best = PaperCell.objects.get(metric=PaperMetric.BEST_SPEEDUP, turn_limit=1)
    assert best.value == 0.26


def _add_second_run(folder: Path) -> None:
    """Give every file the rows of the first run again, under another path."""
    for name in published_sample.FILES:
        text = (folder / name).read_text()
        again = [line for line in text.splitlines(keepends=True) if "runs/alpha-gemm" in line]
        (folder / name).write_text(
            text + "".join(again).replace("runs/alpha-gemm", "runs/alpha-again")
        )


def test_another_main_run_takes_the_place_of_the_earlier_one(folder: Path) -> None:
    _add_second_run(folder)
    workload = ("Alpha 1", Target.HOPPER, "gemm_n7168_k5120")
    for experiment in ("alpha-gemm", "alpha-again"):
        chosen = MainRuns("main_runs.toml", "sample", "by hand", {workload: experiment}, {}, {})
        _import(folder, main_runs=chosen)
        shown = PaperCell.objects.filter(main=True).values_list("experiment", flat=True)
        assert (set(shown), len(shown), PaperCell.objects.count()) == ({experiment}, 10, 20)


def test_a_variants_values_are_kept_under_its_model_and_not_shown(folder: Path) -> None:
    for name in published_sample.FILES:
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("Alpha 1", "Alpha 1 + notes"))
    _import(
        folder,
        main_runs=MainRuns("", "sample", "by hand", {}, {"Alpha 1 + notes": "Alpha 1"}, {}),
    )
    assert Model.objects.get().name == "Alpha 1"
    assert set(PaperCell.objects.values_list("main", flat=True)) == {False}


def test_values_of_a_model_that_staff_know_are_put_under_it_as_it_is(folder: Path) -> None:
    ours = add_model("alpha", "Alpha One", Track.AGENT, aliases=("ALPHA 1",), owner="someone")
    _import(folder)
    model = Model.objects.get()
    assert (model.pk, model.name, model.track, model.owner, model.accepted_at) == (
        ours.pk,
        "Alpha One",
        Track.AGENT,
        "someone",
        None,
    )
    assert PaperCell.objects.filter(model=ours).count() == 10


def test_a_model_without_a_letter_for_its_address_is_refused(folder: Path) -> None:
    for name in published_sample.FILES:
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("Alpha 1", "\u6a21\u578b"))
    with pytest.raises(InvalidInput, match="has no Latin letter or digit"):
        _import(folder)
    assert PaperCell.objects.count() == 0


def _refused_command(folder: Path) -> str:
    with pytest.raises(CommandError) as caught:
        call_command("import_published", str(folder))
    return str(caught.value)


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no published files in {FOLDER.name}")
def test_a_model_whose_names_belong_to_two_is_refused_and_nothing_is_written() -> None:
    add_model("gemini", "Gemini 3.1 Pro", Track.MODEL)
    add_model("preview", "gemini-3.1-pro-preview", Track.MODEL)
    assert _refused_command(FOLDER) == (
        "models: Gemini 3.1 Pro: its names belong to two models, gemini and preview; make them one first\n"
        "Nothing was imported."
    )
    assert (PaperCell.objects.count(), Model.objects.count()) == (0, 2)


def test_a_folder_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert _refused_command(tmp_path / "nowhere") == (
        "experiments.csv: is not in this folder; give the folder that holds the publication's files\n"
        "Nothing was imported."
    )
    assert ModelAlias.objects.count() == 0


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no published files in {FOLDER.name}")
def test_the_real_files_are_imported_whole_and_once() -> None:
    first, second = io.StringIO(), io.StringIO()
    call_command("import_published", str(FOLDER), stdout=first)
    # 102 runs of our problems, 3 turn limits and 5 metrics; 83 of the runs are shown.
    assert PaperCell.objects.count() == 102 * 3 * 5
    assert PaperCell.objects.filter(main=True).count() == 83 * 3 * 5
    assert Model.objects.count() == 11
    call_command("import_published", str(FOLDER), stdout=second)
    assert "Nothing changed: all 1530 values were here already." in second.getvalue()
    opus = PaperCell.objects.get(
        model__slug="claude-opus-4-8",
        target="blackwell",
        problem="gemm_n7168_k5120",
        metric=PaperMetric.TARGET_CORRECT_AT,
        turn_limit=8,
        main=True,
    )
    assert (opus.numerator, opus.denominator, opus.evidence) == (77, 96, "ptx_text")
