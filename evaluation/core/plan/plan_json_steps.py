"""Steps of a plan to JSON objects and back.

A cycle of addresses is two lists side by side, ``{"base": ["allocation:0", "allocation:1"],
"offset": [0, 64]}``, which keeps documents six levels deep.
"""

from collections.abc import Callable

from evaluation.core.plan.plan import (
    LIMIT_CYCLE,
    Address,
    AllocStep,
    AttributeStep,
    ByteRange,
    CopyStep,
    FreeStep,
    LaunchAttribute,
    LaunchSetting,
    LaunchStep,
    MapEncode,
    MapStep,
    MapUse,
    MemsetStep,
    PayloadStep,
    Place,
    Relocation,
    Space,
    Step,
    Stepping,
    Template,
)
from evaluation.core.plan.plan_limits import PAYLOAD_BYTES, RANGES, RELOCATIONS, SETUP_STEPS
from evaluation.core.record.recording import MapMode
from evaluation.core.record.recording_events import MAP_RANK, PARAMETER_LIMIT_BYTES
from evaluation.core.strict_json import I32, LIMIT_NAME_BYTES, U32, Fields

Json = dict[str, object]

_BASE_BYTES = LIMIT_NAME_BYTES + len("symbol:")
_NUMBERS = 20_000  # allocations or maps; far more than steps are allowed
_MAP_LISTS = ("dims", "strides", "box", "element_strides", "lower", "upper")
_MAP_NUMBERS = ("data_type", "interleave", "swizzle", "l2", "fill", "channels", "pixels")


def write_step(step: Step) -> Json:
    """Write one step as an object whose ``step`` names its kind."""
    match step:
        case AllocStep():
            return {"step": "alloc", "allocation": step.allocation, "size": step.size}
        case FreeStep():
            return {"step": "free", "allocation": step.allocation}
        case AttributeStep():
            return {
                "step": "attribute",
                "function": step.function,
                "attribute": step.attribute,
                "value": step.value,
            }
        case MapStep():
            return {"step": "map", "map": step.map} | _write_encode(step.encode)
        case LaunchStep():
            return {"step": "launch"} | _write_launch(step)
        case _:
            return _write_transfer(step)


def read_step(fields: Fields) -> Step:
    """Read one step or raise InvalidInput with its place."""
    return _READERS[fields.one_of("step", tuple(_READERS))](fields)


def write_range(one: ByteRange) -> Json:
    return {"start": one.start, "end": one.end}


def read_range(fields: Fields) -> ByteRange:
    fields.exactly("start", "end")
    limit = PARAMETER_LIMIT_BYTES
    return ByteRange(fields.integer("start", high=limit), fields.integer("end", high=limit))


def _write_transfer(step: MemsetStep | PayloadStep | CopyStep) -> Json:
    rows: Json = {"columns": step.columns, "rows": step.rows}
    rows["destination"] = _write_place(step.destination)
    match step:
        case MemsetStep():
            numbers = {"value": step.value, "width": step.width, "pitch": step.pitch}
            return {"step": "memset"} | rows | numbers
        case PayloadStep():
            return {"step": "payload", "pitch": step.pitch} | rows | _write_template(step.payload)
        case _:
            pitches = {
                "destination_pitch": step.destination_pitch,
                "source_pitch": step.source_pitch,
            }
            return {"step": "copy", "source": _write_place(step.source)} | rows | pitches


def _write_launch(step: LaunchStep) -> Json:
    settings = [
        {"attribute": str(one.attribute), "value": list(one.value)} for one in step.settings
    ]
    stepping = [{"at": one.at, "width": one.width, "step": one.step} for one in step.stepping]
    launch: Json = {
        "function": step.function,
        "grid": list(step.grid),
        "block": list(step.block),
        "shared": step.shared,
        "cooperative": step.cooperative,
        "settings": settings,
        "undetermined": [write_range(one) for one in step.undetermined],
        "stepping": stepping,
    }
    return launch | _write_template(step.parameters)


def _write_template(template: Template) -> Json:
    return {
        "bytes": template.content.hex(),
        "relocations": [{"at": one.at} | _write_place(one.to) for one in template.relocations],
        "maps": [{"at": one.at, "map": one.map} for one in template.maps],
    }


def _write_encode(encode: MapEncode) -> Json:
    written: Json = {"mode": str(encode.mode), "address": _write_place(encode.address)}
    written |= {name: list(getattr(encode, name)) for name in _MAP_LISTS}
    return written | {name: getattr(encode, name) for name in _MAP_NUMBERS}


def _write_place(place: Place) -> Json:
    return {"base": [one.base for one in place], "offset": [one.offset for one in place]}


def _read_alloc(fields: Fields) -> AllocStep:
    fields.exactly("step", "allocation", "size")
    return AllocStep(fields.integer("allocation", high=_NUMBERS), fields.integer("size"))


def _read_free(fields: Fields) -> FreeStep:
    fields.exactly("step", "allocation")
    return FreeStep(fields.integer("allocation", high=_NUMBERS))


def _read_attribute(fields: Fields) -> AttributeStep:
    fields.exactly("step", "function", "attribute", "value")
    return AttributeStep(
        fields.name("function"),
        fields.integer("attribute", high=255),
        fields.integer("value", low=-I32 - 1, high=I32),
    )


def _read_memset(fields: Fields) -> MemsetStep:
    fields.exactly("step", "destination", "value", "width", "columns", "rows", "pitch")
    return MemsetStep(
        destination=_read_place(fields.child("destination")),
        value=fields.integer("value", high=U32),
        width=fields.integer("width", low=1, high=4),
        columns=fields.integer("columns"),
        rows=fields.integer("rows"),
        pitch=fields.integer("pitch"),
    )


