"""One GPU at work, with fakes behind every port: what it notes, when it rests, and what it tells the portal."""

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fake_adapters import Notebook
from sample_run import a_prepared_kernel

from evaluation.adapters.quarantine import Holder, Quarantine
from evaluation.adapters.station import Equipment, Station
from evaluation.core.errors import NotHere, ToolFailure
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.known_kernel import Band, ReadyKernel
from evaluation.core.measure.ledger import Ledger, Loss, Running
from evaluation.core.measure.measurer import Measurer, Session
from evaluation.core.measure.parts import Parts
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import DeviceSeen, Libraries
from evaluation.core.messages import (
    Attempt,
    CanaryReported,
    DeviceHeartbeat,
    KernelLost,
    KernelNoted,
    MeasureJob,
    Versions,
)
from evaluation.core.records import ArtifactRef, Fact, StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import FamilyExecuted, Stage, Target, Verdict

ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
KERNEL = "12" * 32
PARTS = Parts(
    plan=ArtifactRef("plan", KERNEL, 700),
    cubin=ArtifactRef("cubin", "34" * 32, 9000),
    facts=ArtifactRef("facts", "56" * 32, 500),
    family=FamilyExecuted.UNKNOWN,
)
MEASURE_JOB = MeasureJob(
    Versions(), ATTEMPT, PARTS, "gemm_n7168_k5120", 1, Target.HOPPER, "h200", losses=0
)
LIBRARIES = Libraries("2.11.0", "13.0", "13.0", "13.1.0", "9.15.1")
DEVICE = DeviceSeen(
    product="h200",
    name="NVIDIA H200",
    uuid="GPU-1",
    driver="580.159.04",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=62914560,
    memory_bytes=150_000_000_000,
    libraries=LIBRARIES,
    confined=True,
)
CHECKED = StageReport(Stage.CHECK, "all outputs of 3 calls are within tolerance")


def timed(ratio: float = 0.76) -> StageReport:
    facts = (
        Fact("ratio", f"{ratio:.4f}"),
        Fact("ratio_low", f"{ratio - 0.01:.4f}"),
        Fact("ratio_high", f"{ratio + 0.01:.4f}"),
        Fact("candidate_time", 1_000_000, "ns"),
        Fact("vendor_time", 760_000, "ns"),
        Fact("sm_clock", 1905, "MHz"),
    )
    return StageReport(Stage.TIME, "correct", Verdict.ACCEPTED, facts=facts)


class FakeMeasurer:
    @property
    def device(self) -> DeviceSeen:
        return DEVICE

    def open(self, prepared: Prepared) -> contextlib.AbstractContextManager[Session]:
        raise NotImplementedError  # the fake judge below opens nothing


@dataclass
class World:
    """What a station sees. ``answers`` are given one a kernel; an exception is raised after its check."""

    folder: Path
    answers: list[StageReport | Exception] = field(default_factory=list)
    canaries: tuple[ReadyKernel, ...] | ToolFailure = ()
    now: float = 0.0
    notebook: Notebook = field(default_factory=Notebook)
    opened: int = 0
    told: list[bool] = field(default_factory=list)
    during: list[Ledger] = field(default_factory=list)

    @property
    def quarantine(self) -> Quarantine:
        return Quarantine(self.folder, "h200-0")

    def station(self) -> Station:
        return Station(self.equipment(), self.told.append)

    def equipment(self) -> Equipment:
        return Equipment(
            worker="measure@host:1",
            device="h200",
            quarantine=self.quarantine,
            reporter=self.notebook,
            open_measurer=self._open,
            rebuild=lambda _: a_prepared_kernel(),
            judge=self._judge,
            canaries=self._canaries,
            clock=lambda: self.now,
            canary_seconds=3600,
            canary_again_seconds=300,
        )

    def _open(self) -> Measurer:
        self.opened += 1
        return FakeMeasurer()

    def _canaries(self) -> tuple[ReadyKernel, ...]:
        if isinstance(self.canaries, ToolFailure):
            raise self.canaries
        return self.canaries

    def _judge(
        self, prepared: Prepared, measurer: Measurer, begin: Begin, *, bulk_rows: int = 0
    ) -> Iterator[StageReport]:
        self.during.append(self.quarantine.read())
        begin(Stage.CHECK)
        yield CHECKED
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        yield answer


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "measure")


