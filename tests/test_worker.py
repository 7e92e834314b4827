"""A real Celery worker against a private broker. Its state folder is empty: it speaks, and cannot judge."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from broker_mail import Mail, job_of, open_mail
from celery_process import CeleryProcess, celery_process
from redis_server import private_server

from evaluation import queues
from evaluation.core import wire
from evaluation.core.messages import FailedByUs, HandedBack, Started, Versions
from evaluation.core.verdict import Stage

pytestmark = pytest.mark.broker

SOURCE = b"any source"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with private_server() as server:
        yield server.url


@pytest.fixture(scope="module")
def mail(url: str) -> Iterator[Mail]:
    with open_mail(url) as box:
        yield box


@pytest.fixture(scope="module")
def worker(
    url: str, home: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CeleryProcess]:
    folder = tmp_path_factory.mktemp("worker")
    with celery_process(url=url, home=home, folder=folder) as process:
        yield process


def test_a_worker_without_toolchain_reports_its_own_failure_and_what_to_do(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    job = job_of(SOURCE, home)
    mail.send(job)
    started, failed = mail.until_end(job.attempt.uuid)
    assert isinstance(started, Started)
    assert isinstance(failed, FailedByUs)
    assert started.worker == failed.worker
    assert failed.stage is Stage.POLICY
    assert failed.what.startswith("the CUDA toolchain is not installed in ")
    assert failed.action == "run bin/install-toolchain"


def test_a_job_of_another_judge_is_handed_back_and_not_started(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    job = replace(job_of(SOURCE, home), versions=Versions(judge="0"))
    mail.send(job)
    (answer,) = mail.until_end(job.attempt.uuid)
    assert isinstance(answer, HandedBack)
    assert answer.attempt == job.attempt


def test_a_job_whose_source_is_not_to_be_had_is_our_failure(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    job = replace(job_of(SOURCE, home), source_sha256="00" * 32)
    mail.send(job)
    failed = mail.until_end(job.attempt.uuid)[-1]
    assert isinstance(failed, FailedByUs)
    assert failed.what == f"artifact {'00' * 32} is not in {home}/artifacts"


def test_a_job_that_a_worker_cannot_read_is_our_failure_too(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    job = job_of(SOURCE, home)
    mail.send_text(wire.encode(job).decode().replace('"target":"hopper"', '"target":"volta"'))
    failed = mail.until_end(job.attempt.uuid)[-1]
    assert isinstance(failed, FailedByUs)
    assert failed.what == "prepare job: target: must be one of hopper, blackwell"


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (queues.PREPARE_TASK, "no JSON"),
        (queues.PREPARE_TASK, '{"versions":{"schema":1,"judge":"1"}}'),
        (queues.PREPARE_TASK, "[" * 100_000),
        ("evaluation.unknown", "{}"),
    ],
    ids=["no_json", "no_attempt", "deep", "unknown_task"],
)
def test_a_message_that_means_nothing_does_not_end_a_worker(
    worker: CeleryProcess, mail: Mail, home: Path, task: str, text: str
) -> None:
    mail.send_text(text, task=task)
    job = job_of(SOURCE, home)
    mail.send(job)
    assert isinstance(mail.until_end(job.attempt.uuid)[-1], FailedByUs)
    assert worker.process.poll() is None


def test_a_worker_that_is_told_no_queue_leaves_reports_to_the_portal(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    assert ".> prepare " in worker.said()
    assert queues.REPORTS not in worker.said()


def test_a_report_key_is_in_no_log(worker: CeleryProcess, mail: Mail, home: Path) -> None:
    job = job_of(SOURCE, home)
    job = replace(job, attempt=replace(job.attempt, key=uuid.uuid4().hex))
    mail.send(job)
    mail.until_end(job.attempt.uuid)
    assert job.attempt.uuid in worker.said()
    assert job.attempt.key not in worker.said()


def test_a_worker_outlives_its_broker_and_takes_jobs_of_the_next_one(
    home: Path, tmp_path: Path
) -> None:
    job = job_of(SOURCE, home)
    with private_server() as server, celery_process(url=server.url, home=home, folder=tmp_path):
        server.kill()
        server.start()
        with open_mail(server.url) as mail:
            mail.send(job)
            assert isinstance(mail.until_end(job.attempt.uuid)[-1], FailedByUs)
