"""Recordings written by hand for tests of the differ: one script, played in two processes.

Every range has another base in each process, all bytes above the lowest included, as
docs/recording.md promises.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evaluation.adapters.catalogue import packaged
from evaluation.core.binary.facts import (
    CubinFacts,
    DeviceSymbol,
    KernelFunction,
    KernelReads,
    Parameter,
)
from evaluation.core.plan.plan import Plan, PlanArgument
from evaluation.core.plan.plan_limits import DeviceLimits
from evaluation.core.record.map_tokens import token
from evaluation.core.record.record import NeedsNoise, PlanMade, make_plan
from evaluation.core.record.record_refusal import NotRecorded
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import Recording
from evaluation.core.record.recording_reader import read_recording
from evaluation.core.verdict import Target

CALLS = 8
GIB = 1024**3
NONCES = ("00112233445566778899aabbccddeeff", "f0e1d2c3b4a5968778695a4b3c2d1e0f")
ARGUMENTS = (
    PlanArgument(0, "A", is_output=False, size=4096),
    PlanArgument(1, "B", is_output=False, size=8192),
    PlanArgument(2, "C", is_output=True, size=4096),
)
LIMITS = DeviceLimits(
    multiprocessors=132,
    threads_per_multiprocessor=2048,
    blocks_per_multiprocessor=32,
    threads_per_block=1024,
    block=(1024, 1024, 64),
    grid=(2147483647, 65535, 65535),
    shared_bytes_plain=49152,
    shared_bytes_optin=232448,
    cluster_blocks_plain=8,
    cluster_blocks_optin=16,
)
H200 = packaged().device("h200")
SYMBOLS = (DeviceSymbol("table", "constant", 1024), DeviceSymbol("scratch", "global", 4096))

Wire = dict[str, object]


def kernel(name: str, *sizes: int, **changes: object) -> KernelFunction:
    """A kernel whose parameters of these sizes lie one after the other, each aligned as C would."""
    parameters = []
    end = 0
    for ordinal, size in enumerate(sizes):
        alignment = 64 if size % 64 == 0 else min(size & -size, 8)
        start = -(-end // alignment) * alignment
        parameters.append(Parameter(ordinal, start, size))
        end = start + size
    function = KernelFunction(
        name=name,
        parameters=tuple(parameters),
        parameter_base=0x380,  # as on sm_100; a multiple of 64 keeps the offsets of maps plain
        parameter_bytes=end,
        registers=32,
        static_shared_bytes=0,
        local_bytes=0,
        max_threads=0,
        cluster=None,
        code_bytes=256,
    )
    return replace(function, **changes)  # type: ignore[arg-type]


KERNELS = (
    kernel("k", 8, 8, 8, 4),  # A, B, C, n
    kernel("plain", 4),
    kernel("nothing"),
    kernel("mapped", 128, 8),
    kernel("maps3", 384, 8),
    kernel("packed", 24),
    kernel("wide", 8, 8),
    kernel("small", 2, 1, 1),
)


def exact(*functions: KernelFunction) -> tuple[KernelReads, ...]:
    """Reads that take every byte of every parameter, exactly known."""
    return tuple(
        KernelReads(
            one.name, exact=True, read=tuple((p.offset, p.offset + p.size) for p in one.parameters)
        )
        for one in functions
    )


def subject(
    kernels: tuple[KernelFunction, ...] = KERNELS,
    reads: tuple[KernelReads, ...] | None = None,
    *,
    symbols: tuple[DeviceSymbol, ...] = SYMBOLS,
    calls: int = CALLS,
) -> Subject:
    return Subject(
        problem="gemm_small",
        problem_version=1,
        target=Target.HOPPER,
        table=H200,
        toolchain="cuda-13.0.88",
        cubin_sha256="ab" * 32,
        cubin=CubinFacts(90, kernels, symbols, (), sum(one.size for one in symbols)),
        reads=exact(*kernels) if reads is None else reads,
        arguments=ARGUMENTS,
        limits=LIMITS,
        calls=calls,
    )


def base_of(process: int, index: int) -> int:
    """The base of range ``index``: below 2^47, 256-byte aligned, every byte another in process 1."""
    top = (0x10 + index % 0x20, 0x4F - index % 0x20)[process]
    base = top << 40
    for place in range(1, 5):
        one = (index * 29 + place * 53 + index // 32 * 7) % 256 | (place == 1)
        distance = (2 * index + 34 * place + 2) % 250 + 2 & ~1
        base |= ((one + process * distance) % 256) << 8 * place
    return base


def word(value: int) -> bytes:
    return value.to_bytes(8, "little")


def number(value: int, size: int = 4) -> bytes:
    return value.to_bytes(size, "little")


@dataclass
class Process:
    """Writes the recording of one process; ``process`` is 0 or 1 and picks the bases."""

    process: int
    arguments: tuple[PlanArgument, ...] = ARGUMENTS
    symbols: tuple[DeviceSymbol, ...] = SYMBOLS
    set: int = 0
    lines: list[Wire] = field(default_factory=list)
    ranges: int = 0
    allocs: int = 0
    maps: int = 0
    bases: dict[str, int] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)  # what the script keeps between calls
    kept_maps: dict[str, bytes] = field(default_factory=dict)

    def write(self, e: str, **keys: object) -> None:
        self.lines.append({"e": e, **keys})

    @property
    def nonce(self) -> bytes:
        return bytes.fromhex(NONCES[self.process])

    def new_base(self) -> int:
        self.ranges += 1
        return base_of(self.process, self.ranges - 1)

    def begin(self, calls: int = CALLS) -> None:
        self.write("begin", version=1, calls=calls, nonce=NONCES[self.process])
        for one in self.arguments:
            for buffer_set in (0, 1):
                base = self.new_base()
                self.bases[f"{one.name}{buffer_set}"] = base
                self.write("buffer", argument=one.index, set=buffer_set, base=base, size=one.size)
        symbols = []
        for symbol in self.symbols:
            self.bases[symbol.name] = self.new_base()
            symbols.append(
                {"name": symbol.name, "base": self.bases[symbol.name], "size": symbol.size}
            )
        self.write("module", functions=["k"], symbols=symbols)

    def call(self, n: int) -> None:
        self.set = (n - 1) % 2
        self.write("call", n=n, set=self.set)

    def back(self, n: int, status: int = 0, message: str = "") -> None:
        self.write("return", n=n, status=status, message=message)

    def end(self, calls: int = CALLS) -> None:
        self.write("end", calls=calls)

    def at(self, name: str, offset: int = 0) -> int:
        """Address of an argument of this call's set, or of a symbol."""
        return self.bases.get(f"{name}{self.set}", self.bases.get(name, 0)) + offset

    def alloc(self, size: int = 4096, kind: str = "device") -> int:
        """Allocate; give the base. ``self.allocs - 1`` is its id."""
        base = 0x55550000 + self.allocs * 65536 if kind == "host" else self.new_base()
        self.write("alloc", id=self.allocs, base=base, size=size, kind=kind, stream=1)
        self.allocs += 1
        return base

    def free(self, number: int) -> None:
        self.write("free", id=number, stream=1)

    def once(self, name: str, make: Callable[[], int]) -> int:
        """Keep what ``make`` gives under a name, as a static variable does."""
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]

    def attribute(self, function: str, value: int, attribute: int = 8) -> None:
        self.write("attribute", function=function, attribute=attribute, value=value)

    def memset(self, destination: int, columns: int = 64, **changes: object) -> None:
        keys: Wire = {"value": 0, "width": 1, "rows": 1, "pitch": 0, "stream": 1}
        self.write("memset", destination=destination, columns=columns, **(keys | changes))

    def payload(self, destination: int, content: bytes, **changes: object) -> None:
        keys: Wire = {"columns": len(content), "rows": 1, "pitch": 0, "stream": 1}
        keys |= {"destination": destination, "hex": content.hex()}
        self.write("payload", **(keys | changes))

    def copy(self, destination: int, source: int, columns: int = 64, **changes: object) -> None:
        keys: Wire = {"rows": 1, "destination_pitch": 0, "source_pitch": 0, "stream": 1}
        keys |= {"destination": destination, "source": source, "columns": columns}
        self.write("copy", **(keys | changes))

    def map(self, address: int, **changes: object) -> bytes:
        """Encode a tensor map of 64 x 32 bfloat16; give its token."""
        keys: Wire = {
            "mode": "tiled",
            "data_type": 9,
            "rank": 2,
            "dims": [64, 32],
            "strides": [128],
            "box": [64, 8],
            "element_strides": [1, 1],
            "interleave": 0,
            "swizzle": 3,
            "l2": 2,
            "fill": 0,
        }
        self.write("map", id=self.maps, address=address, **(keys | changes))
        self.maps += 1
        return token(self.nonce, self.maps - 1)

    def launch(self, function: str, parameters: bytes, **changes: object) -> None:
        keys: Wire = {
            "grid": [4, 1, 1],
            "block": [128, 1, 1],
            "shared": 0,
            "stream": 1,
            "cooperative": False,
            "attributes": [],
        }
        self.write("launch", function=function, parameters=parameters.hex(), **(keys | changes))

    def k(self, n: int = 7, /, **changes: object) -> None:
        """The plain launch of most tests: k(A, B, C, n)."""
        pointers = word(self.at("A")) + word(self.at("B")) + word(self.at("C"))
        self.launch("k", pointers + number(n), **changes)

    def query(self, call: str, arguments: list[int | str], answer: list[int | str]) -> None:
        self.write("query", call=call, arguments=arguments, answer=answer)

    @property
    def text(self) -> bytes:
        lines = (json.dumps(line, separators=(",", ":")) for line in self.lines)
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def recording(self) -> Recording:
        return read_recording(self.text)


