import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from evaluation.adapters.disassembler import Disassembler
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Family
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import (
    Captured,
    JailCommand,
    JailFile,
    JailResult,
    Limits,
    Output,
)
from evaluation.core.scan.evidence import Requirement
from evaluation.core.scan.reads import parameter_reads
from evaluation.core.scan.sass import Disassembly, Unreadable, read_disassembly
from evaluation.core.scan.scan import scan
from evaluation.core.scan.scan_report import report
from evaluation.core.verdict import Target

FIXTURES = Path(__file__).parents[1] / "core" / "fixtures" / "sass"
NAMES = ("hopper_matrix", "hopper_tma", "hopper_reads", "blackwell_matrix", "blackwell_reads")
HOPPER = Requirement(Target.HOPPER, (Family.GMMA, Family.TMA), DType.BFLOAT16)

TINY = (FIXTURES / "hopper_tma.json").read_bytes()

GOOD = JailResult(
    exit_code=0,
    signal=None,
    timed_out=False,
    cpu_exhausted=False,
    memory_exhausted=False,
    stdout=Captured(TINY),
    stderr=Captured(b""),
    outputs={},
    seconds=0.1,
)


@dataclass
class FakeJail:
    """Answers every command with one result and remembers what it was asked."""

    result: JailResult
    asked: list[JailCommand] = field(default_factory=list)

    def run(self, command: JailCommand) -> JailResult:
        self.asked.append(command)
        return self.result


def fake(result: JailResult) -> tuple[FakeJail, Disassembler]:
    jail = FakeJail(result)
    return jail, Disassembler(jail, Toolchain(Path("/somewhere"), "id", 120200, (), ()))


def test_the_cubin_goes_in_as_a_file_and_json_comes_out() -> None:
    jail, disassembler = fake(GOOD)
    read = disassembler.disassemble(b"cubin")
    assert isinstance(read, Disassembly)
    assert {one.name for one in read.functions} == {"tma_transfers", "tma_prefetch_only"}
    (command,) = jail.asked
    assert command.argv == ("/toolchain/bin/nvdisasm", "--emit-json", "/job/kernel.cubin")
    assert command.files == (JailFile("/job/kernel.cubin", b"cubin"),)
    assert [(str(bind.source), bind.destination) for bind in command.binds] == [
        ("/somewhere/nvidia/cu13/bin", "/toolchain/bin")
    ]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (replace(GOOD, exit_code=None, signal=24, cpu_exhausted=True), "nvdisasm needs more than 40 s of computing for it"),
        (replace(GOOD, exit_code=1, memory_exhausted=True), "nvdisasm needs more than 2 GiB of memory for it"),
        (replace(GOOD, stdout=Captured(TINY, dropped=1)), "its disassembly is larger than 32 MiB"),
        (replace(GOOD, stdout=Captured(TINY, tail=b"x")), "its disassembly is larger than 32 MiB"),
        (replace(GOOD, exit_code=1), "nvdisasm fails on it"),
        (replace(GOOD, exit_code=None, signal=11), "nvdisasm fails on it"),
        (replace(GOOD, stdout=Captured(b"")), "the disassembly breaks its format: document: not well-formed JSON"),
        (replace(GOOD, stdout=Captured(b"[{},{}]")), "the disassembly breaks its format: header.SchemaVersion: must be an object"),
    ],
)  # fmt: skip
def test_what_the_kernel_can_cause_is_a_value(result: JailResult, reason: str) -> None:
    assert fake(result)[1].disassemble(b"cubin") == Unreadable(reason)


def test_a_huge_cubin_is_refused_before_anything_runs() -> None:
    jail, disassembler = fake(GOOD)
    read = disassembler.disassemble(bytes((64 << 20) + 1))
    assert read == Unreadable("the cubin is larger than 64 MiB")
    assert jail.asked == []


@pytest.mark.parametrize(
    "result",
    [
        replace(GOOD, exit_code=None, signal=9, timed_out=True),
        replace(GOOD, exit_code=127, stderr=Captured(b"prlimit: failed to execute nvdisasm")),
        replace(GOOD, stdout=Captured(TINY.replace(b'"major":13,"minor":5', b'"major":14,"minor":0'))),
    ],
)  # fmt: skip
def test_what_only_we_can_cause_is_raised(result: JailResult) -> None:
    with pytest.raises(ToolFailure):
        fake(result)[1].disassemble(b"cubin")


LIMITS = Limits(
    wall_seconds=60,
    cpu_seconds=30,
    memory_bytes=2 << 30,
    file_bytes=16 << 20,
    scratch_bytes=16 << 20,
    processes=8,
    open_files=64,
    stdout_bytes=4096,
    stderr_bytes=4096,
)


def assembled(jail: Bubblewrap, toolchain: Toolchain, ptx: bytes, target: Target) -> bytes:
    command = (
        f"/toolchain/bin/ptxas -arch={target.sm} /job/k.ptx -o /tmp/k && /usr/bin/cat /tmp/k >&10"
    )
    result = jail.run(
        JailCommand(
            argv=("/usr/bin/bash", "-c", command),
            limits=LIMITS,
            binds=toolchain.tool_binds(),
            files=(JailFile("/job/k.ptx", ptx),),
            outputs=(Output("cubin", 10, 4 << 20),),
        )
    )
    assert result.clean, result.stderr.content
    return result.outputs["cubin"].content


