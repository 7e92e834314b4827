"""A model's page says how often its owners tried, so that nobody shows the best of many and hides the others."""

from datetime import timedelta
from typing import Any

import judged_rows as rows
import pytest
from judged_rows import AT
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Model, ModelAlias
from leaderboard.selectors.model_uploads import ModelUploads, model_uploads

pytestmark = pytest.mark.django_db

ALICE, BOB = "0a11ce", "0b0b"


@pytest.fixture
def opus() -> Model:
    """A model with one public entry of Alice's."""
    model = rows.model(slug="opus", name="Opus 5")
    ModelAlias.objects.create(model=model, alias="op-five")
    rows.entry(["p"], model=model, owner=ALICE)
    return model


def counted() -> tuple[int, int, int]:
    found = model_uploads("opus", at=AT)
    return found.entries, found.hidden, found.owners


@pytest.mark.parametrize(
    "columns",
    [
        {"visibility": "private"},
        {"visibility": "embargoed", "embargo_until": AT + timedelta(days=1)},
        {"withdrawn_at": AT, "withdrawn_reason": "A mistake."},
    ],
    ids=["private", "embargoed", "withdrawn"],
)
def test_what_nobody_else_sees_is_counted(opus: Model, columns: dict[str, Any]) -> None:
    rows.entry(["p"], model=opus, owner=BOB, **columns)
    assert counted() == (2, 1, 2)


def test_an_embargo_that_is_over_hides_nothing(opus: Model) -> None:
    rows.entry(["p"], model=opus, visibility="embargoed", embargo_until=AT)
    assert counted() == (2, 0, 1)


@pytest.mark.parametrize("name", ["Opus 5", " oPUS 5 ", "opus", "OP-FIVE"])
def test_what_its_owner_keeps_private_under_its_name_counts_though_nobody_accepted_it(
    opus: Model, name: str
) -> None:
    rows.entry(["p"], proposed_model=name, owner=ALICE, visibility="private")
    assert counted() == (2, 1, 1)


def test_under_another_name_it_is_another_model_s(opus: Model) -> None:
    rows.entry(["p"], proposed_model="Opus 4", owner=ALICE, visibility="private")
    assert counted() == (1, 0, 1)


def test_who_has_no_entry_under_it_changes_no_number_of_it(opus: Model) -> None:
    rows.entry(["p"], proposed_model="Opus 5", owner=BOB, visibility="private")
    rows.entry(["p"], proposed_model="Opus 5", owner="", visibility="private")
    assert counted() == (1, 0, 1)


def test_a_model_without_entries_has_nothing_to_count(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    rows.model(slug="opus")
    with django_assert_num_queries(3):
        assert model_uploads("opus", at=AT) == ModelUploads(0, 0, 0)


def test_many_uploads_are_counted_in_as_many_queries(
    opus: Model, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        rows.entry(["p"], model=opus, owner=BOB if number % 2 else ALICE)
        rows.entry(["p"], proposed_model="opus 5", owner=ALICE, visibility="private")
    with django_assert_num_queries(3):
        assert counted() == (11, 5, 2)
