"""Our build steps against what nvcc itself would run for the same source."""

import re
import shlex

import pytest

from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile import build_steps
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain

LIMITS = Limits(60, 60, 2 << 30, 1 << 20, 1 << 20, 32, 64, 1 << 20, 1 << 20)
TOOLS = ("gcc", "cudafe++", "gcc", "cicc", "ptxas", "gcc")

# Names of files in between are ours; nvcc's own TOP is bin/.. .
FILES = re.compile(
    r"(?:/w/)?kernel\.(?:cpp4\.ii|cpp1\.ii|module_id|ptx|cubin|o|s|cudafe1\.(?:cpp|c|gpu|stub\.c))\Z"
)


def plain(words: list[str]) -> set[str]:
    """Flags and their values as a set, without names of files in between, with paths written one way.

    CCCL stands in a folder of its own, which holds only what kernels may include.
    """
    there = (word.replace("/toolchain/bin/..//include", "/toolchain/include") for word in words)
    return {
        word.replace("/toolchain/include/cccl", "/toolchain/cccl")
        for word in there
        if not FILES.search(word) and word != "-o"
    }


@pytest.fixture(scope="module", params=list(Target))
def target(request: pytest.FixtureRequest) -> Target:
    return Target(request.param)


@pytest.fixture(scope="module")
def wanted(jail: Jail, toolchain: Toolchain, target: Target) -> list[set[str]]:
    """The words of nvcc's six compile steps."""
    command = JailCommand(
        (
            *(
                "/toolchain/bin/nvcc",
                "--dryrun",
                "--keep",
                "-O3",
                "-std=c++17",
                "-gencode",
                target.gencode,
            ),
            *("--cudart=none", "-rdc=false", "-lineinfo", "-shared", "-Xcompiler", "-fPIC"),
            *("-I/toolchain/tvm/include", "/w/kernel.cu", "-o", "kernel.so"),
        ),
        LIMITS,
        binds=toolchain.compile_binds(),
        files=(JailFile("/w/kernel.cu", b"__global__ void k() {}\n"),),
        environment=(("PATH", "/usr/bin"),),
    )
    result = jail.run(command)
    assert result.exit_code == 0
    lines = (shlex.split(line[3:]) for line in result.stderr.content.decode().splitlines())
    steps = [words for words in lines if words and words[0].rpartition("/")[2] in TOOLS]
    assert [words[0].rpartition("/")[2] for words in steps] == list(TOOLS)
    return [plain(words[1:]) for words in steps]


@pytest.fixture(scope="module")
def ours(toolchain: Toolchain, target: Target) -> list[set[str]]:
    gnu = toolchain.gnu_version
    parts = (
        build_steps.host_front(target, HeaderSet.REAL, gnu_version=gnu),
        build_steps.device_front(target, HeaderSet.REAL, gnu_version=gnu),
        build_steps.assemble(target),
        build_steps.host_back(target),
    )
    steps = [step for part in parts for step in part.steps][: len(TOOLS)]
    return [plain(list(step.argv[1:])) for step in steps]


def test_only_the_stated_flags_are_ours(wanted: list[set[str]], ours: list[set[str]]) -> None:
    errors = {"-fmax-errors=50"}

    assert [mine - theirs for mine, theirs in zip(ours, wanted, strict=True)] == [
        errors,
        {"--error_limit=50", "/w/module_id"},
        errors,
        {"--error_limit=50", "/w/module_id"},
        set(),
        errors | {"-S", "-I/w", "-frandom-seed=kernel.cu", "-fno-stack-protector"},
    ]


def test_only_the_stated_flags_of_nvcc_are_left_out(
    wanted: list[set[str]], ours: list[set[str]]
) -> None:
    assert [theirs - mine for mine, theirs in zip(ours, wanted, strict=True)] == [
        set(),
        {"--gen_module_id_file"},
        set(),
        set(),
        set(),
        # Compiling goes on from preprocessed text; only the stub's own includes are looked up.
        {"-c", "-I/toolchain/tvm/include"},
    ]
