"""Bytes of a jailed process to a Recording, strictly and within bounds (docs/recording.md).

Whatever the shim could not have written is InvalidInput: the bytes came from the author's process.
"""

from dataclasses import dataclass, field

from evaluation.core.errors import InvalidInput
from evaluation.core.record.recording import (
    Alloc,
    Buffer,
    Call,
    Crash,
    Encode,
    Event,
    Free,
    Recording,
    Refused,
)
from evaluation.core.record.recording_events import (
    read_buffer,
    read_crash,
    read_event,
    read_refused,
)
from evaluation.core.strict_json import I32, Fields, count_marks, parse_object

WHERE = "recording"
VERSION = 1
LIMIT_BYTES = 64 * 1024 * 1024
LIMIT_LINE_BYTES = 48 * 1024 * 1024
LIMIT_LINES = 20_000
LIMIT_DEPTH = 4
LIMIT_MARKS = 1_000_000  # brackets and commas in all; 20,000 ordinary lines hold half of that
LIMIT_CALLS = 1_000

_NONCE_BYTES = 16


def read_recording(content: bytes) -> Recording:
    """Read one recording. A last line without its line end was cut off with the process: dropped."""
    lines = _lines(content)
    reader = _Reader()
    marks = 0
    for index, line in enumerate(lines):
        if _is_torn(lines, index):
            continue
        key = f"line {index + 1}"
        marks += count_marks(
            line, where=WHERE, key=key, depth=LIMIT_DEPTH, marks=LIMIT_MARKS - marks
        )
        reader.take(parse_object(line, where=WHERE, key=key))
        if reader.stopped is not None:
            break  # what follows a refusal or a crash says nothing
    return reader.recording()


def _is_torn(lines: list[bytes], index: int) -> bool:
    """Say whether a refusal or a crash broke a line off: the last word then stands after it."""
    if index != len(lines) - 2 or lines[index].endswith(b"}"):
        return False
    return lines[index + 1].startswith((b'{"e":"refused",', b'{"e":"crash",'))


def _lines(content: bytes) -> list[bytes]:
    if len(content) > LIMIT_BYTES:
        raise _broken(f"has more than {LIMIT_BYTES} bytes")
    if content.count(b"\n") > LIMIT_LINES:
        raise _broken(f"has more than {LIMIT_LINES} lines")
    lines = content.split(b"\n")[:-1]
    if any(len(line) > LIMIT_LINE_BYTES for line in lines):
        raise _broken(f"has a line of more than {LIMIT_LINE_BYTES} bytes")
    return lines


def _broken(rule: str) -> InvalidInput:
    return InvalidInput(where=WHERE, key="", rule=rule)


@dataclass(slots=True)
class _OpenCall:
    number: int
    buffer_set: int
    events: list[Event] = field(default_factory=list)
    status: int | None = None
    message: str = ""

    def closed(self) -> Call:
        return Call(self.number, self.buffer_set, tuple(self.events), self.status, self.message)


