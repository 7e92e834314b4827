"""What keeps one upload from harming others: memory of a worker, leases, and words of our own failures."""

import io
import logging
import resource
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings
from submission_steps import (
    KERNEL,
    SECRET,
    confirmed,
    own_folder,
    own_json,
    person,
    read,
    spooled,
    upload,
)

from evaluation.core.records import ArtifactRef
from evaluation.models import Entry, Run, Trajectory
from portal.uploads.bounded_memory import at_most
from portal.uploads.failures import said_without_values
from portal.uploads.importing import import_submission
from portal.uploads.intake import read_submission
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken, file_name, receive_whole, start_upload


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


def test_beyond_its_memory_a_piece_of_work_ends_and_the_process_goes_on() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(MemoryError), at_most(256 << 20):
        bytearray(512 << 20)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    with at_most(256 << 20):
        assert len(bytearray(16 << 20)) == 16 << 20


@pytest.mark.django_db
def test_an_upload_that_takes_too_much_memory_is_refused(settings: Settings) -> None:
    settings.UPLOAD_LIMITS = {"reading_memory_bytes": 0}
    content = own_json(note="x" * 7_000_000)
    submission = read(upload(person(), content, "one.json"))
    assert submission.state == "refused"
    assert spooled() == []


def failing(uid: UUID) -> None:
    with said_without_values("reading", uid):
        raise ValueError(f"cannot read {SECRET}")


def test_a_failure_of_ours_is_logged_by_kind_and_place_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    uid = uuid4()
    failing(uid)
    (said,) = caplog.records
    assert said.levelno == logging.ERROR
    assert f"reading {uid} failed: ValueError at test_submission_bounds.py:" in said.getMessage()
    assert SECRET not in caplog.text


class FullStore:
    """A store whose disk is full."""

    def put(self, name: str, content: bytes) -> ArtifactRef:
        raise OSError(f"no space for {content!r}")

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        raise AssertionError


@pytest.mark.django_db
def test_a_store_that_fails_costs_the_owner_nothing_and_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    submission = confirmed(read(upload(person())))
    import_submission(submission.uid, store=FullStore())
    submission.refresh_from_db()
    assert (submission.state, submission.refused) == ("importing", "")
    assert "OSError at" in caplog.text
    assert "__global__" not in caplog.text
    import_submission(submission.uid)  # not before the lease has lapsed
    submission.refresh_from_db()
    assert submission.state == "importing"
    import_submission(submission.uid, clock=lambda: timezone.now() + timedelta(hours=1))
    submission.refresh_from_db()
    assert (submission.state, submission.done) == ("imported", 1)


several = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite lets one transaction write at a time, and its test database lies in memory",
    ),
]
T = TypeVar("T")


def at_once(act: Callable[[], T], times: int = 4) -> list[T]:
    """What each of several threads got, all of which began together."""
    barrier = threading.Barrier(times)

    def one(_: int) -> T:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(one, range(times)))


class TestSeveralAtOnce:
    pytestmark = several

    def test_the_same_bytes_are_one_submission(self) -> None:
        ada = person()

        def hand_in() -> int:
            stream = io.BytesIO(KERNEL)
            done = receive_whole(ada, "k.cu", stream, size=len(KERNEL), at=timezone.now())
            return done.submission.pk

        found = at_once(hand_in)
        submission = Submission.objects.get()
        assert set(found) == {submission.pk}
        assert spooled() == [submission.uid.hex]

    def test_workers_do_each_step_once(self) -> None:
        submission = upload(person())
        at_once(lambda: read_submission(submission.uid))
        submission.refresh_from_db()
        assert (submission.state, submission.tries) == ("understood", 0)
        confirmed(submission)
        at_once(lambda: import_submission(submission.uid))
        submission.refresh_from_db()
        assert (submission.state, submission.done) == ("imported", 1)
        assert [rows.objects.count() for rows in (Entry, Trajectory, Run)] == [1, 1, 1]

    def test_uploads_take_no_more_room_than_there_is(self, settings: Settings) -> None:
        settings.UPLOAD_LIMITS = {"unfinished": 3}
        ada = person()

        def announce() -> bool:
            try:
                start_upload(ada, "k.cu", size=10, sha256="", at=timezone.now())
            except NotTaken:
                return False
            return True

        assert sorted(at_once(announce, times=6)) == [False] * 3 + [True] * 3


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("kernel.cu", "kernel.cu"),
        ("C:\\fakepath\\kernel.cu", "kernel.cu"),
        ("../../etc/passwd", "passwd"),
        ("a\x00b\u202ec.cu", "abc.cu"),
        ("/", "upload"),
        ("", "upload"),
        ("x" * 300 + ".py", "x" * 197 + ".py"),
    ],
)
def test_a_file_s_name_is_one_printable_line_that_keeps_its_end(name: str, kept: str) -> None:
    assert file_name(name) == kept
