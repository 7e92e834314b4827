"""When a referee stops calling a kernel: after a call whose outputs no judgement can pass (rule C2).

The judgements decide; this only spares the GPU. It must never stop a kernel that they would let go on.
"""

from evaluation.core.catalogue.problem import Tolerance
from evaluation.core.check.checked_calls import is_wrong
from evaluation.core.check.later_calls import ELEMENTS_FOR_ONE
from evaluation.core.measure.bench import Compared
from evaluation.core.measure.seen import OutputSeen

HOPELESS = 100
"""One element in as many outside of the vendor's is no matter of rounding."""


def fails_a_checked_call(compared: Compared, tolerance: Tolerance) -> bool:
    """Apply the strict rule: memory intact, and no output that is wrong against vendor and oracle."""
    return not _intact(compared) or any(is_wrong(one, tolerance) for one in compared.outputs)


def fails_a_later_call(compared: Compared) -> bool:
    """Apply the rule of warm-up, pair, counted and slope calls."""
    return not _intact(compared) or any(too_far_outside(one) for one in compared.outputs)


def too_far_outside(output: OutputSeen) -> bool:
    """Apply that rule to one output."""
    too_many = output.outside_both * ELEMENTS_FOR_ONE > output.elements
    return bool(output.nonfinite or output.outside_fourfold or too_many)


def asks_the_oracle(compared: Compared, *, graded: bool) -> bool:
    """Say whether a checked call is worth the oracle: for its grade, or because some elements miss the vendor alone.

    Nothing that the oracle says can save a call in which memory was changed, a value is not finite, or one element in
    a hundred is outside: the vendor itself was proven to be within tolerance of the oracle nearly everywhere.
    """
    if not _intact(compared) or any(one.nonfinite for one in compared.outputs):
        return False
    if any(one.outside * HOPELESS > one.elements for one in compared.outputs):
        return False
    return graded or any(one.outside for one in compared.outputs)


def _intact(compared: Compared) -> bool:
    return compared.inputs_intact and compared.slack_intact
