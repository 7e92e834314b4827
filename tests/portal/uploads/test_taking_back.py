"""An upload that its owner takes back or withdraws at the worst moment leaves nothing on its way, and nothing shown."""

from datetime import datetime
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings
from submission_steps import confirmed, imported, own_folder, person, read, upload

from evaluation.models import Entry, Run
from evaluation.services import Requested, request_runs
from evaluation.services import withdraw as withdraw_entry
from portal.uploads import deciding, importing
from portal.uploads.deciding import cancel, withdraw
from portal.uploads.importing import import_submission
from portal.uploads.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


class Killed(BaseException):
    """Stands for the end of a process."""


def killed(*_: object, **__: object) -> Requested:
    raise Killed


def public_upload() -> Submission:
    return confirmed(read(upload(person())), visibility="public")


def test_who_withdraws_while_runs_are_asked_for_leaves_none_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = public_upload()

    def asked_for(entry: Entry, *, judge: str, at: datetime) -> Requested:
        """The owner comes between the asking and the showing."""
        asked = request_runs(entry, judge=judge, at=at)
        assert withdraw_entry(entry, reason="Wrong model.", at=at)
        return asked

    monkeypatch.setattr(importing, "request_runs", asked_for)
    import_submission(submission.uid)
    submission.refresh_from_db()
    assert submission.state == "withdrawn"
    assert list(Run.objects.values_list("state", flat=True)) == ["cancelled"]
    assert not Entry.objects.shown().exists()


def test_nothing_is_asked_for_of_a_withdrawn_entry() -> None:
    submission = imported(public_upload())
    assert submission.entry is not None
    Run.objects.all().delete()
    assert withdraw(submission, reason="Wrong model.", at=timezone.now())
    asked = request_runs(submission.entry, judge="1", at=timezone.now())
    assert (asked.new, asked.reused) == ((), 0)


def test_an_upload_and_what_is_stored_of_it_are_taken_back_together_or_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = public_upload()
    monkeypatch.setattr(importing, "request_runs", killed)
    with pytest.raises(Killed):
        import_submission(submission.uid)
    monkeypatch.setattr(deciding, "withdraw_entry", killed)
    with pytest.raises(Killed):
        cancel(submission, at=timezone.now())
    submission.refresh_from_db()
    assert submission.state == "importing"
    monkeypatch.undo()
    assert cancel(submission, at=timezone.now())
    assert Entry.objects.get().withdrawn_at is not None
