"""Real measure workers against a private broker, with a fake GPU: what a portal sees of them."""

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from broker_mail import WAIT_SECONDS, Mail, open_mail
from celery_process import REPOSITORY, CeleryProcess, celery_process
from measured import DEVICE
from redis_server import private_server
from sample_run import handed_over

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.quarantine import Holder, Quarantine
from evaluation.core.messages import (
    Attempt,
    AttemptMessage,
    CanaryReported,
    DeviceHeartbeat,
    FailedByUs,
    HalfFinished,
    KernelLost,
    MeasureJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.verdict import Stage, Target, Verdict

pytestmark = pytest.mark.broker


@dataclass
class Machine:
    """A host with a fake GPU, and what a portal hears of its worker."""

    mail: Mail
    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    def gpu(self, word: str) -> None:
        new = self.folder / "gpu.new"
        new.write_text(word)
        new.replace(self.folder / "gpu")

    def worker(
        self, name: str = "worker", *, url: str = ""
    ) -> AbstractContextManager[CeleryProcess]:
        """A worker of this host; ``url`` where it comes to the broker as another user than the portal."""
        place = self.folder / name
        place.mkdir()
        return celery_process(
            url=url or self.mail.url,
            home=self.home,
            folder=place,
            app="fake_measure_worker",
            PYTHONPATH=f"{REPOSITORY}{os.pathsep}{REPOSITORY / 'tests'}",
            PTXBOARD_DEVICE="h200",
            FAKE_GPU=str(self.folder / "gpu"),
        )

    def job(self) -> MeasureJob:
        parts = handed_over(LocalArtifacts(self.home / "artifacts"))
        attempt = Attempt(str(uuid.uuid4()), 1, "k" * 32)
        return MeasureJob(Versions(), attempt, parts, "gemm_n7168_k5120", 1, Target.HOPPER, "h200")

    def beats(self) -> list[DeviceHeartbeat]:
        return [one for one in self.mail.seen if isinstance(one, DeviceHeartbeat)]

    def beats_until(self, enough: Callable[[DeviceHeartbeat], bool]) -> DeviceHeartbeat:
        """The first beat after those seen so far that is enough."""
        known = len(self.beats())
        self.mail.read_until(lambda: any(enough(one) for one in self.beats()[known:]))
        return next(one for one in self.beats()[known:] if enough(one))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    (tmp_path / "home" / "artifacts").mkdir(parents=True)
    with private_server() as server, open_mail(server.url) as mail:
        one = Machine(mail, tmp_path)
        one.gpu("well")
        yield one


def process_of(message: AttemptMessage) -> int:
    assert message.worker.startswith("measure@")
    return int(message.worker.rpartition(":")[2])


def is_started(message: AttemptMessage) -> bool:
    return isinstance(message, Started)


def test_a_prepared_kernel_is_judged_by_hash_and_its_device_is_told(machine: Machine) -> None:
    job = machine.job()
    with machine.worker() as worker:
        machine.mail.send(job)
        started, check, probe, timed, finished = machine.mail.until_end(job.attempt.uuid)
        told = machine.beats_until(lambda beat: beat.seen is not None)
        said = worker.said()
    assert isinstance(started, Started)
    reports = [one.report for one in (check, probe, timed) if isinstance(one, StageReported)]
    assert [one.stage for one in reports] == [Stage.CHECK, Stage.PROBE, Stage.TIME]
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.ACCEPTED
    assert {one.name for one in finished.artifacts} == {"check_seen", "measure_seen"}
    assert (told.device, told.seen, told.resting) == ("h200", DEVICE, "")
    canaries = [one for one in machine.mail.seen if isinstance(one, CanaryReported)]
    assert [one.well for one in canaries] == [True]
    assert job.attempt.key not in said


def test_a_worker_that_is_told_to_end_finishes_the_kernel_at_hand(machine: Machine) -> None:
    job = machine.job()
    with machine.worker() as worker:
        machine.beats_until(lambda beat: beat.seen is not None)
        machine.gpu("busy")
        machine.mail.send(job)
        machine.mail.until(job.attempt.uuid, is_started)
        worker.ask_to_end()
        machine.beats_until(lambda beat: bool(beat.kernel))
        machine.gpu("well")
        finished = machine.mail.until_end(job.attempt.uuid)[-1]
        assert isinstance(finished, HalfFinished)
        assert finished.verdict is Verdict.ACCEPTED
        assert worker.ended() == 0


def test_a_worker_that_is_told_to_end_takes_no_other_kernel(machine: Machine) -> None:
    job, later = machine.job(), machine.job()
    with machine.worker() as worker:
        machine.beats_until(lambda beat: beat.seen is not None)
        machine.gpu("busy")
        machine.mail.send(job)
        machine.mail.until(job.attempt.uuid, is_started)
        worker.ask_to_end()
        machine.mail.send(later)
        for _ in range(2):
            machine.beats_until(lambda beat: bool(beat.kernel))
        machine.gpu("well")
        assert worker.ended() == 0
    with machine.worker("another"):
        finished = machine.mail.until_end(later.attempt.uuid)
    # The one that was told to end began the first kernel. An end may cut its acknowledgement off, and then another worker
    # is given that kernel again; the later one may never have been with the first worker.
    first = machine.mail.of(job.attempt.uuid)[0].worker
    assert {one.worker for one in finished}.isdisjoint({first})


def test_a_worker_that_asks_for_nothing_still_sees_its_broker_go_and_works_for_the_next_one(
    tmp_path: Path,
) -> None:
    """Its one kernel takes long. What it missed, it would miss for ever."""
    (tmp_path / "home" / "artifacts").mkdir(parents=True)
    with private_server() as server, ExitStack() as stack:
        with open_mail(server.url) as mail:
            machine = Machine(mail, tmp_path)
            machine.gpu("well")
            worker = stack.enter_context(machine.worker())
            machine.beats_until(lambda beat: beat.seen is not None)
            machine.gpu("busy")
            machine.mail.send(machine.job())
            machine.beats_until(lambda beat: bool(beat.kernel))
        server.kill()
        deadline = time.monotonic() + WAIT_SECONDS
        while "Connection to broker lost" not in worker.said():
            assert time.monotonic() < deadline, worker.said()
            time.sleep(0.05)
        server.start()
        machine.gpu("well")
        with open_mail(server.url) as machine.mail:
            next_job = machine.job()
            machine.mail.send(next_job)
            finished = machine.mail.until_end(next_job.attempt.uuid)[-1]
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.ACCEPTED


def test_a_kernel_that_takes_its_worker_down_twice_is_not_run_a_third_time(
    machine: Machine,
) -> None:
    job = machine.job()
    with machine.worker():
        for losses in (1, 2):
            machine.beats_until(lambda beat: not beat.kernel and beat.seen is not None)
            attempt = replace(job.attempt, uuid=str(uuid.uuid4()), number=losses)
            machine.gpu("busy")
            machine.mail.send(replace(job, attempt=attempt))
            (started,) = machine.mail.until(attempt.uuid, is_started)
            machine.beats_until(lambda beat: bool(beat.kernel))
            os.kill(process_of(started), signal.SIGKILL)
            machine.gpu("well")
            told = machine.mail.until(attempt.uuid, lambda one: isinstance(one, KernelLost))[-1]
            assert isinstance(told, KernelLost)
            assert (told.kernel, told.losses) == (job.parts.plan.sha256, losses)
        machine.mail.send(job)
        started, check, finished = machine.mail.until_end(job.attempt.uuid)
    assert isinstance(check, StageReported)
    assert check.report.verdict is Verdict.RUNTIME_ERROR
    assert [one.kind for one in check.report.signals] == ["damages_the_device"]
    assert isinstance(finished, HalfFinished)


def test_a_worker_whose_gpu_drifts_takes_no_jobs_until_it_is_well_again(machine: Machine) -> None:
    job = machine.job()
    machine.gpu("slow")
    with machine.worker():
        resting = machine.beats_until(lambda beat: bool(beat.resting))
        assert "is not within 0.700 to 0.800" in resting.resting
        machine.beats_until(lambda beat: bool(beat.resting))
        machine.mail.send(job)
        machine.beats_until(lambda beat: bool(beat.resting))
        machine.beats_until(lambda beat: bool(beat.resting))
        # Neither taken nor handed back: the message waits for a worker that is well.
        assert machine.mail.of(job.attempt.uuid) == []
        machine.gpu("well")
        finished = machine.mail.until_end(job.attempt.uuid)[-1]
        assert isinstance(finished, HalfFinished)
        assert finished.verdict is Verdict.ACCEPTED


def test_a_worker_whose_gpu_a_command_has_takes_no_jobs_until_it_is_free(machine: Machine) -> None:
    job = machine.job()
    command = Quarantine(machine.home / "measure", "h200-0")
    command.claim(Holder.COMMAND)
    with machine.worker():
        resting = machine.beats_until(lambda beat: bool(beat.resting))
        assert resting.resting.startswith("a command of this host has the GPU h200-0 (process ")
        machine.beats_until(lambda beat: bool(beat.resting))
        machine.mail.send(job)
        machine.beats_until(lambda beat: bool(beat.resting))
        assert machine.mail.of(job.attempt.uuid) == []
        command.release()
        finished = machine.mail.until_end(job.attempt.uuid)[-1]
        assert isinstance(finished, HalfFinished)
        assert finished.verdict is Verdict.ACCEPTED


def test_a_sick_gpu_ends_its_kernel_s_attempt_and_takes_no_other_also_after_a_restart(
    machine: Machine,
) -> None:
    job = machine.job()
    with machine.worker():
        machine.beats_until(lambda beat: beat.seen is not None)
        machine.gpu("sick")
        machine.mail.send(job)
        failed = machine.mail.until_end(job.attempt.uuid)[-1]
        assert isinstance(failed, FailedByUs)
        assert (failed.stage, failed.what) == (Stage.CHECK, "Xid 79 during the kernel")
    machine.gpu("well")
    with machine.worker("another"):
        beat = machine.beats_until(lambda beat: beat.worker != failed.worker)
        assert beat.resting == "Xid 79 during the kernel"
