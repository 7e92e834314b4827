"""ptxboard judge uses a GPU as a worker does: alone, well, and with every kernel noted before it runs (rule T6)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_measurer import FakeMeasurer
from test_judge_on_a_gpu import Machine, gpu_called
from test_judge_on_a_gpu import machine as machine_fixture
from watched_measurer import WatchedMeasurer

from evaluation.adapters.quarantine import Quarantine
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.ledger import Loss, Running
from evaluation.core.messages import Attempt
from evaluation.core.verdict import Stage, Verdict

machine = machine_fixture
Hinder = Callable[[Quarantine], None]

TAKEN = f"a worker of this host has the GPU h200-0 (process {os.getpid()})"
WAIT = "wait until it is done, or stop it; judge --gpu no does without a GPU"
SICK = "the GPU h200-0 is in quarantine: Xid 79"
LIFT = "look at it with nvidia-smi, reset it, then run ptxboard doctor --lift-quarantine"
ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)


def take(ledger: Quarantine) -> None:
    ledger.claim()


def sicken(ledger: Quarantine) -> None:
    ledger.set_sick("Xid 79")


def drift(ledger: Quarantine) -> None:
    ledger.set_drifted("Xid 79")


HINDRANCES = pytest.mark.parametrize(
    ("hinder", "what", "action"),
    [(take, TAKEN, WAIT), (sicken, SICK, LIFT), (drift, SICK, LIFT)],
    # Workers of one run must agree on names, and a message names a process.
    ids=["taken", "sick", "drifted"],
)


def plan_of(machine: Machine) -> str:
    """The hash of the plan that the sample's source comes to."""
    judgement = machine.judge("--gpu", "no", "--json").judgement
    (plan,) = (ref for one in judgement.reports for ref in one.artifacts if ref.name == "plan")
    return plan.sha256


@HINDRANCES
def test_a_gpu_that_must_not_be_used_is_left_alone_and_its_stages_say_why(
    machine: Machine, hinder: Hinder, what: str, action: str
) -> None:
    ledger = machine.ledger
    hinder(ledger)
    ran = machine.judge("--json")
    assert (ran.code, ran.err) == (3, "")
    assert {one.why for one in ran.judgement.missing} == {f"needs a GPU: {what}; {action}"}
    assert (machine.opened, machine.measurer.said) == ([], [])


@HINDRANCES
def test_where_it_was_asked_for_nothing_is_compiled_and_the_message_says_what_to_do(
    machine: Machine, hinder: Hinder, what: str, action: str
) -> None:
    ledger = machine.ledger
    hinder(ledger)
    for words in (("--gpu", "0"), ("--examine", "memcheck")):
        ran = machine.judge(*words)
        assert (ran.code, ran.out) == (69, "")
        assert ran.err == f"ptxboard: {what}\n          {action}\n"
    assert machine.opened == []


@HINDRANCES
def test_so_it_is_where_that_came_about_during_the_compile(
    machine: Machine, hinder: Hinder, what: str, action: str
) -> None:
    ledger = machine.ledger
    machine.before_lab = lambda: hinder(ledger)
    ran = machine.judge()
    assert ran.code == 3
    assert f"  check   -            needs a GPU: {what}; " in ran.out
    ledger.release()
    ledger.lift()
    ran = machine.judge("--gpu", "0")
    assert ran.code == 69
    assert ran.err == f"ptxboard: {what}\n          {action}\n"
    assert machine.measurer.said == []


def test_a_plan_is_made_for_the_product_that_is_here_though_it_is_taken(machine: Machine) -> None:
    machine.gpu = gpu_called("NVIDIA H100 80GB HBM3")
    ledger = machine.ledger
    ledger.claim()
    assert machine.judge("--json").judgement.device == "h100-sxm"


def test_a_kernel_is_noted_and_the_gpu_claimed_before_it_is_handed_over_and_not_after(
    machine: Machine,
) -> None:
    plan = plan_of(machine)
    measurer = WatchedMeasurer(ledger=machine.ledger)
    machine.measurer = measurer
    assert machine.judge().code == 0
    (noted,) = measurer.noted
    assert noted.running is not None
    assert noted.running.kernel == plan
    assert measurer.taken == [f"a command of this host has the GPU h200-0 (process {os.getpid()})"]
    assert machine.ledger.read().running is None
    machine.ledger.claim()


def test_a_sick_gpu_is_in_quarantine_and_its_kernel_has_a_loss(machine: Machine) -> None:
    plan = plan_of(machine)
    machine.measurer = FakeMeasurer(at_close=GpuSick("Xid 79 during the kernel"))
    assert machine.judge().code == 70
    after = machine.ledger.read()
    assert after.losses == (Loss(plan, "Xid 79 during the kernel", by_time=False),)
    assert (after.running, after.sick) == (None, "Xid 79 during the kernel")
    assert machine.judge("--gpu", "0").code == 69


def test_our_failure_and_an_interruption_are_not_the_kernel_s(machine: Machine) -> None:
    machine.measurer = FakeMeasurer(measured=(ToolFailure("the referee ended"),))
    assert machine.judge().code == 70
    machine.measurer = WatchedMeasurer(ledger=machine.ledger, interrupted=True)
    assert machine.judge().code == 130
    after = machine.ledger.read()
    assert (after.running, after.losses, after.sick) == (None, (), "")
    machine.ledger.claim()


def test_a_kernel_that_took_two_processes_down_is_not_launched_again(machine: Machine) -> None:
    plan = plan_of(machine)
    machine.ledger.begin(Running(plan, ATTEMPT))
    assert machine.judge().code == 0
    lost = Loss(plan, "the process that judged ended while this kernel ran", by_time=False)
    assert machine.ledger.read().losses == (lost,)
    machine.ledger.begin(Running(plan, ATTEMPT))
    machine.measurer = FakeMeasurer()
    ran = machine.judge("--json")
    assert ran.code == 12
    last = ran.judgement.reports[-1]
    assert (last.stage, last.verdict) == (Stage.CHECK, Verdict.RUNTIME_ERROR)
    assert [one.kind for one in last.signals] == ["damages_the_device"]
    assert machine.measurer.said == []


def test_a_ledger_that_cannot_be_kept_is_said_and_nothing_is_launched(
    machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/measure").write_bytes(b"")
    why = f"cannot write beside the ledger of this GPU, {tmp_path}/home/measure/h200-0.json: "
    ran = machine.judge("--json")
    assert ran.code == 3
    assert all(one.why.startswith(f"needs a GPU: {why}") for one in ran.judgement.missing)
    ran = machine.judge("--gpu", "0")
    assert (ran.code, ran.out) == (69, "")
    assert ran.err.startswith(f"ptxboard: {why}")
    assert "belong to the worker's user" in ran.err


def test_a_ledger_that_nobody_can_make_sense_of_is_not_passed_over(
    machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "home/measure").mkdir(parents=True)
    (tmp_path / "home/measure/h200-0.json").write_bytes(b"{}")
    ran = machine.judge("--gpu", "0")
    assert (ran.code, ran.out) == (69, "")
    assert "cannot make sense of the ledger" in ran.err
    machine.ledger.claim()