Script = Callable[[Process, int], None]


def play(
    script: Script,
    process: int,
    *,
    calls: int = CALLS,
    loading: Callable[[Process], None] | None = None,
) -> Process:
    """Write one whole recording: ``script`` says what call n does, ``loading`` what call 0 does."""
    log = Process(process)
    log.begin(calls)
    if loading is not None:
        loading(log)
    for n in range(1, calls + 1):
        log.call(n)
        script(log, n)
        log.back(n)
    log.end(calls)
    return log


def made(
    script: Script,
    about: Subject | None = None,
    *,
    loading: Callable[[Process], None] | None = None,
    noise: tuple[Recording, ...] = (),
) -> PlanMade | NotRecorded | NeedsNoise:
    about = subject() if about is None else about
    first, second = (
        play(script, process, calls=about.calls, loading=loading).recording for process in (0, 1)
    )
    return make_plan(first, second, noise, about)


def plan_of(
    script: Script,
    about: Subject | None = None,
    *,
    loading: Callable[[Process], None] | None = None,
) -> Plan:
    found = made(script, about, loading=loading)
    assert isinstance(found, PlanMade), found
    return found.plan


def refusal_of(
    script: Script,
    about: Subject | None = None,
    *,
    loading: Callable[[Process], None] | None = None,
) -> str:
    """The headline of the refusal that a script earns."""
    found = made(script, about, loading=loading)
    assert isinstance(found, NotRecorded), found
    return found.headline
