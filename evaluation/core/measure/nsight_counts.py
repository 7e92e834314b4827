"""Hardware counters by launch, as our reader of Nsight Compute's reports writes them, and the readings they make.

``{"launches": [{"function": name, "values": [...]}], "compared": [{"elements": ..., ...}]}``: one entry a launch, with
the values of the metrics in the order they were asked for; and one for each output of each counted call, against what
an uncounted call of the same process left for the same inputs (rule I12).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.measure.seen import OutputSeen, Reading
from evaluation.core.measure.stopping import too_far_outside
from evaluation.core.strict_json import Fields, count_marks, parse_object

LIMIT_BYTES = 1 << 20
LIMIT_LAUNCHES = 32 * 8  # of a call, as rule T4 bounds them, times calls
LIMIT_OUTPUTS = 16 * 8
LIMIT_COUNT = (1 << 62) - 1

_WHERE = "Nsight Compute's counters"
_DEPTH = 4
_MARKS = 1 << 16
_LONE = 0  # the number of the one process that made the calls


@dataclass(frozen=True, slots=True)
class NsightCounts:
    """``launches`` in their order: the function, which is the author's word, and the values."""

    launches: tuple[tuple[str, tuple[int, ...]], ...]
    compared: tuple[OutputSeen, ...]


def read_nsight_counts(content: bytes, metrics: int) -> NsightCounts:
    """Read the document, with so many values a launch. Raise InvalidInput where it breaks its format."""
    if len(content) > LIMIT_BYTES:
        rule = f"has more than {LIMIT_BYTES} bytes"
        raise InvalidInput(where=_WHERE, key="", rule=rule)
    count_marks(content, where=_WHERE, key="", depth=_DEPTH, marks=_MARKS)
    document = parse_object(content, where=_WHERE, key="")
    document.exactly("launches", "compared")
    launches = document.children("launches", most=LIMIT_LAUNCHES)
    compared = document.children("compared", most=LIMIT_OUTPUTS)
    return NsightCounts(
        tuple(_launch(one, metrics) for one in launches), tuple(_output(one) for one in compared)
    )


def readings_from(
    counts: NsightCounts, metrics: Sequence[str], launched: Sequence[str], *, outputs: int
) -> tuple[Reading, ...] | NotRun:
    """Sum what the launches of each counted call say; ``launched`` are the functions of one call in their order.

    There are none where other launches were counted than the plan has, or where a counted call left other outputs than
    the uncounted one: then nobody knows what was counted.
    """
    calls, left = divmod(len(counts.launches), len(launched))
    names = [name for name, _ in counts.launches]
    if left or not calls or names != list(launched) * calls:
        return NotRun(Hindrance.FAILED, "other launches were counted than those of the calls")
    if len(counts.compared) != calls * outputs:
        return NotRun(Hindrance.FAILED, "not every counted call came to its end")
    if any(too_far_outside(one) for one in counts.compared):
        return NotRun(Hindrance.FAILED, "a counted call left other outputs than an uncounted one")
    rows = [values for _, values in counts.launches]
    return tuple(
        _reading(call, metrics, rows[call * len(launched) : (call + 1) * len(launched)])
        for call in range(calls)
    )


def _reading(call: int, metrics: Sequence[str], rows: Sequence[tuple[int, ...]]) -> Reading:
    sums = (sum(column) for column in zip(*rows, strict=True))
    return Reading(_LONE, call + 1, tuple(zip(metrics, sums, strict=True)))


def _launch(launch: Fields, metrics: int) -> tuple[str, tuple[int, ...]]:
    launch.exactly("function", "values")
    values = launch.integers("values", least=metrics, most=metrics, high=LIMIT_COUNT)
    return launch.name("function"), tuple(values)


def _output(output: Fields) -> OutputSeen:
    output.exactly("elements", "nonfinite", "outside", "outside_fourfold")
    outside = output.integer("outside")
    return OutputSeen(
        name="",
        elements=output.integer("elements", low=1),
        nonfinite=output.integer("nonfinite"),
        outside=outside,
        outside_both=outside,
        outside_fourfold=output.integer("outside_fourfold"),
        first=None,
        worst=None,
    )
