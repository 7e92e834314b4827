"""What a measurement has seen so far; it grows call by call and becomes a ``MeasureSeen`` at any moment."""

from dataclasses import dataclass, field, replace

from evaluation.core.measure.bench import Compared
from evaluation.core.measure.seen import (
    CallSeen,
    Canary,
    ClockSample,
    DeviceSeen,
    Fault,
    MeasureSeen,
    PairSeen,
    ProbeSeen,
    Purpose,
    Reading,
    Roofs,
    SlopeSeen,
)


@dataclass(slots=True)
class Tally:
    """``unavailable`` says why no hardware counters are read; empty while they may come."""

    calls: list[CallSeen] = field(default_factory=list)
    pairs: list[PairSeen] = field(default_factory=list)
    slopes: list[SlopeSeen] = field(default_factory=list)
    clocks: list[ClockSample] = field(default_factory=list)
    canaries: list[Canary] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    vendor_after_ns: tuple[int, ...] = ()
    unavailable: str = ""
    launchers: int = 0
    asked_pairs: int = 0

    def seen(
        self,
        *,
        device: DeviceSeen,
        vendor_before_ns: tuple[int, ...],
        first_call_ns: int,
        roofs: Roofs,
        fault: Fault | None,
    ) -> MeasureSeen:
        return MeasureSeen(
            device=device,
            calls=tuple(self.calls),
            pairs=tuple(self.pairs),
            slopes=tuple(self.slopes),
            clocks=tuple(self.clocks),
            canaries=tuple(self.canaries),
            vendor_before_ns=vendor_before_ns,
            vendor_after_ns=self.vendor_after_ns,
            first_call_ns=first_call_ns,
            launchers=self.launchers,
            asked_pairs=self.asked_pairs,
            probe=ProbeSeen(tuple(self.readings), self.unavailable),
            roofs=roofs,
            fault=fault,
        )


def call_seen(
    compared: Compared,
    *,
    launcher: int,
    number: int,
    purpose: Purpose,
    end_aligned: bool,
    with_map: bool,
) -> CallSeen:
    """Write a compared call down. Error maps go with calls that failed: hundreds of others would fill a message."""
    outputs = compared.outputs
    if not with_map:
        outputs = tuple(replace(one, map_rows=0, map_columns=0, map_counts=()) for one in outputs)
    return CallSeen(
        launcher=launcher,
        call=number,
        purpose=purpose,
        end_aligned=end_aligned,
        inputs_intact=compared.inputs_intact,
        slack_intact=compared.slack_intact,
        outputs=outputs,
    )