def target_of(name: str) -> Target:
    return Target.HOPPER if name.startswith("hopper") else Target.BLACKWELL


@pytest.mark.toolchain
@pytest.mark.parametrize("name", NAMES)
def test_the_pinned_tools_print_what_the_stored_documents_say(
    name: str, jail: Bubblewrap, toolchain: Toolchain
) -> None:
    ptx = (FIXTURES / f"{name}.ptx").read_bytes()
    cubin = assembled(jail, toolchain, ptx, target_of(name))
    read = Disassembler(jail, toolchain).disassemble(cubin)
    assert read == read_disassembly((FIXTURES / f"{name}.json").read_bytes())


@pytest.mark.toolchain
def test_disassembly_and_elf_agree_and_reads_come_from_the_real_parameter_block(
    jail: Bubblewrap, toolchain: Toolchain
) -> None:
    cubin = assembled(
        jail, toolchain, (FIXTURES / "blackwell_reads.ptx").read_bytes(), Target.BLACKWELL
    )
    read = Disassembler(jail, toolchain).disassemble(cubin)
    assert isinstance(read, Disassembly)
    known = read_cubin(cubin)
    required = Requirement(Target.BLACKWELL, (Family.TCGEN05,), DType.BFLOAT16)
    found = scan(read, known, launched=("padded",), required=required)
    assert report(found).headline == (
        "no TCGEN05 matrix instruction that counts in 1 launched functions"
    )
    reads = {one.function: (one.exact, one.read) for one in parameter_reads(read, known)}
    assert reads["padded"] == (True, ((0, 20), (24, 32)))
    assert reads["prints"] == (True, ((0, 8),))


@pytest.mark.toolchain
def test_a_file_that_is_no_cubin_is_unreadable(jail: Bubblewrap, toolchain: Toolchain) -> None:
    read = Disassembler(jail, toolchain).disassemble(b"\x7fELF" + bytes(4096))
    assert read == Unreadable("nvdisasm fails on it")


@pytest.mark.toolchain
def test_a_symbol_name_with_quotes_never_becomes_code(
    jail: Bubblewrap, toolchain: Toolchain
) -> None:
    # No compiler of ours can write such a name; it is put into the finished file.
    ptx = (FIXTURES / "hopper_tma.ptx").read_bytes()
    cubin = assembled(jail, toolchain, ptx, Target.HOPPER)
    for forged in (b'tma","opcode":', b"tma\\transfer", b"tma{transfers", b"tma\xfftransfer"):
        damaged = cubin.replace(b"tma_transfers", forged[:13].ljust(13, b"x"))
        assert damaged != cubin
        read = Disassembler(jail, toolchain).disassemble(damaged)
        assert isinstance(read, Unreadable)
        assert "breaks its format" in read.reason


STRUCTS = """
struct Padded { const float* in; int n; bool flag; double scale; };
__device__ __noinline__ float polynomial(float x, int n) {
  for (int i = 0; i < n; i++) x = x * x + 1.0f;
  return x;
}
__global__ void padded(Padded p, float* out) {
  out[threadIdx.x] = p.in[threadIdx.x] * static_cast<float>(p.scale) + polynomial(out[0], p.n);
}
__global__ void flagged(Padded p, float* out) { if (p.flag) out[0] = p.n; }
__global__ void chosen(const __grid_constant__ Padded p, float* out, int which) {
  out[0] = reinterpret_cast<const char*>(&p)[which];
}
__global__ void through_pointers(float* out, float (*f)(float)) { out[0] = f(out[1]); }
__global__ void divides(int* out, int n, double d) { out[0] = out[1] / n + static_cast<int>(out[2] / d); }
"""


@pytest.mark.toolchain
def test_structs_calls_and_pointers_of_a_real_compile(
    jail: Bubblewrap, toolchain: Toolchain, tmp_path: Path
) -> None:
    source, product = tmp_path / "k.cu", tmp_path / "k.cubin"
    source.write_text(STRUCTS)
    nvcc = toolchain.root / "nvidia/cu13/bin/nvcc"
    gencode = Target.HOPPER.gencode
    subprocess.run(
        [nvcc, "-cubin", "-gencode", gencode, "-O3", "-lineinfo", "-o", product, source],
        check=True,
        timeout=120,
    )
    cubin = product.read_bytes()
    read = Disassembler(jail, toolchain).disassemble(cubin)
    assert isinstance(read, Disassembly)
    known = read_cubin(cubin)
    found = {one.function: (one.exact, one.read) for one in parameter_reads(read, known)}
    # Padded is: pointer at 0, int at 8, bool at 12, three bytes of padding, double at 16. Then the other parameters.
    assert found == {
        "_Z6padded6PaddedPf": (True, ((0, 12), (16, 32))),
        "_Z7flagged6PaddedPf": (True, ((8, 13), (24, 32))),
        "_Z6chosen6PaddedPfi": (False, ((24, 36),)),
        "_Z16through_pointersPfPFffE": (False, ((0, 16),)),
        "_Z7dividesPiid": (True, ((0, 12), (16, 24))),
    }
    scanned = scan(read, known, launched=tuple(found), required=HOPPER)
    # No function's address is taken here, so the pointer is whatever the host passes.
    assert [signal.kind for signal in report(scanned).signals] == [
        "family_absent",
        "jump_to_unknown_code",
    ]
