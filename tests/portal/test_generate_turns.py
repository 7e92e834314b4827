"""Generated rows keep the rules of the tables, are the same every time, and never join real ones."""

from io import StringIO

import evaluation_rows as rows
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from evaluation.models import Entry, Kernel, Run, Trajectory, Turn
from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild


def generate(trajectories: int, seed: int = 1) -> str:
    said = StringIO()
    call_command("generate_turns", trajectories=trajectories, seed=seed, stdout=said)
    return said.getvalue()


@pytest.mark.django_db
def test_there_are_as_many_trajectories_as_asked_for_and_single_kernels_beside_them() -> None:
    said = generate(250)
    assert said.startswith("2,002 turns in 252 trajectories of ")
    assert Trajectory.objects.filter(entry__single_kernel=False).count() == 250
    assert Turn.objects.filter(trajectory__entry__single_kernel=False).count() == 8 * 250
    assert Turn.objects.filter(trajectory__entry__single_kernel=True).count() == 2
    assert not Run.objects.filter(kernel__turns=None).exists()


@pytest.mark.django_db
def test_what_was_generated_stands_on_boards() -> None:
    generate(250)
    done = rebuild(at=timezone.now())
    assert done.entries == Entry.objects.count()
    assert set(Board.objects.values_list("kind", flat=True)) == {
        "correctness",
        "instruction",
        "speed",
    }
    assert Standing.objects.filter(unranked_why="").exists()


@pytest.mark.django_db
def test_a_seed_gives_the_same_rows_and_another_one_others() -> None:
    first = made(seed=1)
    assert first
    assert made(seed=1) == first
    assert made(seed=2) != first


@pytest.mark.django_db
def test_rows_can_be_added_after_generated_ones() -> None:
    generate(4)
    newest = Entry.objects.order_by("-pk")[0]
    assert rows.entry().pk > newest.pk


@pytest.mark.django_db
def test_a_site_with_an_entry_is_left_alone() -> None:
    rows.entry()
    with pytest.raises(CommandError, match="the site has entries"):
        generate(4)
    assert not Kernel.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("number", [0, 1_000_001])
def test_a_number_that_cannot_be_is_refused(number: int) -> None:
    with pytest.raises(CommandError, match="from 1 to 1,000,000"):
        generate(number)


def made(seed: int) -> list[tuple[object, ...]]:
    """What is generated into an empty site, which is empty again."""
    with transaction.atomic():
        generate(20, seed)
        runs = Run.objects.order_by("pk").values_list("uid", "verdict", "ratio", "finished_at")
        found: list[tuple[object, ...]] = [*runs]
        transaction.set_rollback(True)
    return found
