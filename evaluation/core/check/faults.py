"""A fault on the GPU as a verdict, or as our own failure where the kernel is not to blame."""

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.cuda_errors import cause
from evaluation.core.check.failed import Failed
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Fault, FaultKind
from evaluation.core.plan.plan import LaunchStep, Plan
from evaluation.core.quoting import counted, printable, quoted
from evaluation.core.records import Remark
from evaluation.core.verdict import Verdict

LIMIT_MEMCHECK_LINES = 8
_LIMIT_LINE = 200


def judge_fault(fault: Fault, problem: Problem, plan: Plan) -> Failed:
    """Say which verdict a fault is. Raise ToolFailure for an error code that no kernel can be blamed for."""
    if fault.kind is FaultKind.CUDA_ERROR:
        return _cuda_error(fault, plan)
    if fault.kind is FaultKind.TOO_SLOW:
        message = (
            f"a call takes {fault.seconds:.1f} s, and the limit is {problem.bounds.call_seconds} s"
        )
        instead = "a faster algorithm: the vendor library needs milliseconds"
    else:
        message = f"{_place(fault, plan)} did not end within {fault.seconds:.1f} s"
        instead = "look for loops and barriers that wait for something that never comes"
    return Failed(Verdict.TIMEOUT, message, (Remark("S11", message, instead),))


def _cuda_error(fault: Fault, plan: Plan) -> Failed:
    if (
        fault.code == 0
    ):  # no answer of the driver: the process that held the kernel ended, twice alike
        message = f"{_place(fault, plan)} ended the process that made it"
        remark = Remark("T2", message, "check what the kernel does to memory that is not its own")
        return Failed(Verdict.RUNTIME_ERROR, message, (remark,))
    why = cause(fault.code)
    message = f"{_place(fault, plan)} failed: {why.words} ({why.name})"
    if why.verdict is None:
        raise ToolFailure(
            message, action="look at the device with nvidia-smi; the kernel is judged again"
        )
    rule = "C3" if why.verdict is Verdict.MEMORY_FAULT else "launch_failed"
    lines = (printable(line, limit=_LIMIT_LINE) for line in fault.memcheck[:LIMIT_MEMCHECK_LINES])
    return Failed(
        why.verdict,
        message,
        (
            Remark(rule, message, why.instead),
            *(Remark("C8", f"memcheck: {line}") for line in lines),
        ),
    )


def _place(fault: Fault, plan: Plan) -> str:
    steps = plan.setup if fault.call < 0 else plan.steady
    what = "the set-up" if fault.call < 0 else f"call {fault.call}"
    if 0 <= fault.step < len(steps):
        step = steps[fault.step]
        if isinstance(step, LaunchStep):
            return f"{what} (launch of {quoted(step.function)})"
        return f"{what} (step {fault.step})"
    launched = [one.function for one in steps if isinstance(one, LaunchStep)]
    if len(launched) == 1:
        return f"{what} (launch of {quoted(launched[0])})"
    return f"{what} ({counted(len(launched), 'launch', many='launches')})"
