"""The page of a submission says what was confirmed, which the file may not have said."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings
from submission_steps import confirmed, imported, own_folder, person, read, upload

from portal.uploads.choices import stored_choices

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


def page_of(client: Client, uid: object) -> str:
    answer = client.get(f"/submissions/{uid}/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_what_was_confirmed_is_shown_from_then_on_and_not_before(client: Client) -> None:
    ada = person()
    client.force_login(ada)
    submission = read(upload(ada))
    assert "What was confirmed" not in page_of(client, submission.uid)
    confirmed(submission)
    submission.refresh_from_db()
    said = stored_choices(submission)
    for page in (page_of(client, submission.uid), page_of(client, imported(submission).uid)):
        assert "What was confirmed" in page
        assert f"<dt>Model</dt><dd>{said.model}</dd>" in page
        assert f"<dt>Problem</dt><dd>{said.problem}</dd>" in page
        assert "<dt>Layout</dt><dd>1 prompt × 1 trajectory × 1 turn</dd>" in page
    assert said.model
    assert said.problem