def known(band: Band | None = None) -> ReadyKernel:
    return ReadyKernel("gemm", a_prepared_kernel(), band)


BAND = Band("h200", 0.70, 0.80, "by hand")


def judged(station: Station, job: MeasureJob = MEASURE_JOB) -> list[StageReport]:
    return list(station.stages(job, lambda _: None))


def beats(world: World) -> list[DeviceHeartbeat]:
    return [one for one in world.notebook.messages if isinstance(one, DeviceHeartbeat)]


def test_a_kernel_is_noted_before_its_first_launch_and_forgotten_when_it_is_judged(
    world: World,
) -> None:
    world.answers = [timed()]
    assert judged(world.station()) == [CHECKED, timed()]
    assert world.during == [Ledger(running=Running(KERNEL, ATTEMPT))]
    assert world.quarantine.read() == Ledger()


def test_the_portal_is_told_of_a_kernel_before_its_first_launch(world: World) -> None:
    """A machine that goes down with it may lose its ledger, and never speak again."""
    world.answers = [timed()]
    reports = world.station().stages(MEASURE_JOB, lambda _: None)
    next(reports)
    assert world.notebook.messages == [KernelNoted(Versions(), ATTEMPT, "measure@host:1", KERNEL)]
    assert len(world.during) == 1


def test_a_kernel_of_which_the_portal_cannot_be_told_is_not_launched(world: World) -> None:
    world.notebook.refuse = lambda one: isinstance(one, KernelNoted)
    with pytest.raises(ToolFailure):
        judged(world.station())
    assert world.during == []
    assert world.quarantine.read() == Ledger()


def test_the_referee_is_opened_with_the_first_kernel_and_stays(world: World) -> None:
    station = world.station()
    assert world.opened == 0
    world.answers = [timed(), timed()]
    judged(station)
    judged(station)
    assert world.opened == 1


def test_a_gpu_that_another_worker_has_is_not_opened(world: World) -> None:
    other = world.quarantine
    other.claim()
    with pytest.raises(ToolFailure, match="another worker of this host has the GPU h200-0"):
        judged(world.station())
    assert world.opened == 0


def test_a_second_worker_touches_nothing_of_the_kernel_that_the_first_one_has(
    world: World,
) -> None:
    other = world.quarantine
    other.claim()
    other.begin(Running("99" * 32, ATTEMPT))
    second = world.station()
    for touch in (second.recover, lambda: judged(second)):
        with pytest.raises(ToolFailure, match="another worker of this host has the GPU h200-0"):
            touch()
        assert other.read() == Ledger(running=Running("99" * 32, ATTEMPT))
    assert world.notebook.messages == []


def test_a_worker_refuses_jobs_while_a_command_has_its_gpu_and_takes_them_when_it_is_free(
    world: World,
) -> None:
    world.canaries = (known(BAND),)
    command = world.quarantine
    command.claim(Holder.COMMAND)
    station = world.station()
    taken = f"a command of this host has the GPU h200-0 (process {os.getpid()})"
    assert station.refusal() == taken
    assert world.told == [False]
    station.beat()
    assert world.told == [False, False]
    assert beats(world)[-1].resting == taken
    assert world.opened == 0
    command.release()
    world.answers = [timed()]
    station.beat()  # at once, and with a canary: it waits for no time that a canary failed
    assert world.told == [False, False, True]
    assert world.answers == []
    assert beats(world)[-1].resting == station.refusal() == ""


def test_a_worker_lives_on_and_says_who_has_its_gpu(world: World) -> None:
    other = world.quarantine
    other.claim()
    done = threading.Event()
    station = Station(world.equipment(), lambda _: done.set())
    station.live(0.001, done)
    assert beats(world)[0].resting.startswith("another worker of this host has the GPU h200-0")


