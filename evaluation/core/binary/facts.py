"""What our own readers state about built artifacts. Names in here are the author's and may be anything."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """One kernel parameter by EIATTR_KPARAM_INFO: place and size in bytes inside the parameter block."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class KernelFunction:
    """One entry function of a cubin. Sizes in bytes."""

    name: str
    parameters: tuple[Parameter, ...]
    parameter_base: int  # place of the block in constant bank 0 (0x210 on sm_90)
    parameter_bytes: int
    registers: int
    static_shared_bytes: int  # without the KiB that the hardware reserves
    local_bytes: int  # per thread: stack frame and spills
    max_threads: int  # largest block by __launch_bounds__; 0 where the cubin does not say
    cluster: tuple[int, int, int] | None  # __cluster_dims__, where the kernel fixes one
    code_bytes: int
    required_block: tuple[int, int, int] | None = None  # the only block allowed: __block_size__
    grid_counts_clusters: bool = False  # a launch's grid counts clusters: __block_size__ with two
    barriers: int = (
        0  # named barriers that a block takes of its SM's 64: the highest number used, plus one
    )
    max_cluster_blocks: int = (
        0  # largest cluster by __launch_bounds__; 0 where the cubin does not say
    )


@dataclass(frozen=True, slots=True)
class DeviceSymbol:
    """A __device__ or __constant__ variable; ``space`` is ``global`` or ``constant``."""

    name: str
    space: str
    size: int


@dataclass(frozen=True, slots=True)
class CubinFacts:
    """Everything the judge needs from the cubin's ELF."""

    sm: int  # 90, 100
    functions: tuple[KernelFunction, ...]
    symbols: tuple[DeviceSymbol, ...]
    externs: tuple[str, ...]  # undefined functions: vprintf, __assertfail, malloc, free ...
    global_bytes: int  # writable module globals in all: by sections or by symbols, the larger sum
    overflowing: tuple[str, ...] = ()  # variables larger than their section: sizes wrap at 4 GiB

    def function(self, name: str) -> KernelFunction | None:
        return next((one for one in self.functions if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Import:
    """An undefined dynamic symbol of the host library, without its version.

    ``library`` is the file that its version belongs to (``libc.so.6``); empty where the symbol has no version.
    """

    name: str
    weak: bool
    library: str = ""


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """What the ELF of the linked host library says about itself."""

    needed: tuple[str, ...]
    runpaths: tuple[str, ...]  # DT_RPATH and DT_RUNPATH
    imports: tuple[Import, ...]
    exports: tuple[str, ...]  # defined dynamic symbols
    defined: tuple[str, ...]  # every defined function or object symbol, local ones too
    initialisers: tuple[str, ...]  # behind .init_array, .preinit_array, .ctors; "?" where unnamed
    finalisers: tuple[str, ...]  # the same for .fini_array, .dtors
    # (".init" | ".fini", SHA-256 of its bytes, the link's distance to __gmon_start__'s slot as zeros)
    init_sections: tuple[tuple[str, str], ...]
    ifuncs: tuple[str, ...]  # IFUNC symbols and IRELATIVE relocations
    text_relocations: bool
    bind_now: bool
    relro: bool
    syscall_sites: int  # raw syscall, sysenter or int 0x80 on an instruction boundary; up to 1,000
    images: tuple[str, ...]  # embedded, by magic: "cubin in .rodata", "elf in …", "fatbin in …"


@dataclass(frozen=True, slots=True)
class KernelReads:
    """Which bytes of its parameter block one function's SASS reads (rule L3).

    ``read`` holds [start, end) byte ranges inside the block, ascending and disjoint. ``exact`` is
    False where an access is indexed or the block's address is taken: the function may then read
    other bytes too.
    """

    function: str
    exact: bool
    read: tuple[tuple[int, int], ...]
