"""Downloads: the scrubbed document, a kernel's source, a run with its reports and logs, for whom they are."""

import hashlib
import json
from pathlib import Path

import pytest
from django.conf import settings as site
from django.test import Client
from django.utils import timezone
from evaluation_rows import done_attempt, stage_report
from pytest_django import Settings
from submission_steps import (
    KERNEL,
    SECRET,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    program_of,
    read,
    upload,
)

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core import wire
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage
from evaluation.models import Run, Trajectory
from evaluation.services import store_artifact
from portal.accounts.models import User

pytestmark = pytest.mark.django_db
SOURCE = f"/api/v1/kernels/{hashlib.sha256(KERNEL).hexdigest()}/source"


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


@pytest.fixture
def ada() -> User:
    return person()


@pytest.fixture
def program(ada: User) -> Client:
    imported(confirmed(read(upload(ada, own_json(note=SECRET), "one.json"))))
    return program_of(ada)


@pytest.fixture
def stranger() -> Client:
    return program_of(person("bob@example.org"))


def test_a_document_is_given_without_its_secrets_as_a_file_to_save(program: Client) -> None:
    address = f"/api/v1/trajectories/{Trajectory.objects.get().uid}/document"
    response = program.get(address)
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["Content-Type"] == "application/octet-stream"
    assert json.loads(response.content)["model"] == "Demo 1"
    assert SECRET.encode() not in response.content


def test_a_source_is_given_byte_for_byte(program: Client) -> None:
    assert program.get(SOURCE).content == KERNEL


def test_a_run_is_given_with_its_reports_and_their_logs(program: Client) -> None:
    run = Run.objects.get()
    Run.objects.update(state="preparing", device="h200")
    store = LocalArtifacts(site.HOME / "artifacts")
    log = store_artifact(store, b"a log", "log", at=timezone.now())
    report = StageReport(Stage.POLICY, "The source keeps to the rules.")
    body = wire.encode(report).decode()
    stage_report(attempt=done_attempt(run=run), body=body, log=log, reported_at=timezone.now())
    said = program.get(f"/api/v1/runs/{run.uid}").json()
    assert (said["state"], said["kernel"]) == ("preparing", hashlib.sha256(KERNEL).hexdigest())
    (one,) = said["reports"]
    assert (one["stage"], one["headline"], one["log_bytes"]) == ("policy", report.headline, 5)
    assert one["report"]["headline"] == report.headline
    assert program.get(f"/api/v1/runs/{run.uid}/logs/{one['log']}").content == b"a log"
    assert program.get(f"/api/v1/runs/{run.uid}/logs/{'0' * 64}").status_code == 404


def test_what_is_private_is_not_there_for_others(program: Client, stranger: Client) -> None:
    trajectory, run = Trajectory.objects.get(), Run.objects.get()
    for address in (
        SOURCE,
        f"/api/v1/trajectories/{trajectory.uid}/document",
        f"/api/v1/runs/{run.uid}",
    ):
        assert program.get(address).status_code == 200
        assert stranger.get(address).status_code == 404
        assert Client().get(address).status_code == 401


def test_an_artifact_that_is_no_kernel_is_not_given_as_one(program: Client) -> None:
    document = Trajectory.objects.get().document
    assert document is not None
    assert program.get(f"/api/v1/kernels/{document.sha256}/source").status_code == 404


def test_bytes_that_are_not_kept_are_said_to_be_missing(program: Client) -> None:
    sha256 = SOURCE.split("/")[-2]
    (site.HOME / "artifacts" / sha256[:2] / sha256[2:]).unlink()
    response = program.get(SOURCE)
    assert (response.status_code, response.json()["error"]) == (404, "not_kept")
