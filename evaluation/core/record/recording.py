"""A raw recording as data (docs/recording.md). It is the author's document and may hold anything."""

from dataclasses import dataclass, field
from enum import StrEnum


class AllocKind(StrEnum):
    """HOST is plain memory of the author's process; the others are device memory."""

    DEVICE = "device"
    ASYNC = "async"
    HOST = "host"
    ENVIRONMENT = "environment"


class MapMode(StrEnum):
    TILED = "tiled"
    IM2COL = "im2col"


class Limited(StrEnum):
    """What cudaDeviceSetLimit bounds: local memory of a thread, memory that kernels allocate."""

    STACK = "stack"
    HEAP = "heap"


class Waited(StrEnum):
    STREAM = "stream"
    DEVICE = "device"
    EVENT = "event"


class EventAction(StrEnum):
    CREATE = "create"
    RECORD = "record"
    WAIT = "wait"
    DESTROY = "destroy"


@dataclass(frozen=True, slots=True)
class Buffer:
    """The token range of one tensor argument in one buffer set; sizes in bytes."""

    argument: int
    buffer_set: int
    base: int
    size: int


@dataclass(frozen=True, slots=True)
class SymbolRange:
    name: str
    base: int
    size: int


@dataclass(frozen=True, slots=True)
class Module:
    functions: tuple[str, ...]
    symbols: tuple[SymbolRange, ...]


@dataclass(frozen=True, slots=True)
class Alloc:
    number: int
    base: int
    size: int
    kind: AllocKind
    stream: int


@dataclass(frozen=True, slots=True)
class Free:
    number: int
    stream: int


@dataclass(frozen=True, slots=True)
class Attribute:
    function: str
    attribute: int
    value: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of the device as it is after host code has set it."""

    what: Limited
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Memset:
    """``rows`` rows of ``columns`` elements of ``width`` bytes, ``pitch`` bytes apart."""

    destination: int
    value: int
    width: int
    columns: int
    rows: int
    pitch: int
    stream: int


@dataclass(frozen=True, slots=True)
class Payload:
    """Host to device: ``rows`` rows of ``columns`` bytes, packed in ``content``."""

    destination: int
    content: bytes = field(repr=False)
    columns: int
    rows: int
    pitch: int
    stream: int


@dataclass(frozen=True, slots=True)
class Copy:
    """Device to device: ``rows`` rows of ``columns`` bytes."""

    destination: int
    source: int
    columns: int
    rows: int
    destination_pitch: int
    source_pitch: int
    stream: int


@dataclass(frozen=True, slots=True)
class Encode:
    """A tensor map was encoded; the numbers are the driver API's."""

    number: int
    mode: MapMode
    data_type: int
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    interleave: int
    swizzle: int
    l2: int
    fill: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    channels: int
    pixels: int


@dataclass(frozen=True, slots=True)
class LaunchOption:
    """A launch attribute by its cudaLaunchAttributeID."""

    number: int
    value: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    function: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    stream: int
    cooperative: bool
    attributes: tuple[LaunchOption, ...]
    parameters: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A question that the shim answered from the device table."""

    call: str
    arguments: tuple[int | str, ...]
    answer: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Synchronize:
    """The host waits; ``stream`` and ``event`` count only where ``what`` is their kind."""

    what: Waited
    stream: int
    event: int


@dataclass(frozen=True, slots=True)
class EventUse:
    number: int
    action: EventAction
    stream: int


@dataclass(frozen=True, slots=True)
class StreamUse:
    number: int
    created: bool
    non_blocking: bool  # not ordered with stream 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A driver entry point was asked for by name."""

    name: str
    found: bool


@dataclass(frozen=True, slots=True)
class HostRemark:
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that no launch plan can hold; the recording stopped here."""

    call: str
    why: str


@dataclass(frozen=True, slots=True)
class Crash:
    """The host code faulted; ``where`` names the token range that it touched, or is empty."""

    signal: int
    address: int
    where: str


Event = (
    Module
    | Alloc
    | Free
    | Attribute
    | Limit
    | Memset
    | Payload
    | Copy
    | Encode
    | Launch
    | Query
    | Synchronize
    | EventUse
    | StreamUse
    | Entry
    | HostRemark
)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of ``run`` and what it did; call 0 is loading. ``status`` is None if none came."""

    number: int
    buffer_set: int
    events: tuple[Event, ...]
    status: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Recording:
    """One process. ``stopped`` says what ended it before its time; ``ended`` that it ran through."""

    nonce: bytes
    announced: int  # calls the driver meant to make
    buffers: tuple[Buffer, ...]
    calls: tuple[Call, ...]  # call 0 first
    stopped: Refused | Crash | None
    ended: bool

    @property
    def events(self) -> tuple[Event, ...]:
        """Every event in order, loading included."""
        return tuple(event for call in self.calls for event in call.events)
