"""One line of a recording to one event: keys, types and ranges of docs/recording.md."""

from collections.abc import Callable

from evaluation.core.plan.plan_limits import PAYLOAD_BYTES
from evaluation.core.record.recording import (
    Alloc,
    AllocKind,
    Attribute,
    Buffer,
    Copy,
    Crash,
    Encode,
    Entry,
    Event,
    EventAction,
    EventUse,
    Free,
    HostRemark,
    Launch,
    LaunchOption,
    Limit,
    Limited,
    MapMode,
    Memset,
    Module,
    Payload,
    Query,
    Refused,
    StreamUse,
    SymbolRange,
    Synchronize,
    Waited,
)
from evaluation.core.strict_json import I32, U32, U64, Fields

PARAMETER_LIMIT_BYTES = 32 * 1024  # the driver takes 32,764
ADDRESS_END = 2**47  # tokens lie below
ALIGNMENT_BYTES = 256  # of every base, and what a launcher's buffers have
MAP_RANK = 5
STACK_LIMIT_BYTES = 64 * 1024  # of a thread; the shim caps what is asked for (rule L10)

_STREAMS = 4096
_NAMES = 4096
_TEXT = 4000
_DETAIL = 400


def read_buffer(fields: Fields) -> Buffer:
    fields.exactly("e", "argument", "set", "base", "size")
    base, size = _range(fields)
    return Buffer(fields.integer("argument", high=255), fields.integer("set", high=1), base, size)


def read_refused(fields: Fields) -> Refused:
    fields.exactly("e", "call", "why")
    return Refused(fields.text("call", limit=_DETAIL), fields.text("why", limit=_TEXT))


def read_crash(fields: Fields) -> Crash:
    fields.exactly("e", "signal", "address", "where")
    return Crash(
        fields.integer("signal", high=64),
        fields.integer("address"),
        fields.text("where", limit=5000),
    )


def read_event(kind: str, fields: Fields) -> Event | None:
    """Read an event that a call may hold; None where ``kind`` is none of them."""
    reader = _READERS.get(kind)
    return None if reader is None else reader(fields)


def _module(fields: Fields) -> Module:
    fields.exactly("e", "functions", "symbols")
    return Module(
        functions=fields.names("functions", most=_NAMES),
        symbols=tuple(_symbol(one) for one in fields.children("symbols", most=_NAMES)),
    )


def _symbol(fields: Fields) -> SymbolRange:
    fields.exactly("name", "base", "size")
    base, size = _range(fields)
    return SymbolRange(fields.name("name"), base, size)


def _alloc(fields: Fields) -> Alloc:
    fields.exactly("e", "id", "base", "size", "kind", "stream")
    kind = AllocKind(fields.one_of("kind", tuple(AllocKind)))
    if kind is AllocKind.HOST:  # a real address of the author's process, aligned as malloc does
        base, size = fields.integer("base"), fields.integer("size", high=ADDRESS_END)
    else:
        base, size = _range(fields)
    return Alloc(fields.integer("id", high=U32), base, size, kind, _stream(fields))


def _free(fields: Fields) -> Free:
    fields.exactly("e", "id", "stream")
    return Free(fields.integer("id", high=U32), _stream(fields))


def _attribute(fields: Fields) -> Attribute:
    fields.exactly("e", "function", "attribute", "value")
    return Attribute(
        fields.name("function"),
        fields.integer("attribute", high=255),
        fields.integer("value", low=-I32 - 1, high=I32),
    )


def _limit(fields: Fields) -> Limit:
    fields.exactly("e", "what", "bytes")
    what = Limited(fields.one_of("what", tuple(Limited)))
    most = STACK_LIMIT_BYTES if what is Limited.STACK else U64
    return Limit(what, fields.integer("bytes", high=most))


def _memset(fields: Fields) -> Memset:
    fields.exactly("e", "destination", "value", "width", "columns", "rows", "pitch", "stream")
    return Memset(
        destination=fields.integer("destination"),
        value=fields.integer("value", high=U32),
        width=fields.integer("width", low=1, high=4),
        columns=fields.integer("columns", high=ADDRESS_END),
        rows=fields.integer("rows", high=U32),
        pitch=fields.integer("pitch", high=ADDRESS_END),
        stream=_stream(fields),
    )


def _payload(fields: Fields) -> Payload:
    fields.exactly("e", "destination", "hex", "columns", "rows", "pitch", "stream")
    payload = Payload(
        destination=fields.integer("destination"),
        content=fields.hexadecimal("hex", limit_bytes=PAYLOAD_BYTES),
        columns=fields.integer("columns", high=PAYLOAD_BYTES),
        rows=fields.integer("rows", high=U32),
        pitch=fields.integer("pitch", high=ADDRESS_END),
        stream=_stream(fields),
    )
    if payload.columns * payload.rows != len(payload.content):
        raise fields.broken("hex", "must hold rows times columns bytes")
    return payload


def _copy(fields: Fields) -> Copy:
    keys = ("destination", "source", "columns", "rows", "destination_pitch", "source_pitch")
    fields.exactly("e", *keys, "stream")
    return Copy(
        destination=fields.integer("destination"),
        source=fields.integer("source"),
        columns=fields.integer("columns", high=ADDRESS_END),
        rows=fields.integer("rows", high=U32),
        destination_pitch=fields.integer("destination_pitch", high=ADDRESS_END),
        source_pitch=fields.integer("source_pitch", high=ADDRESS_END),
        stream=_stream(fields),
    )