def test_a_gpu_that_came_to_rest_while_a_job_waited_runs_no_kernel_of_it(world: World) -> None:
    station = world.station()
    assert station.refusal() == ""
    world.quarantine.set_drifted("canary gemm: slow")
    with pytest.raises(NotHere, match="canary gemm: slow"):
        judged(station)
    assert world.quarantine.read() == Ledger(drifted="canary gemm: slow")
    assert (world.opened, world.told) == (0, [False])


def test_a_job_is_refused_also_where_the_worker_cannot_be_told_to_take_no_more(
    world: World,
) -> None:
    broker_is_away = True
    told = []

    def consume(wanted: bool) -> None:
        if broker_is_away:
            raise ToolFailure("the broker is away")
        told.append(wanted)

    world.quarantine.set_drifted("slow")
    station = Station(world.equipment(), consume)
    assert station.refusal() == "slow"
    broker_is_away = False
    world.quarantine.lift()
    station.beat()
    assert told == [True]  # whatever it heard before


def test_a_job_that_comes_before_the_first_beat_does_not_hide_which_kernel_was_lost(
    world: World,
) -> None:
    world.quarantine.begin(Running("99" * 32, ATTEMPT))
    world.answers = [timed()]
    station = world.station()
    assert station.refusal() == ""
    judged(station)
    station.recover()
    assert [type(one) for one in world.notebook.messages] == [KernelNoted, KernelLost]
    assert len(world.quarantine.read().losses_of("99" * 32)) == 1


def test_a_referee_that_does_not_open_is_no_kernel_s_doing(world: World) -> None:
    """What is noted while it opens would be lost with a worker that ends there."""
    during = []

    def open_measurer() -> Measurer:
        during.append(world.quarantine.read())
        return FakeMeasurer()

    world.answers = [timed()]
    station = Station(replace(world.equipment(), open_measurer=open_measurer), world.told.append)
    judged(station)
    assert during == [Ledger()]


def test_a_bug_of_ours_is_nobody_s_loss_once_the_kernel_is_absolved(world: World) -> None:
    world.answers = [RuntimeError("a bug")]
    station = world.station()
    with pytest.raises(RuntimeError):
        judged(station)
    assert world.quarantine.read() == Ledger(running=Running(KERNEL, ATTEMPT))
    station.absolve()
    assert world.quarantine.read() == Ledger()


def test_a_failure_of_ours_is_nobody_s_loss(world: World) -> None:
    world.answers = [ToolFailure("the disk is full"), timed()]
    station = world.station()
    with pytest.raises(ToolFailure, match="the disk is full"):
        judged(station)
    assert world.quarantine.read() == Ledger()
    assert judged(station)[-1].verdict is Verdict.ACCEPTED


def test_a_reader_that_stops_half_way_leaves_no_kernel_behind(world: World) -> None:
    world.answers = [timed()]
    reports = world.station().stages(MEASURE_JOB, lambda _: None)
    next(reports)
    assert world.quarantine.read().running is not None
    reports.close()  # type: ignore[attr-defined]
    assert world.quarantine.read() == Ledger()


def test_a_kernel_that_makes_the_gpu_sick_is_noted_and_the_gpu_rests(world: World) -> None:
    world.answers = [GpuSick("Xid 79 during the kernel")]
    station = world.station()
    with pytest.raises(GpuSick):
        judged(station)
    loss = Loss(KERNEL, "Xid 79 during the kernel", by_time=False)
    assert world.quarantine.read() == Ledger(losses=(loss,), sick="Xid 79 during the kernel")
    assert station.resting() == "Xid 79 during the kernel"
    station.beat()
    assert world.told == [False]
    assert beats(world)[-1].resting == "Xid 79 during the kernel"


def test_the_portal_hears_at_once_which_kernel_made_the_gpu_sick(world: World) -> None:
    world.answers = [GpuSick("Xid 79 during the kernel")]
    with pytest.raises(GpuSick):
        judged(world.station())
    (lost,) = (one for one in world.notebook.messages if isinstance(one, KernelLost))
    assert (lost.attempt, lost.kernel, lost.losses) == (ATTEMPT, KERNEL, 1)
    assert lost.what == "Xid 79 during the kernel"


