"""What goes over the socket between judge and launcher: messages of two fixed sizes, integers alone (rule T2).

A request may carry one descriptor of a file: a document, an image, a buffer. An answer carries none. The judge
believes no answer: its size, its kind, its sequence number and the range of each number are checked before use.
"""

import struct
from dataclasses import dataclass
from enum import IntEnum, unique

VERSION = 2
VALUES = 64  # of an answer, so also the most metrics that are counted at a time
ORDERS = 6  # numbers of a request

_REQUEST = struct.Struct(f"<4sHHQ{ORDERS}q")
_ANSWER = struct.Struct(f"<4sHHQ{VALUES}q")
_REQUEST_MARK = b"PXQ\1"
_ANSWER_MARK = b"PXA\1"
REQUEST_BYTES = _REQUEST.size
ANSWER_BYTES = _ANSWER.size

_CALL = struct.Struct("<II")
_NAME_END = b"\n"


@unique
class Ask(IntEnum):
    """What the judge asks; in brackets whether a descriptor comes with it, and the numbers."""

    TRUSTED = 1  # [image of the judge's own kernels] size
    PLAN = 2  # [document] size
    CUBIN = 3  # [image] size
    BUFFER = 4  # [memory] set, argument by place in the plan, size, writable
    SET_UP = 5
    CALL = 6  # number, set, end aligned, counted, cold
    ROW = 7  # [row of calls] size
    GO = 8  # with the row that waits
    COUNT = 9  # [names of metrics] size
    READ = 10
    END = 11


@unique
class Say(IntEnum):
    """What the launcher answers, and the numbers that come with it."""

    READY = 1  # version; the only answer to no request, with sequence number 0
    SET_UP = 2  # nanoseconds, bytes
    CALLED = 3  # nanoseconds
    FAILED = 4  # the candidate's failure: step, CUresult
    OURS = 5  # a failure of ours: reason, detail
    COUNTING = 6  # passes; reason why there are none, CUptiResult, step
    COUNTERS = 7  # one value for each metric
    WAITING = 8  # a row waits for GO


@dataclass(frozen=True, slots=True)
class Request:
    ask: Ask
    sequence: int
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    say: Say
    sequence: int
    numbers: tuple[int, ...] = ()


class BadFrame(Exception):
    """Bytes that no frame of ours has. ``what`` is our own sentence, never a part of the bytes."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def write_request(request: Request) -> bytes:
    return _written(_REQUEST, _REQUEST_MARK, ORDERS, request.ask, request)


def write_answer(answer: Answer) -> bytes:
    return _written(_ANSWER, _ANSWER_MARK, VALUES, answer.say, answer)


def read_request(content: bytes) -> Request:
    """Read what the judge sent; raise BadFrame."""
    kind, sequence, numbers = _read(_REQUEST, _REQUEST_MARK, content)
    if kind not in _ASKED:
        raise BadFrame(f"asks for {kind}, which is nothing to ask for")
    count = _ASKED[Ask(kind)]
    if any(numbers[count:]):
        raise BadFrame("has numbers that nobody reads")
    return Request(Ask(kind), sequence, numbers[:count])


def read_answer(content: bytes) -> Answer:
    """Read what a launcher sent; raise BadFrame. Every byte is its choice. ``numbers`` keep their padding of zeros."""
    kind, sequence, numbers = _read(_ANSWER, _ANSWER_MARK, content)
    if kind not in tuple(Say):
        raise BadFrame(f"is of kind {kind}, which does not exist")
    return Answer(Say(kind), sequence, numbers)


def write_calls(numbers: tuple[int, ...], sets: tuple[int, ...]) -> bytes:
    """Pack a row of calls: the number of each and the buffer set it works on. Raise ValueError for unequal lengths."""
    return b"".join(_CALL.pack(number, one) for number, one in zip(numbers, sets, strict=True))


def read_calls(content: bytes) -> tuple[tuple[int, int], ...]:
    """Undo write_calls, as (number, set); raise BadFrame."""
    if not content or len(content) % _CALL.size:
        raise BadFrame(f"lists calls in {len(content)} bytes")
    return tuple((number, one) for number, one in _CALL.iter_unpack(content))


def write_names(names: tuple[str, ...]) -> bytes:
    """Pack names of metrics. Raise ValueError for more than an answer has values, or a name with a line's end in it."""
    if len(names) > VALUES or any("\n" in name or not name for name in names):
        raise ValueError(f"{len(names)} names of metrics do not fit: {VALUES} plain ones do")
    return b"".join(name.encode() + _NAME_END for name in names)


def read_names(content: bytes) -> tuple[str, ...]:
    return tuple(line.decode() for line in content.split(_NAME_END)[:-1])


_ASKED = {
    Ask.TRUSTED: 1,
    Ask.PLAN: 1,
    Ask.CUBIN: 1,
    Ask.BUFFER: 4,
    Ask.SET_UP: 0,
    Ask.CALL: 5,
    Ask.ROW: 1,
    Ask.GO: 0,
    Ask.COUNT: 1,
    Ask.READ: 0,
    Ask.END: 0,
}


def _written(
    layout: struct.Struct, mark: bytes, room: int, kind: int, frame: Request | Answer
) -> bytes:
    padding = (0,) * (room - len(frame.numbers))
    return layout.pack(mark, kind, 0, frame.sequence, *frame.numbers, *padding)


def _read(layout: struct.Struct, mark: bytes, content: bytes) -> tuple[int, int, tuple[int, ...]]:
    if len(content) != layout.size:
        raise BadFrame(f"has {len(content)} bytes and not {layout.size}")
    seen, kind, spare, sequence, *numbers = layout.unpack(content)
    if seen != mark or spare:
        raise BadFrame("does not begin as a frame does")
    return kind, sequence, tuple(numbers)
