"""From an upload to an entry with runs: read, confirmed, imported, and the same rows after any crash."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings
from run_directories import SMALL, RunShape, as_tar_gz, as_zip, members
from submission_steps import (
    GEMM,
    KERNEL,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    read,
    said,
    spooled,
    upload,
)

from evaluation.core.entry_words import Authorship, Visibility
from evaluation.core.verdict import Target
from evaluation.models import Artifact, Entry, Kernel, ReportedResult, Run, Trajectory, Turn
from portal.accounts.models import User
from portal.uploads.claims import Clock
from portal.uploads.deciding import cancel, confirm, withdraw
from portal.uploads.importing import import_submission
from portal.uploads.intake import read_submission
from portal.uploads.models import ImportedMember, ImportProblem, Submission
from portal.uploads.preview import stored_preview
from portal.uploads.sweeping import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


def archive(shape: RunShape = SMALL) -> bytes:
    return as_tar_gz(members(shape))


def test_one_kernel_becomes_an_entry_of_one_turn_and_a_run() -> None:
    ada = person()
    submission = read(upload(ada))
    assert submission.state == "understood"
    submission = imported(confirmed(submission))
    assert (submission.state, submission.done, submission.total) == ("imported", 1, 1)
    entry = Entry.objects.get()
    assert submission.entry == entry
    assert (entry.owner, entry.single_kernel, entry.proposed_model) == (ada.owner, True, "Demo 1")
    assert (entry.model, entry.visibility, entry.authorship) == (None, "private", "uploader")
    run = Run.objects.get()
    assert (run.problem, run.target, run.state, run.owner) == (GEMM, "hopper", "waiting", ada.owner)
    assert run.kernel.size == len(KERNEL)
    assert spooled() == []


def test_nothing_is_stored_before_its_owner_confirms() -> None:
    read(upload(person(), own_json(), "one.json"))
    for rows in (Entry, Trajectory, Turn, Kernel, Artifact, Run):
        assert not rows.objects.exists()


def test_a_run_directory_is_understood_and_imported_whole() -> None:
    submission = read(upload(person(), archive(), "run.tar.gz"))
    preview = stored_preview(submission)
    assert preview is not None
    assert (preview.trajectories, preview.turns, preview.kernels) == (3, 6, 6)
    assert (preview.models, preview.problems) == (("openai/demo-model",), (GEMM,))
    assert (preview.seen.prompts, preview.seen.trajectories, preview.seen.turns) == (3, 1, 2)
    assert preview.targets == (Target.HOPPER,)
    assert preview.secrets == 3  # the key of each trajectory's configuration
    submission = imported(confirmed(submission, visibility="public"))
    entry = Entry.objects.get()
    assert (entry.prompts, entry.trajectories, entry.turns) == (3, 1, 2)
    assert (entry.visibility, entry.authorship) == (Visibility.PUBLIC, Authorship.HARNESS_LOG)
    places = Trajectory.objects.order_by("prompt").values_list(
        "prompt", "number", "reported_device"
    )
    assert list(places) == [(0, 0, "H100"), (1, 0, "H100"), (2, 0, "H100")]
    assert (Turn.objects.count(), Run.objects.count(), ReportedResult.objects.count()) == (6, 6, 6)
    assert (submission.done, submission.total) == (3, 3)


def test_what_is_missing_of_a_turn_is_kept_with_its_reason() -> None:
    imported(confirmed(read(upload(person(), own_json(), "one.json"))))
    first, second = Turn.objects.order_by("number")
    assert (first.missing, first.event) == ("", "evaluation")
    assert (second.missing, second.kernel, second.missing_said != "") == ("no_code", None, True)
    assert Run.objects.count() == 1


def test_an_owner_fills_in_what_the_upload_leaves_open_and_changes_nothing_that_it_says() -> None:
    content = own_json(problem="someone's", target=None, device="")
    submission = read(upload(person(), content, "one.json"))
    preview = stored_preview(submission)
    assert preview is not None
    assert (preview.without_problem, preview.without_target) == (1, 1)
    imported(confirmed(submission, problem=GEMM, target="hopper", device="H200"))
    one = Trajectory.objects.get()
    assert (one.problem, one.target, one.reported_device) == (GEMM, "hopper", "H200")

    other = read(upload(person("bob@example.org"), own_json(), "one.json"))
    other = imported(confirmed(other, problem="gemm_n4096_k4096", device="B200"))
    two = Trajectory.objects.get(entry=other.entry)
    assert (two.problem, two.reported_device) == (GEMM, "H100")


def test_a_trajectory_that_fits_nothing_is_named_and_the_others_are_imported() -> None:
    broken = b'{"trajectory_format": "mini-swe-agent-1.1", "messages": []}'
    changed = dict(members(SMALL)) | {f"{SMALL.root}trajectories/exp_001.json": broken}
    content = as_zip(iter(changed.items()))
    submission = imported(confirmed(read(upload(person(), content, "run.zip"))))
    assert (submission.state, submission.done) == ("imported", 3)
    assert Trajectory.objects.count() == 2
    named = ImportProblem.objects.filter(member__contains="exp_001")
    assert {"not_a_trajectory", "no_target"} <= set(named.values_list("kind", flat=True))
    assert submission.problem_count == ImportProblem.objects.count()


def test_two_trajectories_with_one_place_are_not_blended() -> None:
    doubled = dict(members(SMALL))
    name = f"{SMALL.root}trajectories/exp_000.json"
    both = [*doubled.items(), (f"{SMALL.root}trajectories/exp_0.json", doubled[name])]
    submission = imported(confirmed(read(upload(person(), as_tar_gz(iter(both)), "run.tar.gz"))))
    assert submission.done == submission.total == 4
    assert Trajectory.objects.count() == 3
    said_of_it = ImportProblem.objects.filter(kind="contradiction", sentence__contains="same place")
    assert said_of_it.count() == 1


class Killed(BaseException):
    """Stands for the end of the worker's process."""


