"""Workers that judge, each with a process of its own, since every test ends or hurts one."""

import os
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker_mail import Mail, job_of, open_mail
from celery_process import REPOSITORY, CeleryProcess, celery_process
from process_tree import descendants, jailed, living, wait_for
from redis_server import private_server

from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace
from evaluation.core.messages import (
    AttemptMessage,
    HalfFinished,
    PrepareJob,
    StageReported,
    Started,
)
from evaluation.core.verdict import Stage, Verdict

pytestmark = [pytest.mark.broker, pytest.mark.toolchain]

NAIVE = (REPOSITORY / "tests/golden/kernels/gemm_naive/kernel.cu").read_bytes()


@pytest.fixture
def home(workspace: Workspace, toolchain: Toolchain) -> Path:
    """The state folder of this machine; ``toolchain`` skips where there is none in it."""
    assert toolchain.root.is_relative_to(workspace.home)
    return workspace.home


@pytest.fixture
def mail() -> Iterator[Mail]:
    with private_server() as server, open_mail(server.url) as box:
        yield box


@pytest.fixture
def worker(mail: Mail, home: Path, tmp_path: Path) -> Iterator[CeleryProcess]:
    with celery_process(url=mail.url, home=home, folder=tmp_path) as process:
        yield process


def fresh(home: Path) -> PrepareJob:
    """A job that no cache can answer."""
    return job_of(NAIVE + f"// {uuid.uuid4()}\n".encode(), home)


def process_of(message: AttemptMessage) -> int:
    """The pool process that a message came from."""
    assert message.worker.startswith("prepare@")
    return int(message.worker.rpartition(":")[2])


def test_a_killed_pool_process_takes_its_jails_along_and_the_next_job_is_judged(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    lost, rejected = fresh(home), job_of(b"#include <cublas_v2.h>\n", home)
    mail.send(lost)
    first = mail.until(lost.attempt.uuid, lambda one: isinstance(one, StageReported))[0]
    pool = process_of(first)
    assert wait_for(lambda: bool(jailed(descendants(pool))))
    below = descendants(pool)
    os.kill(pool, signal.SIGKILL)
    mail.send(rejected)
    started, policy, finished = mail.until_end(rejected.attempt.uuid)
    assert isinstance(started, Started)
    assert process_of(started) != pool
    assert isinstance(policy, StageReported)
    assert (policy.place, policy.report.stage) == (0, Stage.POLICY)
    assert policy.report.verdict is Verdict.POLICY_REJECTED
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.POLICY_REJECTED
    assert not any(isinstance(one, HalfFinished) for one in mail.of(lost.attempt.uuid))
    assert wait_for(lambda: not living(below))


def test_a_worker_that_is_told_to_end_finishes_the_running_job_first(
    worker: CeleryProcess, mail: Mail, home: Path
) -> None:
    job = fresh(home)
    mail.send(job)
    mail.until(job.attempt.uuid, lambda one: isinstance(one, StageReported))
    worker.ask_to_end()
    messages = mail.until_end(job.attempt.uuid)
    stages = [one.report.stage for one in messages if isinstance(one, StageReported)]
    assert stages == [Stage.POLICY, Stage.BUILD, Stage.RECORD, Stage.SCAN]
    finished = messages[-1]
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is None
    names = {one.name for one in finished.artifacts}
    assert names == {"build", "cubin", "facts", "ptx", "library", "plan", "sass_evidence"}
    assert worker.ended() == 0
