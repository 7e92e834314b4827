"""When a referee stops calling a kernel: after a call whose outputs no judgement can pass (rule C2).

The judgements decide; this only spares the GPU. It must never stop a kernel that they would let go on.
"""

from evaluation.core.check.later_calls import ELEMENTS_FOR_ONE
from evaluation.core.measure.bench import Compared
from evaluation.core.measure.seen import OutputSeen


def fails_a_checked_call(compared: Compared) -> bool:
    """Apply the strict rule: memory intact, and no element that is not finite or outside of vendor and oracle."""
    return not _intact(compared) or any(
        one.nonfinite or one.outside_both for one in compared.outputs
    )


def fails_a_later_call(compared: Compared) -> bool:
    """Apply the rule of warm-up, pair, counted and slope calls."""
    return not _intact(compared) or any(_too_far_outside(one) for one in compared.outputs)


def _intact(compared: Compared) -> bool:
    return compared.inputs_intact and compared.slack_intact


def _too_far_outside(output: OutputSeen) -> bool:
    too_many = output.outside_both * ELEMENTS_FOR_ONE > output.elements
    return bool(output.nonfinite or output.outside_fourfold or too_many)
