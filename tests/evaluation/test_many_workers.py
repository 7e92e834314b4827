"""Names of workers are anybody's word: made up ones push nobody out for good."""

import evaluation_rows as rows
import pytest
from evaluation_rows import AT

from evaluation.core.messages import Versions
from evaluation.models import Worker
from evaluation.services import fleet, note_worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "MOST_WORKERS", 2)


def heard_of(name: str, second: int = 0) -> bool:
    return note_worker(name, Versions(), queue="prepare", at=AT.replace(second=second))


def names() -> set[str]:
    return set(Worker.objects.values_list("name", flat=True))


def test_the_most_silent_worker_makes_place_for_another_one() -> None:
    assert [heard_of(name, second) for second, name in enumerate("abc")] == [True] * 3
    assert names() == {"b", "c"}


def test_who_speaks_again_is_there_again() -> None:
    for second, name in enumerate("abca"):
        heard_of(name, second)
    assert names() == {"c", "a"}


def test_a_worker_that_staff_drain_is_not_forgotten() -> None:
    for name in "ab":
        rows.worker(name=name, queue="prepare", last_heard_at=AT, draining=True)
    assert not heard_of("c", 1)
    assert names() == {"a", "b"}
