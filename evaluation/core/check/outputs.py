"""What one call did to its outputs and inputs, in words: which element is wrong first, and how many are."""

import math

from evaluation.core.catalogue.problem import Problem, argument_list
from evaluation.core.check.failed import Failed
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import CallSeen, Element, OutputSeen
from evaluation.core.records import Remark
from evaluation.core.verdict import Verdict

_BUG = "report this as a bug of ptxboard: the referee and the problem must agree"


def expect_outputs(call: CallSeen, problem: Problem) -> None:
    """Raise ToolFailure unless a call brings every output of the problem in full: nothing passes unseen."""
    seen = tuple((one.name, one.elements) for one in call.outputs)
    due = tuple(
        (one.name, math.prod(one.shape or ())) for one in argument_list(problem) if one.is_output
    )
    if seen != due:
        what = f"call {call.call} was compared as {seen}, and {problem.name} has the outputs {due}"
        raise ToolFailure(what, action=_BUG)


def touched(call: CallSeen) -> Failed | None:
    """Say if a call wrote where it may not."""
    if not call.inputs_intact:
        message = f"call {call.call} wrote an input"
        instead = "inputs are read-only: the next kernel of a real program needs them too"
        return Failed(Verdict.MEMORY_FAULT, message, (Remark("C4", message, instead),))
    if not call.slack_intact:
        message = f"call {call.call} wrote beyond the end of a buffer"
        instead = "write exactly the elements of each output; mask the last tile"
        return Failed(Verdict.MEMORY_FAULT, message, (Remark("C3", message, instead),))
    return None


def wrong(output: OutputSeen, *, call: CallSeen, count: int, problem: Problem) -> Remark:
    """Describe an output of which ``count`` finite elements count as wrong and ``nonfinite`` ones are not finite."""
    parts = []
    if count:
        parts.append(f"{count} of {output.elements} elements outside ({_share(count, output)})")
    if output.nonfinite:
        parts.append(f"{output.nonfinite} not finite ({_share(output.nonfinite, output)})")
    first = f"; first {element_words(output.first)}" if output.first else ""
    tolerance = f"|x - y| <= max({problem.tolerance.atol:g}, {problem.tolerance.rtol:g} |y|)"
    return Remark(
        rule="C2",
        message=f"{output.name} in call {call.call}: {', '.join(parts)}{first}",
        instead=f"every element finite and within {tolerance} of the vendor's",
    )


def element_words(element: Element) -> str:
    """``[3, 17]: expected 1.25, got nan``."""
    got = element.word if element.got is None else f"{element.got:.6g}"
    place = ", ".join(str(one) for one in element.index)
    return f"[{place}]: expected {element.expected:.6g}, got {got}"


def headline(output: OutputSeen, count: int) -> str:
    """One line: the tensor, the share that is wrong, the first wrong element."""
    bad = count + output.nonfinite
    share = f"{output.name} is wrong in {bad} of {output.elements} elements ({_share(bad, output)})"
    return f"{share}, first {element_words(output.first)}" if output.first else share


def _share(count: int, output: OutputSeen) -> str:
    return f"{100 * count / output.elements:.3g} %"