def test_a_loss_that_could_not_be_told_at_once_is_told_with_the_next_beat(world: World) -> None:
    world.answers = [GpuSick("Xid 79 during the kernel")]
    world.notebook.refuse = lambda one: isinstance(one, KernelLost)
    station = world.station()
    with pytest.raises(GpuSick):
        judged(station)
    world.notebook.refuse = lambda _: False
    station.recover()
    station.recover()
    assert [type(one) for one in world.notebook.messages] == [KernelNoted, KernelLost]


def test_the_portal_hears_of_a_kernel_that_its_worker_had_to_give_up(world: World) -> None:
    station = world.station()
    world.quarantine.begin(Running(KERNEL, ATTEMPT))
    station.lose("the GPU half took more than 600 s", by_time=True)
    station.lose("nothing is at hand", by_time=True)
    (lost,) = world.notebook.messages
    assert isinstance(lost, KernelLost)
    assert (lost.kernel, lost.losses) == (KERNEL, 1)


def test_a_kernel_that_was_lost_twice_here_is_not_run_a_third_time(world: World) -> None:
    for _ in range(2):
        world.quarantine.begin(Running(KERNEL, ATTEMPT))
        world.quarantine.lose("the worker ended while this kernel ran", by_time=False)
    begun: list[Stage] = []
    (report,) = world.station().stages(MEASURE_JOB, begun.append)
    assert (report.stage, report.verdict) == (Stage.CHECK, Verdict.RUNTIME_ERROR)
    assert [one.kind for one in report.signals] == ["damages_the_device"]
    assert begun == [Stage.CHECK]
    assert (world.opened, world.during) == (0, [])


def test_losses_that_only_the_portal_knows_of_count_too(world: World) -> None:
    (report,) = judged(world.station(), replace(MEASURE_JOB, losses=2))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert world.opened == 0


def test_another_kernel_is_judged_as_ever_after_such_losses(world: World) -> None:
    for _ in range(2):
        world.quarantine.begin(Running("99" * 32, ATTEMPT))
        world.quarantine.lose("gone", by_time=False)
    world.answers = [timed()]
    assert judged(world.station())[-1].verdict is Verdict.ACCEPTED


def test_a_new_worker_tells_which_kernel_ran_when_the_last_one_ended(world: World) -> None:
    world.quarantine.begin(Running(KERNEL, ATTEMPT))
    station = world.station()
    station.recover()
    station.recover()
    assert world.notebook.messages == [
        KernelLost(
            Versions(),
            ATTEMPT,
            "measure@host:1",
            KERNEL,
            1,
            "the worker ended while this kernel ran",
        )
    ]
    assert len(world.quarantine.read().losses_of(KERNEL)) == 1


def test_a_loss_that_the_portal_did_not_hear_of_is_told_again(world: World) -> None:
    world.quarantine.begin(Running(KERNEL, ATTEMPT))
    station = world.station()
    world.notebook.refuse = lambda _: True
    with pytest.raises(ToolFailure):
        station.recover()
    world.notebook.refuse = lambda _: False
    station.recover()
    assert [type(one) for one in world.notebook.messages] == [KernelLost]
    assert len(world.quarantine.read().losses_of(KERNEL)) == 1


def test_a_worker_that_gave_a_kernel_up_notes_that_it_never_ended(world: World) -> None:
    world.quarantine.begin(Running(KERNEL, ATTEMPT))
    world.station().lose("took more than 600 s", by_time=True)
    assert world.quarantine.read() == Ledger(
        losses=(Loss(KERNEL, "took more than 600 s", by_time=True),)
    )


def test_the_first_beat_runs_the_canaries_and_says_which_device_this_is(world: World) -> None:
    world.canaries = (known(BAND),)
    world.answers = [timed()]
    world.station().beat()
    report, beat = world.notebook.messages
    assert isinstance(report, CanaryReported)
    assert report.well
    (run,) = report.runs
    assert (run.name, run.ratio, run.low, run.high) == ("gemm", 0.76, 0.70, 0.80)
    assert (run.sm_mhz, run.memory_mhz) == (1905, 0)
    assert beat == DeviceHeartbeat(Versions(), "measure@host:1", "h200", DEVICE, "", "")
    assert world.told == []