@dataclass(slots=True)
class _Reader:
    """The order of the lines: begin, buffers, loading, calls, end; and numbers that count up."""

    nonce: bytes | None = None
    announced: int = 0
    buffers: list[Buffer] = field(default_factory=list)
    calls: list[_OpenCall] = field(default_factory=lambda: [_OpenCall(0, 0)])
    inside: bool = False  # between call and return
    allocs: int = 0
    freed: set[int] = field(default_factory=set)
    maps: int = 0
    stopped: Refused | Crash | None = None
    ended: bool = False

    def take(self, fields: Fields) -> None:
        kind = self._kind(fields)
        match kind:
            case "begin":
                self._begin(fields)
            case "buffer":
                self._buffer(fields)
            case "call":
                self._call(fields)
            case "return":
                self._return(fields)
            case "refused":
                self.stopped = read_refused(fields)
            case "crash":
                self.stopped = read_crash(fields)
            case "end":
                self._end(fields)
            case _:
                self._event(kind, fields)

    def _kind(self, fields: Fields) -> str:
        kind = fields.entries.get("e")
        if not isinstance(kind, str):
            raise fields.broken("e", "must name an event")
        if self.ended:
            raise fields.broken("", "stands after the end")
        if (kind == "begin") is not (self.nonce is None):
            raise fields.broken("e", "begin must stand first, and once")
        return kind

    def recording(self) -> Recording:
        if self.nonce is None:
            raise _broken("has no begin")
        return Recording(
            nonce=self.nonce,
            announced=self.announced,
            buffers=tuple(self.buffers),
            calls=tuple(call.closed() for call in self.calls),
            stopped=self.stopped,
            ended=self.ended,
        )

    def _begin(self, fields: Fields) -> None:
        fields.exactly("e", "version", "calls", "nonce")
        fields.integer("version", low=VERSION, high=VERSION)
        self.announced = fields.integer("calls", low=1, high=LIMIT_CALLS)
        self.nonce = fields.hexadecimal("nonce", limit_bytes=_NONCE_BYTES)
        if len(self.nonce) != _NONCE_BYTES:
            raise fields.broken("nonce", f"must have {_NONCE_BYTES} bytes")

    def _buffer(self, fields: Fields) -> None:
        buffer = read_buffer(fields)
        if len(self.calls) > 1 or self.inside:
            raise fields.broken("e", "a buffer must stand before the first call")
        if any(self._same(buffer, other) for other in self.buffers):
            raise fields.broken("argument", "has this buffer twice")
        self.buffers.append(buffer)

    @staticmethod
    def _same(one: Buffer, other: Buffer) -> bool:
        return (one.argument, one.buffer_set) == (other.argument, other.buffer_set)

    def _call(self, fields: Fields) -> None:
        fields.exactly("e", "n", "set")
        number = fields.integer("n", high=LIMIT_CALLS)
        loading = number == 0 and len(self.calls) == 1 and self.calls[0].status is None
        if self.inside or not (loading or number == len(self.calls)) or number > self.announced:
            raise fields.broken("n", "calls must count up, one at a time, as far as announced")
        buffer_set = 0 if loading else (number - 1) % 2
        fields.integer("set", low=buffer_set, high=buffer_set)
        if not loading:
            self.calls.append(_OpenCall(number, buffer_set))
        self.inside = True

    def _return(self, fields: Fields) -> None:
        fields.exactly("e", "n", "status", "message")
        call = self.calls[-1]
        if not self.inside or fields.integer("n", high=LIMIT_CALLS) != call.number:
            raise fields.broken("n", "must return from the call that is open")
        call.status = fields.integer("status", low=-I32 - 1, high=I32)
        call.message = fields.text("message", limit=4000)
        self.inside = False

    def _end(self, fields: Fields) -> None:
        fields.exactly("e", "calls")
        made = len(self.calls) - 1
        if self.inside or made != self.announced:
            raise fields.broken("e", "the end must follow the last call announced")
        fields.integer("calls", low=made, high=made)
        self.ended = True

    def _event(self, kind: str, fields: Fields) -> None:
        event = read_event(kind, fields)
        if event is None:
            raise fields.broken("e", "unknown event")
        self._count(event, fields)
        if self.inside or len(self.calls) - 1 < self.announced:
            self.calls[-1].events.append(event)
        # what an unloading library does after the last call is no part of any call

    def _count(self, event: Event, fields: Fields) -> None:
        match event:
            case Alloc(number=number):
                if number != self.allocs:
                    raise fields.broken("id", "allocations must count up from 0")
                self.allocs += 1
            case Encode(number=number):
                if number != self.maps:
                    raise fields.broken("id", "tensor maps must count up from 0")
                self.maps += 1
            case Free(number=number):
                if number >= self.allocs or number in self.freed:
                    raise fields.broken("id", "must free an allocation that is alive")
                self.freed.add(number)
            case _:
                pass
