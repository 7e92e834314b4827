"""One small honest kernel as every tool would describe it, for tests that put fakes behind the pipeline's ports."""

import json
from dataclasses import replace

from fake_adapters import (
    FakeCompiler,
    FakeDisassembler,
    FakeInspector,
    FakeRecorder,
    MemoryArtifacts,
    fake_tools,
    recording,
)

from evaluation.adapters.catalogue import packaged
from evaluation.core.binary.facts import CubinFacts, Import, KernelFunction, LibraryFacts, Parameter
from evaluation.core.compile.build import Built, Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.hand_over import prepared_from
from evaluation.core.measure.parts import Parts, parts_of
from evaluation.core.measure.prepared import Prepared
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.ports import Artifacts
from evaluation.core.records import Outcome
from evaluation.core.scan.sass import Disassembly, Function, Instruction, Unreadable
from evaluation.core.verdict import Language, Target

SOURCE = b"""\
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""
PROBLEM = packaged().problem("gemm_n7168_k5120")
JOB = Job(SOURCE, Language.CUDA, PROBLEM, Target.HOPPER, packaged().device("h200"))
CALLS = 8

BUILT = Built(
    cubin=b"the cubin",
    ptx=b"the ptx",
    library=b"the library",
    headers=HeaderSet.SLIM,
    log="",
    seconds=2.0,
)
# k(A, B, C, options): the last is a struct of eight bytes, which may hold padding.
KERNEL = KernelFunction(
    name="k",
    parameters=tuple(Parameter(ordinal, 8 * ordinal, 8) for ordinal in range(4)),
    parameter_base=0x210,
    parameter_bytes=32,
    registers=32,
    static_shared_bytes=0,
    local_bytes=0,
    max_threads=0,
    cluster=None,
    code_bytes=6 * 16,
)
CUBIN = CubinFacts(sm=90, functions=(KERNEL,), symbols=(), externs=(), global_bytes=0)
NAMES = frozenset({"cudaLaunchKernel"})
LIBRARY = LibraryFacts(
    needed=("libptxboard_shim.so", "libc.so.6"),
    runpaths=(),
    imports=(Import("cudaLaunchKernel", weak=False),),
    exports=("__tvm_ffi_run",),
    defined=("__tvm_ffi_run",),
    initialisers=(),
    finalisers=(),
    init_sections=(),
    ifuncs=(),
    text_relocations=False,
    bind_now=True,
    relro=True,
    syscall_sites=0,
    images=(),
)


def sass(*texts: str) -> Disassembly:
    """The code of ``k``, one ``OPCODE OPERANDS`` a row."""
    rows = tuple(
        Instruction(16 * place, "", *text.partition(" ")[::2], control_flow=text == "EXIT")
        for place, text in enumerate(texts)
    )
    return Disassembly(90, "by hand", (Function("k", rows),))


SASS = sass(
    "LDC.64 R2,c[0x0][0x210]",
    "LDC.64 R4,c[0x0][0x218]",
    "LDC.64 R6,c[0x0][0x220]",
    "LDC R8,c[0x0][0x228]",
    "HGMMA.64x16x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT",
    "EXIT",
)


def base(process: int, index: int) -> int:
    """A token: every byte above the lowest differs between the two processes, and by another number for each range."""
    one = (0x10 + index, 0x30 + 3 * index)[process]
    return int.from_bytes(bytes([0, *[one] * 5]), "little")


def journal(
    process: int = 0,
    *,
    padding: bytes = b"\0\0\0\0",
    launches: int = 1,
    grid: tuple[int, int, int] = (448, 64, 1),
) -> bytes:
    """The recording of one process that launches ``k`` in every call; ``padding`` is what nobody decides."""
    sizes = (8192 * 5120 * 2, 7168 * 5120 * 2, 8192 * 7168 * 2)
    lines: list[dict[str, object]] = [
        {"e": "begin", "version": 1, "calls": CALLS, "nonce": f"{process + 1:02x}" * 16}
    ]
    for index in range(6):
        argument, buffer_set = divmod(index, 2)
        lines.append(
            {
                "e": "buffer",
                "argument": argument,
                "set": buffer_set,
                "base": base(process, index),
                "size": sizes[argument],
            }
        )
    for call in range(1, CALLS + 1):
        buffer_set = (call - 1) % 2
        pointers = [base(process, 2 * argument + buffer_set) for argument in range(3)]
        block = b"".join(one.to_bytes(8, "little") for one in pointers)
        block += (7).to_bytes(4, "little") + padding
        lines.append({"e": "call", "n": call, "set": buffer_set})
        lines += [
            {
                "e": "launch",
                "function": "k",
                "grid": list(grid),
                "block": [128, 1, 1],
                "shared": 0,
                "stream": 1,
                "cooperative": False,
                "attributes": [],
                "parameters": block.hex(),
            }
        ] * launches
        lines.append({"e": "return", "n": call, "status": 0, "message": ""})
    lines.append({"e": "end", "calls": CALLS})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def recorder(**changes: object) -> FakeRecorder:
    """The recorder of an honest kernel; ``changes`` are of both processes' journals."""
    first, second = (recording(journal(process, **changes)) for process in (0, 1))  # type: ignore[arg-type]
    return FakeRecorder(first, second)


def sample_tools(
    *,
    program: Program | ToolFailure = BUILT,
    cubin: CubinFacts | InvalidInput = CUBIN,
    library: LibraryFacts | InvalidInput = LIBRARY,
    disassembly: Disassembly | Unreadable | ToolFailure = SASS,
    recorded: FakeRecorder | None = None,
) -> Tools:
    """Tools for which everything goes well but what is changed."""
    return fake_tools(
        compiler=FakeCompiler(program),
        inspector=FakeInspector(cubin, library),
        disassembler=FakeDisassembler(disassembly),
        recorder=recorder() if recorded is None else recorded,
        names=NAMES,
    )


def a_prepared_kernel(artifacts: Artifacts | None = None) -> Prepared:
    """The sample as a GPU machine gets it."""
    kept = MemoryArtifacts() if artifacts is None else artifacts
    return prepared_from(PROBLEM, JOB.device, handed_over(kept), kept)


def handed_over(artifacts: Artifacts) -> Parts:
    """Take the sample through the prepare half and leave what comes of it among these artifacts."""
    tools = replace(sample_tools(), artifacts=artifacts)
    return parts_of(Outcome(tuple(prepare(JOB, tools, lambda _: None))))
