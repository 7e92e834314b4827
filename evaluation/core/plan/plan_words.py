"""A plan for people: what is set up, then what every call does, in numbered lines.

Names are the candidate's: escaped, shortened, and never more than a line.
"""

from collections.abc import Iterator

from evaluation.core.catalogue.function_attributes import SETTABLE
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    Assumption,
    AttributeStep,
    ByteRange,
    CopyStep,
    FreeStep,
    LaunchStep,
    MapEncode,
    MapStep,
    MemsetStep,
    PayloadStep,
    Place,
    Plan,
    Space,
    Step,
    Template,
)
from evaluation.core.quoting import quoted
from evaluation.core.record.map_tokens import TOKEN_BYTES
from evaluation.core.record.relocation import POINTER_BYTES

_TYPES = (
    *("uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"),
    *("bfloat16", "float32 ftz", "tf32", "tf32 ftz", "16 x u4", "16 x u4 padded", "16 x u6 padded"),
)
_INTERLEAVES = ("no interleave", "interleave 16 B", "interleave 32 B")
_SWIZZLES = (
    *("no swizzle", "swizzle 32 B", "swizzle 64 B", "swizzle 128 B"),
    *("swizzle 128 B by 32 B", "swizzle 128 B by 32 B flipped", "swizzle 128 B by 64 B"),
)
_INTEGERS = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}
_LIMIT_LINES = 2000
_LIMIT_HEX_BYTES = 32
_LIMIT_PARTS = 64  # pointers or maps listed of one step


def describe_plan(plan: Plan) -> str:
    """Describe a whole plan in at most some thousand lines."""
    lines = list(_lines(plan))
    if len(lines) > _LIMIT_LINES:
        lines = [*lines[:_LIMIT_LINES], f"... {len(lines) - _LIMIT_LINES} more lines"]
    return "\n".join(lines) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    yield f"Launch plan of {quoted(plan.problem)} version {plan.problem_version}"
    yield f"for {plan.target}, device {quoted(plan.device)}, toolchain {quoted(plan.toolchain)}"
    yield f"cubin {plan.cubin_sha256}"
    yield ""
    yield "Arguments"
    for one in plan.arguments:
        kind = "output" if one.is_output else "input"
        yield f"  {one.index} {_plain(one.name)}: {kind}, {one.size} bytes"
    for symbol in plan.symbols:
        yield f"  symbol {quoted(symbol.name)}: {symbol.space} memory, {symbol.size} bytes"
    for name, size in (
        ("of the stack of a thread", plan.stack_bytes),
        ("of the heap", plan.heap_bytes),
    ):
        if size:
            yield f"  limit {name}: {size} bytes"
    words = _Words(plan)
    for title, steps in (("Set-up, once", plan.setup), ("Every call", plan.steady)):
        yield ""
        yield title if steps else f"{title}: nothing"
        for number, step in enumerate(steps, start=1):
            yield from words.step(number, step)
    yield ""
    yield from _assumptions(plan)
    if plan.notes:
        yield "Notes: " + ", ".join(quoted(one) for one in plan.notes)


def _assumptions(plan: Plan) -> Iterator[str]:
    if not plan.assumptions:
        yield "The host code asked nothing about the device."
        return
    yield "The host code asked, and the plan holds where the device answers the same"
    for one in plan.assumptions:
        yield f"  {_question(one)}"


def _question(one: Assumption) -> str:
    asked = ", ".join(_value(each) for each in one.arguments)
    answer = ", ".join(_value(each) for each in one.answer)
    return f"{one.call}({asked}) = {answer}"


def _value(value: int | str) -> str:
    return quoted(value) if isinstance(value, str) else str(value)


