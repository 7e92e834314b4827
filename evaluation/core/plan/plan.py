"""The launch plan: what the calls of a kernel do on the GPU, as data (docs/plan.md).

A plan is the author's word, written in the author's address space. Its vocabulary is closed, and
``plan_rules`` checks every number of it against the cubin, the problem and the device.
"""

from dataclasses import dataclass, field, replace
from enum import StrEnum, unique

from evaluation.core.record.recording import MapMode
from evaluation.core.verdict import Target

VERSION = 1
LIMIT_CYCLE = 4  # positions a pointer into own memory may go round


@unique
class Space(StrEnum):
    """What a plan's address may stand in: nothing else exists on the device for a kernel."""

    ARGUMENT = "argument"
    ALLOCATION = "allocation"
    SYMBOL = "symbol"


@dataclass(frozen=True, slots=True)
class Address:
    """``offset`` bytes into argument or allocation ``number``, or into the symbol ``name``."""

    space: Space
    number: int
    name: str
    offset: int

    @property
    def base(self) -> str:
        """What a document and a person read: ``argument:0``, ``allocation:3``, ``symbol:table``."""
        return f"{self.space}:{self.name if self.space is Space.SYMBOL else self.number}"


Place = tuple[Address, ...]
"""One address for each position of a cycle of calls: call ``c``, from 0, takes ``c % len``."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """A pointer of 8 bytes, little endian, at byte ``at``."""

    at: int
    to: Place


@dataclass(frozen=True, slots=True)
class MapUse:
    """The 128 bytes of tensor map ``map`` of the same step list, at byte ``at``."""

    at: int
    map: int


@dataclass(frozen=True, slots=True)
class Template:
    """Bytes with holes: zero where a pointer or a tensor map is to be written."""

    content: bytes = field(repr=False)
    relocations: tuple[Relocation, ...] = ()
    maps: tuple[MapUse, ...] = ()


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from ``start`` up to but not including ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stepping:
    """A counter of the host code at byte ``at``, ``width`` bytes wide (rule L14).

    The template holds its value for call 0; call ``c`` has ``c * step`` more, modulo its width.
    """

    at: int
    width: int
    step: int

    @property
    def pace(self) -> str:
        """What a person reads: ``+1 a call``, and ``-1 a call`` for the largest step of a width."""
        modulus = 1 << 8 * self.width
        signed = self.step if self.step < modulus // 2 else self.step - modulus
        return f"{signed:+d} a call"


@dataclass(frozen=True, slots=True)
class MapEncode:
    """Arguments of cuTensorMapEncodeTiled or Im2col; numbers are the driver API's, strides bytes."""

    mode: MapMode
    data_type: int
    address: Place
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
class AllocStep:
    """``size`` bytes that addresses call ``allocation``, numbered from 0 through the whole plan."""

    allocation: int
    size: int


@dataclass(frozen=True, slots=True)
class FreeStep:
    allocation: int


@dataclass(frozen=True, slots=True)
class AttributeStep:
    """cudaFuncSetAttribute."""

    function: str
    attribute: int
    value: int


@dataclass(frozen=True, slots=True)
class MemsetStep:
    """``rows`` rows of ``columns`` elements of ``width`` bytes; ``pitch`` bytes from row to row."""

    destination: Place
    value: int
    width: int
    columns: int
    rows: int
    pitch: int


@dataclass(frozen=True, slots=True)
class PayloadStep:
    """Host to device: ``rows`` rows of ``columns`` bytes, packed in ``payload``."""

    destination: Place
    payload: Template
    columns: int
    rows: int
    pitch: int


@dataclass(frozen=True, slots=True)
class CopyStep:
    """Device to device: ``rows`` rows of ``columns`` bytes."""

    destination: Place
    source: Place
    columns: int
    rows: int
    destination_pitch: int
    source_pitch: int


@dataclass(frozen=True, slots=True)
class MapStep:
    """Encode tensor map ``map``; later steps of the same list may hold it."""

    map: int
    encode: MapEncode


