"""Why a kernel has no launch plan. A value; the exception stays inside the record modules."""

from dataclasses import dataclass

from evaluation.core.records import Remark
from evaluation.core.signal import Signal
from evaluation.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """The verdict that ends the run, in one line, with what the author should read."""

    verdict: Verdict
    headline: str
    remarks: tuple[Remark, ...] = ()
    signals: tuple[Signal, ...] = ()


class Refusal(Exception):
    """Leaves the middle of the differ; ``make_plan`` turns it into a value."""

    def __init__(self, why: NotRecorded) -> None:
        super().__init__(why.headline)
        self.why = why


def refuse(
    headline: str,
    *,
    rule: str,
    instead: str = "",
    verdict: Verdict = Verdict.NOT_RECORDABLE,
    signals: tuple[Signal, ...] = (),
) -> Refusal:
    """Make a refusal of one remark that says the same as the headline."""
    remark = Remark(rule=rule, message=headline, instead=instead)
    return Refusal(NotRecorded(verdict, headline, (remark,), signals))