@contextmanager
def killed_at(statement: int) -> Iterator[list[int]]:
    """End the worker when it sends its n-th statement to the database; counts those that it sent."""
    sent = [0]

    def count(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        sent[0] += 1
        if sent[0] == statement:
            raise Killed
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        yield sent


def rows_of(account: User) -> list[object]:
    """Everything that an import leaves, without what differs from one import to the next."""
    trajectories = Trajectory.objects.filter(entry__owner=account.owner).order_by(
        "prompt", "number"
    )
    turns = Turn.objects.filter(trajectory__in=trajectories).order_by(
        "trajectory__prompt", "number"
    )
    runs = Run.objects.filter(owner=account.owner).order_by("kernel__sha256")
    mine = Submission.objects.filter(owner=account.owner)
    problems = ImportProblem.objects.filter(submission__in=mine).order_by("member", "kind")
    return [
        list(trajectories.values_list("problem", "prompt", "number", "ending", "document__sha256")),
        list(turns.values_list("number", "kernel__sha256", "reply__sha256", "missing", "event")),
        list(ReportedResult.objects.filter(turn__in=turns).order_by("pk").values_list("status")),
        list(runs.values_list("kernel__sha256", "problem", "state")),
        list(problems.values_list("member", "kind", "sentence")),
        list(mine.values_list("state", "done", "total", "problem_count")),
        list(Entry.objects.filter(owner=account.owner).values_list("visibility", "withdrawn_at")),
        ImportedMember.objects.filter(submission__in=mine).count(),
    ]


def one_import(number: int) -> tuple[User, Submission]:
    ada = person(f"ada{number}@example.org")
    return ada, confirmed(
        read(upload(ada, archive(), "run.tar.gz")),
        visibility="embargoed",
        embargo_until="2027-09-01",
    )


def later(hours: int = 1) -> Clock:
    """A clock by which every lease of now has lapsed."""
    return lambda: timezone.now() + timedelta(hours=hours)


@contextmanager
def forgotten() -> Iterator[None]:
    """Let nothing stay of what is done to the database, so that the next import finds none of it."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_an_import_that_is_killed_anywhere_ends_with_the_rows_of_one_that_was_not() -> None:
    with forgotten():
        whole, submission = one_import(0)
        with killed_at(0) as sent:
            import_submission(submission.uid)
        expected, total = rows_of(whole), sent[0]
    assert expected[5] == [("imported", 3, 3, 0)]
    assert total > 60
    for statement in range(1, total + 1):
        with forgotten():
            ada, submission = one_import(statement)
            with pytest.raises(Killed), killed_at(statement):
                import_submission(submission.uid)
            import_submission(submission.uid, clock=later())
            assert rows_of(ada) == expected, f"killed at statement {statement} of {total}"
            sweep(
                timezone.now() + timedelta(minutes=5)
            )  # one was killed before it removed its file
    assert spooled() == []


def test_a_worker_that_was_taken_for_dead_stops_where_another_has_gone_on() -> None:
    ada, submission = one_import(1)
    with pytest.raises(Killed), killed_at(30):
        import_submission(submission.uid)
    import_submission(submission.uid, clock=later())
    there = rows_of(ada)
    import_submission(submission.uid, clock=later())  # the first one's message, delivered again
    read_submission(submission.uid, clock=later())
    assert rows_of(ada) == there


def test_reading_that_is_killed_is_read_again_and_given_up_after_three_times() -> None:
    submission = upload(person(), archive(), "run.tar.gz")
    for hours in range(1, 4):
        with pytest.raises(Killed), killed_at(3):
            read_submission(submission.uid, clock=later(hours))
    submission.refresh_from_db()
    assert (submission.state, submission.tries) == ("reading", 3)
    read_submission(submission.uid, clock=later(5))
    submission.refresh_from_db()
    assert submission.state == "refused"
    assert "on our side" in submission.refused
    assert spooled() == []


def test_who_takes_an_upload_back_while_it_is_imported_ends_the_import() -> None:
    ada, submission = one_import(1)
    with pytest.raises(Killed), killed_at(40):
        import_submission(submission.uid)
    submission.refresh_from_db()
    assert cancel(submission, at=timezone.now())
    import_submission(submission.uid, clock=later())
    submission.refresh_from_db()
    assert submission.state == "withdrawn"
    assert submission.entry is not None
    assert submission.entry.withdrawn_at is not None
    assert not Run.objects.exists()
    assert spooled() == []
    assert ada.owner == submission.owner


def test_withdrawing_ends_what_is_judged_for_it_alone() -> None:
    ada = person()
    first = imported(confirmed(read(upload(ada))))
    second = imported(confirmed(read(upload(ada, own_json(), "one.json"))))  # the same kernel
    assert Run.objects.count() == 1
    assert withdraw(first, reason="Wrong model.", at=timezone.now())
    assert Run.objects.get().state == "waiting"
    assert withdraw(second, reason="Wrong model.", at=timezone.now())
    assert Run.objects.get().state == "cancelled"
    assert not withdraw(second, reason="Again.", at=timezone.now())


def test_bytes_that_were_withdrawn_can_be_handed_in_again() -> None:
    ada = person()
    first = imported(confirmed(read(upload(ada))))
    withdraw(first, reason="Wrong model.", at=timezone.now())
    second = imported(confirmed(read(upload(ada))))
    assert second.pk != first.pk
    assert Entry.objects.filter(withdrawn_at=None).count() == 1


def test_it_is_confirmed_once() -> None:
    submission = read(upload(person()))
    assert confirm(submission, said(submission), at=timezone.now())
    assert not confirm(submission, said(submission), at=timezone.now())


def test_an_upload_that_nobody_confirms_is_removed_after_a_day() -> None:
    submission = read(upload(person()))
    sweep(timezone.now() + timedelta(hours=23))
    assert spooled() == [submission.uid.hex]
    sweep(timezone.now() + timedelta(hours=25))
    submission.refresh_from_db()
    assert (submission.state, spooled()) == ("refused", [])
    assert "not confirmed in time" in submission.refused


def test_a_file_that_no_row_knows_is_removed_after_a_day(settings: Settings) -> None:
    (settings.UPLOAD_SPOOL / "tmp123.upload").write_bytes(b"left by a server that was killed")
    sweep(timezone.now() + timedelta(hours=23))
    assert spooled() == ["tmp123.upload"]
    sweep(timezone.now() + timedelta(hours=25))
    assert spooled() == []