class LaunchAttribute(StrEnum):
    """The launch attributes a plan may hold; cooperative is a field of its own."""

    CLUSTER = "cluster"
    PREFERRED_CLUSTER = "preferred_cluster"
    CLUSTER_POLICY = "cluster_policy"
    PROGRAMMATIC_SERIALIZATION = "programmatic_serialization"


@dataclass(frozen=True, slots=True)
class LaunchSetting:
    """``value`` is x, y, z for the two cluster sizes, else one number."""

    attribute: LaunchAttribute
    value: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaunchStep:
    """``undetermined`` bytes varied from run to run, no rule says what they are, and they are zero."""

    function: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int  # dynamic shared memory in bytes
    cooperative: bool
    settings: tuple[LaunchSetting, ...]
    parameters: Template
    undetermined: tuple[ByteRange, ...] = ()
    stepping: tuple[Stepping, ...] = ()


Step = (
    AllocStep
    | FreeStep
    | AttributeStep
    | MemsetStep
    | PayloadStep
    | CopyStep
    | MapStep
    | LaunchStep
)


@dataclass(frozen=True, slots=True)
class PlanArgument:
    """A tensor argument; ``index`` counts all arguments of ``run``, scalars too. Size in bytes."""

    index: int
    name: str
    is_output: bool
    size: int


@dataclass(frozen=True, slots=True)
class PlanFunction:
    """A kernel the plan names, with the places of its parameters inside the block."""

    name: str
    parameters: tuple[ByteRange, ...]


@dataclass(frozen=True, slots=True)
class PlanSymbol:
    name: str
    space: str  # global or constant
    size: int


@dataclass(frozen=True, slots=True)
class Assumption:
    """The host code asked, the device table answered; the real device must answer the same."""

    call: str
    arguments: tuple[int | str, ...]
    answer: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Set-up once, then the steady steps for every call; a call's memory is given back in it.

    ``stack_bytes`` (of a thread) and ``heap_bytes`` are limits of the device, set before anything; 0 is its own.
    """

    problem: str
    problem_version: int
    target: Target
    device: str
    toolchain: str
    cubin_sha256: str
    arguments: tuple[PlanArgument, ...]
    functions: tuple[PlanFunction, ...]
    symbols: tuple[PlanSymbol, ...]
    assumptions: tuple[Assumption, ...]
    setup: tuple[Step, ...]
    steady: tuple[Step, ...]
    notes: tuple[str, ...]
    stack_bytes: int = 0
    heap_bytes: int = 0

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.setup + self.steady


def template_of(step: Step) -> Template | None:
    """Give the bytes a step carries, if it is a kind that carries bytes."""
    match step:
        case LaunchStep(parameters=template) | PayloadStep(payload=template):
            return template
        case _:
            return None


def direct_places(step: Step) -> tuple[Place, ...]:
    """Give the places a step names outside its bytes, destination first."""
    match step:
        case MemsetStep(destination=destination) | PayloadStep(destination=destination):
            return (destination,)
        case CopyStep(destination=destination, source=source):
            return (destination, source)
        case MapStep(encode=encode):
            return (encode.address,)
        case _:
            return ()


def addresses(step: Step) -> tuple[Address, ...]:
    """Give every address a step holds, direct or inside its bytes."""
    template = template_of(step)
    inside = tuple(one.to for one in template.relocations) if template else ()
    return tuple(address for place in direct_places(step) + inside for address in place)


def framed(step: Step) -> Step:
    """Give a step without its places and bytes: what is left must be equal in every call."""
    match step:
        case MemsetStep():
            return replace(step, destination=())
        case PayloadStep():
            return replace(step, destination=(), payload=Template(b""))
        case CopyStep():
            return replace(step, destination=(), source=())
        case LaunchStep():
            return replace(step, parameters=Template(b""), stepping=())
        case _:
            return step


def filled(step: Step, places: tuple[Place, ...], template: Template | None) -> Step:
    """Put other places and bytes into a step; the reverse of taking both out."""
    match step:
        case MemsetStep():
            return replace(step, destination=places[0])
        case PayloadStep() if template is not None:
            return replace(step, destination=places[0], payload=template)
        case CopyStep():
            return replace(step, destination=places[0], source=places[1])
        case LaunchStep() if template is not None:
            return replace(step, parameters=template)
        case _:
            return step
