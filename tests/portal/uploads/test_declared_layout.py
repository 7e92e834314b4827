"""The declared layout is every denominator, so an owner may not make it smaller than the upload has or says it."""

from pathlib import Path

import pytest
from pytest_django import Settings
from submission_steps import KERNEL, own_folder, own_json, person, read, upload

from portal.uploads.forms import ConfirmForm, suggested
from portal.uploads.preview import Preview, stored_preview

pytestmark = pytest.mark.django_db


@pytest.fixture
def preview(settings: Settings, tmp_path: Path) -> Preview:
    """Two turns were taken where three prompts, four trajectories and eight turns were declared."""
    own_folder(settings, tmp_path)
    layout = {"prompts": 3, "trajectories": 4, "turns": 8}
    found = stored_preview(read(upload(person(), own_json(layout=layout), "one.json")))
    assert found is not None
    return found


def errors(preview: Preview, **layout: int) -> dict[str, list[str]]:
    said = {"model": "Demo 1", "licence": "MIT", "consent": "on"}
    form = ConfirmForm(preview, {**suggested(preview), **said, **layout})
    return {name: [str(one) for one in found] for name, found in form.errors.items()}


@pytest.mark.parametrize(("field", "declared"), [("prompts", 3), ("trajectories", 4), ("turns", 8)])
def test_what_the_upload_says_was_declared_cannot_be_made_smaller(
    preview: Preview, field: str, declared: int
) -> None:
    said = f"The upload says that {declared} were declared; they all count."
    assert errors(preview, **{field: declared - 1}) == {field: [said]}
    assert errors(preview, **{field: declared}) == {}
    assert errors(preview, **{field: declared + 1}) == {}


def test_less_than_was_taken_is_refused_by_that(preview: Preview) -> None:
    said = "The upload has 2; as many have to be declared."
    assert errors(preview, turns=1) == {"turns": [said]}


def test_an_upload_without_a_layout_is_held_to_what_it_has(preview: Preview) -> None:
    turns = [{"kernel": KERNEL.decode(), "reply": "", "event": "evaluation"}] * 2
    plain = own_json(layout={}, turns=turns)
    found = stored_preview(read(upload(person("bob@example.org"), plain, "one.json")))
    assert found is not None
    assert errors(found, turns=2) == {}
