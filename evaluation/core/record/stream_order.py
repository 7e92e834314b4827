"""Whether the work of all streams has one order (rule L10): a plan replays on one stream.

Stream 0, the null stream, is ordered with every other one in both directions, but for streams that are created
non-blocking. The host waiting for a stream, an event or the device orders all that comes after behind what it waited
for: an event covers the work before its last record, and none if it was never recorded. Async allocations and frees
are no work.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.recording import (
    Copy,
    Event,
    EventAction,
    EventUse,
    Launch,
    Memset,
    Payload,
    StreamUse,
    Synchronize,
    Waited,
)

_NULL = 0


@dataclass(slots=True)
class _Clocks:
    """Work is numbered from 1 in the order it was issued.

    As long as the order is total, one number says all that a stream comes after.
    """

    work: int = 0
    floor: int = 0  # what every stream comes after, as the host waited for it
    streams: dict[int, int] = field(default_factory=dict)
    events: dict[int, int] = field(default_factory=dict)
    apart: set[int] = field(default_factory=set)  # streams that the null stream is not ordered with

    def after(self, stream: int) -> int:
        """Give the number of the last work that new work of a stream comes after."""
        if stream == _NULL:
            others = (one for number, one in self.streams.items() if number not in self.apart)
            return max(self.floor, *others, 0)
        own = self.streams.get(stream, 0)
        null = 0 if stream in self.apart else self.streams.get(_NULL, 0)
        return max(self.floor, own, null)


def refuse_concurrent_streams(events: Iterable[Event]) -> None:
    """Raise Refusal at the first work that is not ordered after the work before it."""
    clocks = _Clocks()
    for event in events:
        match event:
            case Launch(stream=stream) | Memset(stream=stream):
                _work(clocks, stream)
            case Payload(stream=stream) | Copy(stream=stream):
                _work(clocks, stream)
            case EventUse(number=number, action=action, stream=stream):
                _use_event(clocks, number, action, stream)
            case Synchronize():
                _wait(clocks, event)
            case StreamUse(number=number, created=True, non_blocking=True):
                clocks.apart.add(number)
            case _:
                pass


def _work(clocks: _Clocks, stream: int) -> None:
    if clocks.after(stream) < clocks.work:
        raise refuse(
            f"work on stream {stream} runs beside earlier work of another stream",
            rule="L10",
            instead="use one stream, or make each stream wait for an event of the one before",
        )
    clocks.work += 1
    clocks.streams[stream] = clocks.work


def _wait(clocks: _Clocks, waited: Synchronize) -> None:
    match waited.what:
        case Waited.STREAM:
            reached = clocks.after(waited.stream)
        case Waited.EVENT:
            reached = clocks.events.get(waited.event, 0)
        case _:
            reached = clocks.work
    clocks.floor = max(clocks.floor, reached)


def _use_event(clocks: _Clocks, number: int, action: EventAction, stream: int) -> None:
    if action is EventAction.RECORD:
        clocks.events[number] = clocks.after(stream)
    elif action is EventAction.WAIT:
        reached = max(clocks.after(stream), clocks.events.get(number, 0))
        clocks.streams[stream] = reached
