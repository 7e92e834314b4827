from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from evaluation.attempt import Desk, Stages, measure, prepare
from evaluation.core import wire
from evaluation.core.errors import InvalidInput, NotHere, ToolFailure
from evaluation.core.measure.parts import Parts
from evaluation.core.messages import (
    Attempt,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    MeasureJob,
    Message,
    PrepareJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import FamilyExecuted, Language, Stage, Target, Verdict

SOURCE_SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
JOB = PrepareJob(
    Versions(), ATTEMPT, SOURCE_SHA256, 3, Language.CUDA, "gemm", 1, Target.HOPPER, "h200"
)
POLICY = StageReport(Stage.POLICY, "fine")
BUILD = StageReport(
    Stage.BUILD,
    "does not compile",
    Verdict.BUILD_FAILED,
    artifacts=(ArtifactRef("log", "ab" * 32, 9),),
)


class Notebook:
    """A reporter that keeps what it was sent."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.messages: list[Message] = []
        self.stages: SimpleQueue[Stage] = SimpleQueue()  # of every beat, heard or not
        self.deaf = deaf

    def send(self, message: Message) -> None:
        if isinstance(message, Heartbeat):
            self.stages.put(message.stage)
            if self.deaf:
                raise ToolFailure("the broker is away")
        self.messages.append(message)


def two_stages(job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
    assert job == JOB
    begin(Stage.POLICY)
    yield POLICY
    begin(Stage.BUILD)
    yield BUILD


def desk(
    reporter: Notebook, stages: Stages[PrepareJob] = two_stages, beat: float = 60
) -> Desk[PrepareJob]:
    return Desk("prepare@host:1", reporter, stages, beat)


def text(job: PrepareJob = JOB) -> str:
    return wire.encode(job).decode()


def test_an_attempt_is_reported_from_start_to_the_end_of_its_half() -> None:
    notebook = Notebook()
    prepare(text(), desk(notebook))
    started, first, second, finished = notebook.messages
    assert started == Started(Versions(), ATTEMPT, "prepare@host:1")
    assert first == StageReported(Versions(), ATTEMPT, "prepare@host:1", 0, POLICY)
    assert second == StageReported(Versions(), ATTEMPT, "prepare@host:1", 1, BUILD)
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.BUILD_FAILED
    assert finished.artifacts == BUILD.artifacts


@pytest.mark.parametrize("versions", [Versions(judge="0"), Versions(schema=99)])
def test_a_job_of_another_version_is_handed_back_unjudged(versions: Versions) -> None:
    notebook = Notebook()
    other = (
        text()
        .replace(wire.encode(Versions()).decode(), wire.encode(versions).decode())
        .replace('"problem_version":1', '"a_key_of_tomorrow":true')
    )
    prepare(other, desk(notebook))
    (message,) = notebook.messages
    assert isinstance(message, HandedBack)
    assert message.attempt == ATTEMPT
    assert "this worker speaks schema 2 and judge 1" in message.reason


def test_our_failure_is_reported_with_the_stage_it_happened_in() -> None:
    def broken(job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
        yield from list(two_stages(job, begin))[:1]
        begin(Stage.BUILD)
        raise ToolFailure("nvcc is gone", action="install it")

    notebook = Notebook()
    prepare(text(), desk(notebook, broken))
    assert notebook.messages[-1] == FailedByUs(
        Versions(), ATTEMPT, "prepare@host:1", Stage.BUILD, "nvcc is gone", "install it"
    )
    assert not any(isinstance(message, HalfFinished) for message in notebook.messages)


def test_a_bug_of_ours_is_reported_without_its_words_and_raised_again() -> None:
    def buggy(job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
        begin(Stage.RECORD)
        yield from ()
        raise ZeroDivisionError("text that only the worker's log should hold")

    notebook = Notebook()
    with pytest.raises(ZeroDivisionError):
        prepare(text(), desk(notebook, buggy))
    assert notebook.messages[1:] == [
        FailedByUs(
            Versions(),
            ATTEMPT,
            "prepare@host:1",
            Stage.RECORD,
            "the judge itself failed: ZeroDivisionError",
            "see the worker's log",
        )
    ]


def test_a_job_of_our_version_that_cannot_be_read_is_our_failure() -> None:
    notebook = Notebook()
    prepare(text().replace('"language":"cuda"', '"language":"fortran"'), desk(notebook))
    started, failed = notebook.messages
    assert isinstance(started, Started)
    assert isinstance(failed, FailedByUs)
    assert failed.what == "prepare job: language: must be one of cuda, triton"
    assert failed.action == "let portal and workers run the same release"


def test_a_report_that_is_not_taken_is_our_failure_of_the_attempt() -> None:
    class Away(Notebook):
        def send(self, message: Message) -> None:
            if isinstance(message, StageReported):
                raise ToolFailure("the broker is away")
            super().send(message)

    notebook = Away()
    prepare(text(), desk(notebook))
    assert [type(one) for one in notebook.messages] == [Started, FailedByUs]


def test_a_start_that_is_not_taken_leaves_the_source_alone() -> None:
    class Away(Notebook):
        def send(self, message: Message) -> None:
            raise ToolFailure("the broker is away")

    def never(job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
        yield from ()
        pytest.fail("a job was begun that nobody knows of")

    with pytest.raises(ToolFailure, match="away"):
        prepare(text(), desk(Away(), never))


@pytest.mark.parametrize("deaf", [False, True])
def test_a_long_stage_beats_with_its_stage_and_a_lost_beat_does_no_harm(deaf: bool) -> None:
    notebook = Notebook(deaf=deaf)

    def slow(job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
        begin(Stage.BUILD)
        # A machine that is busy beats before this stage begins, too.
        while notebook.stages.get(timeout=20) is not Stage.BUILD:
            pass
        yield BUILD

    prepare(text(), desk(notebook, slow, 0.01))
    beats = [message for message in notebook.messages if isinstance(message, Heartbeat)]
    assert bool(beats) is not deaf
    assert {beat.stage for beat in beats} <= {Stage.POLICY, Stage.BUILD}
    assert deaf or beats[-1].stage is Stage.BUILD
    assert isinstance(notebook.messages[-1], HalfFinished)


@pytest.mark.parametrize("content", ["[]", "{", '{"versions":{"schema":1,"judge":"1"}}'])
def test_a_message_without_an_attempt_is_refused_and_nothing_is_reported(content: str) -> None:
    notebook = Notebook()
    with pytest.raises(InvalidInput, match="prepare job"):
        prepare(content, desk(notebook))
    assert notebook.messages == []


PARTS = Parts(
    plan=ArtifactRef("plan", "12" * 32, 700),
    cubin=ArtifactRef("cubin", "34" * 32, 9000),
    facts=ArtifactRef("facts", "56" * 32, 500),
    family=FamilyExecuted.UNKNOWN,
)
MEASURE_JOB = MeasureJob(Versions(), ATTEMPT, PARTS, "gemm", 1, Target.HOPPER, "h200")
MEASURE_TEXT = wire.encode(MEASURE_JOB).decode()
WRONG = StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT)


def one_check(job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
    assert job == MEASURE_JOB
    begin(Stage.CHECK)
    yield WRONG


def test_the_gpu_half_is_reported_with_the_same_messages() -> None:
    notebook = Notebook()
    measure(MEASURE_TEXT, Desk("measure@host:1", notebook, one_check, 60))
    started, checked, finished = notebook.messages
    assert started == Started(Versions(), ATTEMPT, "measure@host:1")
    assert checked == StageReported(Versions(), ATTEMPT, "measure@host:1", 0, WRONG)
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.WRONG_RESULT


def test_a_failure_before_any_stage_of_the_gpu_half_is_put_down_to_the_check() -> None:
    def broken(job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
        yield from ()
        raise ToolFailure("the referee does not start", action="run ptxboard doctor")

    notebook = Notebook()
    measure(MEASURE_TEXT, Desk("measure@host:1", notebook, broken, 60))
    assert notebook.messages[-1] == FailedByUs(
        Versions(),
        ATTEMPT,
        "measure@host:1",
        Stage.CHECK,
        "the referee does not start",
        "run ptxboard doctor",
    )


def test_a_worker_whose_gpu_rests_hands_a_job_back_and_starts_nothing() -> None:
    def never(job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
        yield from ()
        pytest.fail("a job was begun on a GPU that rests")

    notebook = Notebook()
    desk = Desk("measure@host:1", notebook, never, 60, resting=lambda: "the GPU is sick")
    measure(MEASURE_TEXT, desk)
    assert notebook.messages == [
        HandedBack(Versions(), ATTEMPT, "measure@host:1", "the GPU is sick")
    ]


def test_a_job_whose_gpu_came_to_rest_meanwhile_is_handed_back_and_nobody_is_to_blame() -> None:
    def rests(job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
        yield from ()
        raise NotHere("canary gemm: slow")

    notebook = Notebook()
    measure(MEASURE_TEXT, Desk("measure@host:1", notebook, rests, 60))
    assert notebook.messages == [
        Started(Versions(), ATTEMPT, "measure@host:1"),
        HandedBack(Versions(), ATTEMPT, "measure@host:1", "canary gemm: slow"),
    ]


def test_a_prepare_job_on_a_queue_of_the_gpu_half_is_our_failure() -> None:
    notebook = Notebook()
    measure(text(), Desk("measure@host:1", notebook, one_check, 60))
    assert isinstance(notebook.messages[-1], FailedByUs)
    assert notebook.messages[-1].what == "measure job: language: is not a key of this record"