def _read_payload(fields: Fields) -> PayloadStep:
    keys = ("destination", "columns", "rows", "pitch", "bytes", "relocations", "maps")
    fields.exactly("step", *keys)
    return PayloadStep(
        destination=_read_place(fields.child("destination")),
        payload=_read_template(fields, PAYLOAD_BYTES),
        columns=fields.integer("columns"),
        rows=fields.integer("rows"),
        pitch=fields.integer("pitch"),
    )


def _read_copy(fields: Fields) -> CopyStep:
    pitches = ("destination_pitch", "source_pitch")
    fields.exactly("step", "destination", "source", "columns", "rows", *pitches)
    return CopyStep(
        destination=_read_place(fields.child("destination")),
        source=_read_place(fields.child("source")),
        columns=fields.integer("columns"),
        rows=fields.integer("rows"),
        destination_pitch=fields.integer("destination_pitch"),
        source_pitch=fields.integer("source_pitch"),
    )


def _read_map(fields: Fields) -> MapStep:
    fields.exactly("step", "map", "mode", "address", *_MAP_LISTS, *_MAP_NUMBERS)
    encode = MapEncode(
        mode=MapMode(fields.one_of("mode", tuple(MapMode))),
        data_type=fields.integer("data_type", high=255),
        address=_read_place(fields.child("address")),
        dims=fields.integers("dims", least=1, most=MAP_RANK),
        strides=fields.integers("strides", most=MAP_RANK - 1),
        box=fields.integers("box", most=MAP_RANK),
        element_strides=fields.integers("element_strides", least=1, most=MAP_RANK),
        interleave=fields.integer("interleave", high=255),
        swizzle=fields.integer("swizzle", high=255),
        l2=fields.integer("l2", high=255),
        fill=fields.integer("fill", high=255),
        lower=fields.integers("lower", most=MAP_RANK, low=-I32 - 1, high=I32),
        upper=fields.integers("upper", most=MAP_RANK, low=-I32 - 1, high=I32),
        channels=fields.integer("channels", high=U32),
        pixels=fields.integer("pixels", high=U32),
    )
    return MapStep(fields.integer("map", high=_NUMBERS), encode)


def _read_launch(fields: Fields) -> LaunchStep:
    fields.exactly(
        *("step", "function", "grid", "block", "shared", "cooperative", "settings"),
        *("bytes", "relocations", "maps", "undetermined", "stepping"),
    )
    return LaunchStep(
        function=fields.name("function"),
        grid=fields.triple("grid"),
        block=fields.triple("block"),
        shared=fields.integer("shared", high=U32),
        cooperative=fields.flag("cooperative"),
        settings=tuple(_read_setting(one) for one in fields.children("settings", most=4)),
        parameters=_read_template(fields, PARAMETER_LIMIT_BYTES),
        undetermined=tuple(read_range(one) for one in fields.children("undetermined", most=RANGES)),
        stepping=tuple(_read_stepping(one) for one in fields.children("stepping", most=RANGES)),
    )


def _read_setting(fields: Fields) -> LaunchSetting:
    fields.exactly("attribute", "value")
    attribute = LaunchAttribute(fields.one_of("attribute", tuple(LaunchAttribute)))
    return LaunchSetting(attribute, fields.integers("value", least=1, most=3, high=U32))


def _read_stepping(fields: Fields) -> Stepping:
    fields.exactly("at", "width", "step")
    return Stepping(
        at=fields.integer("at", high=PARAMETER_LIMIT_BYTES),
        width=fields.integer("width", high=8),
        step=fields.integer("step"),
    )


def _read_template(fields: Fields, limit_bytes: int) -> Template:
    return Template(
        content=fields.hexadecimal("bytes", limit_bytes=limit_bytes),
        relocations=tuple(
            _read_relocation(one, limit_bytes)
            for one in fields.children("relocations", most=RELOCATIONS)
        ),
        maps=tuple(
            _read_use(one, limit_bytes) for one in fields.children("maps", most=RELOCATIONS)
        ),
    )


def _read_relocation(fields: Fields, limit_bytes: int) -> Relocation:
    fields.exactly("at", "base", "offset")
    return Relocation(fields.integer("at", high=limit_bytes), _addresses(fields))


def _read_use(fields: Fields, limit_bytes: int) -> MapUse:
    fields.exactly("at", "map")
    return MapUse(fields.integer("at", high=limit_bytes), fields.integer("map", high=SETUP_STEPS))


def _read_place(fields: Fields) -> Place:
    fields.exactly("base", "offset")
    return _addresses(fields)


def _addresses(fields: Fields) -> Place:
    bases = fields.names("base", least=1, most=LIMIT_CYCLE, limit_bytes=_BASE_BYTES)
    offsets = fields.integers("offset", least=len(bases), most=len(bases))
    return tuple(
        _address(fields, base, offset) for base, offset in zip(bases, offsets, strict=True)
    )


def _address(fields: Fields, base: str, offset: int) -> Address:
    word, _, rest = base.partition(":")
    if word == Space.SYMBOL and rest:
        return Address(Space.SYMBOL, 0, rest, offset)
    if word in (Space.ARGUMENT, Space.ALLOCATION) and rest.isascii() and rest.isdigit():
        number = int(rest) if len(rest) < len(str(U32)) else U32
        if str(number) == rest:
            return Address(Space(word), number, "", offset)
    raise fields.broken("base", "must be argument:N, allocation:N or symbol:NAME")


_READERS: dict[str, Callable[[Fields], Step]] = {
    "alloc": _read_alloc,
    "free": _read_free,
    "attribute": _read_attribute,
    "memset": _read_memset,
    "payload": _read_payload,
    "copy": _read_copy,
    "map": _read_map,
    "launch": _read_launch,
}
