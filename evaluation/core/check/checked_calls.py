"""The rule for the checked calls, on the problem's own input sets (rule C2): the paper's, for every element.

Where the vendor's own results are outside of the oracle's now and then, the problem states how rare such elements have
to be, and none may be beyond four times the tolerance (docs/adr/0023-borderline-elements.md).
"""

from evaluation.core.catalogue.problem import Tolerance
from evaluation.core.measure.seen import OutputSeen


def is_wrong(output: OutputSeen, tolerance: Tolerance) -> bool:
    """Say whether one output of a checked call is wrong; what the oracle agrees with never is."""
    if output.nonfinite:
        return True
    if output.outside_both == 0:
        return False
    return output.outside_fourfold > 0 or not _are_rare(output, tolerance)


def _are_rare(output: OutputSeen, tolerance: Tolerance) -> bool:
    one_in = tolerance.borderline_one_in
    return one_in > 0 and output.outside_both * one_in <= output.elements