class _Words:
    """Knows the names of a plan's arguments and the layout of its kernels."""

    def __init__(self, plan: Plan) -> None:
        self.arguments = {one.index: _plain(one.name) for one in plan.arguments}
        self.functions = {one.name: one for one in plan.functions}

    def step(self, number: int, step: Step) -> Iterator[str]:
        first, *rest = self._step(step)
        yield f"{number:>3}. {first}"
        for line in rest:
            yield f"       {line}"

    def _step(self, step: Step) -> Iterator[str]:
        match step:
            case AllocStep():
                yield f"allocate {step.size} bytes as allocation {step.allocation}"
            case FreeStep():
                yield f"free allocation {step.allocation}"
            case AttributeStep():
                name = SETTABLE.get(step.attribute, f"attribute {step.attribute}")
                yield f"set {name} of {quoted(step.function)} to {step.value}"
            case MapStep():
                yield f"encode tensor map {step.map}: {self._encode(step.encode)}"
            case LaunchStep():
                yield from self._launch(step)
            case _:
                yield from self._transfer(step)

    def _transfer(self, step: MemsetStep | PayloadStep | CopyStep) -> Iterator[str]:
        to = self.place(step.destination)
        rows = "" if step.rows == 1 else f" in each of {step.rows} rows"
        match step:
            case MemsetStep():
                what = f"{step.columns} elements of {step.width} bytes"
                yield f"set {what}{rows} to {step.value:#x} at {to}"
            case PayloadStep():
                yield f"copy {step.columns} bytes{rows} from the plan to {to}"
                yield from self._holes(step.payload)
            case _:
                source = self.place(step.source)
                yield f"copy {step.columns} bytes{rows} from {source} to {to}"

    def _launch(self, step: LaunchStep) -> Iterator[str]:
        kind = "launch cooperatively" if step.cooperative else "launch"
        sizes = f"grid {_by(step.grid)}, block {_by(step.block)}, {step.shared} bytes shared"
        yield f"{kind} {quoted(step.function)}: {sizes}"
        for one in step.settings:
            yield f"{str(one.attribute).replace('_', ' ')} {_by(one.value)}"
        function = self.functions.get(step.function)
        for ordinal, part in enumerate(function.parameters if function else ()):
            yield f"parameter {ordinal}: {self._parameter(step, part)}"
        for hole in step.undetermined:
            yield f"bytes {hole.start} to {hole.end - 1} vary from run to run and are zero"

    def _parameter(self, step: LaunchStep, part: ByteRange) -> str:
        """Decode one parameter by what stands in its bytes; a struct shows what it holds."""
        size = part.end - part.start
        held = list(self._held(step, part))[:_LIMIT_PARTS]
        rest = bytearray(step.parameters.content[part.start : part.end])
        words = []
        for at, width, what in held:
            words.append(what if width == size else f"at byte {at} {what}")
            rest[at : at + width] = bytes(width)
        if not words and size in _INTEGERS:
            value = int.from_bytes(rest, "little", signed=True)
            return f"{_INTEGERS[size]} {value}"
        if not words or any(rest):
            words.append(f"{size} bytes {_hex(rest)}")
        return "; ".join(words)

    def _held(self, step: LaunchStep, part: ByteRange) -> Iterator[tuple[int, int, str]]:
        """Give place, width and words of the pointers, maps and counters inside a parameter."""
        template = step.parameters
        inside = range(part.start, part.end)
        for one in template.relocations:
            if one.at in inside:
                yield one.at - part.start, POINTER_BYTES, f"pointer to {self.place(one.to)}"
        for use in template.maps:
            if use.at in inside:
                yield use.at - part.start, TOKEN_BYTES, f"tensor map {use.map}"
        for rule in step.stepping:
            if rule.at in inside:
                value = template.content[rule.at : rule.at + rule.width]
                kind = _INTEGERS.get(rule.width, "integer")
                start = int.from_bytes(value, "little", signed=True)
                yield rule.at - part.start, rule.width, f"{kind} {start}, then {rule.pace}"

    def _holes(self, template: Template) -> Iterator[str]:
        for one in template.relocations[:_LIMIT_PARTS]:
            yield f"byte {one.at}: pointer to {self.place(one.to)}"
        for use in template.maps[:_LIMIT_PARTS]:
            yield f"byte {use.at}: tensor map {use.map}"
        kinds = (len(template.relocations), len(template.maps))
        more = sum(max(count - _LIMIT_PARTS, 0) for count in kinds)
        if more:
            yield f"and {more} more pointers or maps"

    def _encode(self, encode: MapEncode) -> str:
        return ", ".join(
            (
                self.place(encode.address),
                f"{encode.mode} {_name(_TYPES, encode.data_type)}",
                f"dims {_by(encode.dims)}",
                f"strides {_by(encode.strides)} bytes" if encode.strides else "one row",
                f"box {_by(encode.box)}" if encode.box else f"{encode.pixels} pixels",
                _name(_SWIZZLES, encode.swizzle),
                _name(_INTERLEAVES, encode.interleave),
            )
        )

    def place(self, place: Place) -> str:
        spots = [self._address(one) for one in place]
        return spots[0] if len(spots) == 1 else ", then ".join(spots) + ", in turn"

    def _address(self, address: Address) -> str:
        match address.space:
            case Space.ARGUMENT:
                base = self.arguments.get(address.number, f"argument {address.number}")
            case Space.ALLOCATION:
                base = f"allocation {address.number}"
            case _:
                base = f"symbol {quoted(address.name)}"
        return f"{base} + {address.offset}"


def _plain(name: str) -> str:
    """Leave a name of the problem as it is, if it is the plain word that such names are."""
    return name if name.isidentifier() and name.isascii() and len(name) < 80 else quoted(name)


def _hex(content: bytes | bytearray) -> str:
    more = len(content) - _LIMIT_HEX_BYTES
    return content[:_LIMIT_HEX_BYTES].hex() + (f" and {more} more" if more > 0 else "")


def _name(names: tuple[str, ...], number: int) -> str:
    return names[number] if number < len(names) else f"number {number}"


def _by(sides: tuple[int, ...]) -> str:
    return " x ".join(str(side) for side in sides)