_MAP_KEYS = (
    *("e", "id", "mode", "data_type", "rank", "address", "dims", "strides", "box"),
    *("element_strides", "interleave", "swizzle", "l2", "fill"),
)
_IM2COL_KEYS = ("lower", "upper", "channels", "pixels")


def _map(fields: Fields) -> Encode:
    mode = MapMode(fields.one_of("mode", tuple(MapMode)))
    im2col = mode is MapMode.IM2COL
    fields.exactly(*_MAP_KEYS, *(_IM2COL_KEYS if im2col else ()))
    rank = fields.integer("rank", low=1, high=MAP_RANK)
    corner = max(rank - 2, 0) if im2col else 0
    box = 0 if im2col else rank
    return Encode(
        number=fields.integer("id", high=U32),
        mode=mode,
        data_type=fields.integer("data_type", high=255),
        address=fields.integer("address"),
        dims=fields.integers("dims", least=rank, most=rank),
        strides=fields.integers("strides", least=rank - 1, most=rank - 1),
        box=fields.integers("box", least=box, most=box, high=U32),
        element_strides=fields.integers("element_strides", least=rank, most=rank, high=U32),
        interleave=fields.integer("interleave", high=255),
        swizzle=fields.integer("swizzle", high=255),
        l2=fields.integer("l2", high=255),
        fill=fields.integer("fill", high=255),
        lower=_corner(fields, "lower", corner) if im2col else (),
        upper=_corner(fields, "upper", corner) if im2col else (),
        channels=fields.integer("channels", high=U32) if im2col else 0,
        pixels=fields.integer("pixels", high=U32) if im2col else 0,
    )


def _corner(fields: Fields, key: str, size: int) -> tuple[int, ...]:
    return fields.integers(key, least=size, most=size, low=-I32 - 1, high=I32)


def _launch(fields: Fields) -> Launch:
    fields.exactly(
        *("e", "function", "grid", "block", "shared", "stream"),
        *("cooperative", "attributes", "parameters"),
    )
    return Launch(
        function=fields.name("function"),
        grid=fields.triple("grid"),
        block=fields.triple("block"),
        shared=fields.integer("shared", high=U32),
        stream=_stream(fields),
        cooperative=fields.flag("cooperative"),
        attributes=tuple(_option(one) for one in fields.children("attributes", most=32)),
        parameters=fields.hexadecimal("parameters", limit_bytes=PARAMETER_LIMIT_BYTES),
    )


def _option(fields: Fields) -> LaunchOption:
    fields.exactly("id", "value")
    return LaunchOption(fields.integer("id", high=255), fields.integers("value", most=4))


def _query(fields: Fields) -> Query:
    fields.exactly("e", "call", "arguments", "answer")
    return Query(
        fields.word("call"),
        fields.answers("arguments", most=16),
        fields.answers("answer", most=16),
    )


def _synchronize(fields: Fields) -> Synchronize:
    fields.exactly("e", "what", "stream", "event")
    return Synchronize(
        Waited(fields.one_of("what", tuple(Waited))),
        _stream(fields),
        fields.integer("event", high=U32),
    )


def _event(fields: Fields) -> EventUse:
    fields.exactly("e", "id", "action", "stream")
    return EventUse(
        fields.integer("id", high=U32),
        EventAction(fields.one_of("action", tuple(EventAction))),
        _stream(fields),
    )


def _stream_use(fields: Fields) -> StreamUse:
    fields.exactly("e", "id", "action", "non_blocking")
    return StreamUse(
        fields.integer("id", high=_STREAMS),
        fields.one_of("action", ("create", "destroy")) == "create",
        fields.flag("non_blocking"),
    )


def _entry(fields: Fields) -> Entry:
    fields.exactly("e", "name", "found")
    return Entry(fields.text("name", limit=_DETAIL), fields.flag("found"))


def _remark(fields: Fields) -> HostRemark:
    fields.exactly("e", "kind", "detail")
    return HostRemark(fields.word("kind", limit=48), fields.text("detail", limit=_DETAIL))


def _stream(fields: Fields) -> int:
    return fields.integer("stream", high=_STREAMS)


def _range(fields: Fields) -> tuple[int, int]:
    """Read base and size of a token range: aligned, and below the tokens' end."""
    base = fields.integer("base", low=ALIGNMENT_BYTES, high=ADDRESS_END)
    size = fields.integer("size", high=ADDRESS_END)
    if base % ALIGNMENT_BYTES or base + size > ADDRESS_END:
        raise fields.broken("base", "must be a multiple of 256 whose range ends below 2^47")
    return base, size


_READERS: dict[str, Callable[[Fields], Event]] = {
    "module": _module,
    "alloc": _alloc,
    "free": _free,
    "attribute": _attribute,
    "limit": _limit,
    "memset": _memset,
    "payload": _payload,
    "copy": _copy,
    "map": _map,
    "launch": _launch,
    "query": _query,
    "synchronize": _synchronize,
    "event": _event,
    "stream": _stream_use,
    "entry": _entry,
    "remark": _remark,
}