def test_canaries_run_again_after_an_hour_and_not_before(world: World) -> None:
    world.canaries = (known(BAND),)
    world.answers = [timed(), timed()]
    station = world.station()
    for now, left in [(0.0, 1), (3599.0, 1), (3600.0, 0)]:
        world.now = now
        station.beat()
        assert len(world.answers) == left


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (timed(0.69), "canary gemm: a ratio of 0.690 is not within 0.700 to 0.800"),
        (timed(0.81), "canary gemm: a ratio of 0.810 is not within 0.700 to 0.800"),
        (
            StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT),
            "canary gemm: ended as wrong_result: C is wrong",
        ),
        (
            StageReport(Stage.TIME, "correct; speed: none", Verdict.ACCEPTED),
            "canary gemm: no speed could be had",
        ),
    ],
)
def test_a_canary_out_of_its_band_stops_the_work_until_one_is_well_again(
    world: World, answer: StageReport, said: str
) -> None:
    world.canaries = (known(BAND),)
    world.answers = [answer, timed()]
    station = world.station()
    station.beat()
    assert station.resting() == said
    assert beats(world)[-1].resting == said
    world.now = 299.0
    station.beat()
    assert world.told == [
        False,
        False,
    ]  # said again: a worker may have come back from a lost broker
    world.now = 300.0
    station.beat()
    assert station.resting() == ""
    assert world.told == [False, False, True]
    station.beat()
    assert world.told == [False, False, True]


def test_a_drift_outlives_the_worker_that_saw_it(world: World) -> None:
    world.canaries = (known(BAND),)
    world.answers = [timed(0.5)]
    first = world.equipment()
    Station(first, world.told.append).beat()
    first.quarantine.release()
    assert "0.500 is not within" in world.station().resting()


def test_a_canary_without_a_band_only_has_to_be_accepted(world: World) -> None:
    world.canaries = (known(),)
    world.answers = [timed(0.1)]
    station = world.station()
    station.beat()
    assert station.resting() == ""


def test_a_canary_that_cannot_run_stops_the_work_and_is_tried_again(world: World) -> None:
    world.canaries = ToolFailure("the CUDA toolchain is not installed")
    station = world.station()
    station.beat()
    assert station.resting() == "no canary ran: the CUDA toolchain is not installed"
    world.canaries, world.answers, world.now = (known(BAND),), [timed()], 300.0
    station.beat()
    assert station.resting() == ""
    assert world.told == [False, True]


def test_a_canary_that_makes_the_gpu_sick_is_followed_by_no_other(world: World) -> None:
    world.canaries = (known(BAND),)
    world.answers = [GpuSick("no new referee after a failure"), timed()]
    station = world.station()
    for now in (0.0, 300.0, 4000.0):
        world.now = now
        station.beat()
    assert station.resting() == "no new referee after a failure"
    assert len(world.answers) == 1


def test_a_canary_waits_for_the_kernel_at_hand_and_the_beat_names_it(world: World) -> None:
    world.canaries = (known(BAND),)
    world.answers = [timed(), timed()]
    station = world.station()
    reports = station.stages(MEASURE_JOB, lambda _: None)
    next(reports)
    station.beat()
    assert [type(one) for one in world.notebook.messages] == [KernelNoted, DeviceHeartbeat]
    assert beats(world)[0].kernel == KERNEL
    list(reports)
    station.beat()
    assert isinstance(world.notebook.messages[2], CanaryReported)
    assert beats(world)[1].kernel == ""


def test_a_portal_that_hears_nothing_does_not_end_the_beats(world: World) -> None:
    done = threading.Event()
    heard = 0

    def refuse(_: object) -> bool:
        nonlocal heard
        heard += 1
        if heard == 3:
            done.set()
        return True

    world.quarantine.begin(Running(KERNEL, ATTEMPT))
    world.notebook.refuse = refuse
    world.station().live(0.001, done)
    assert heard == 3
