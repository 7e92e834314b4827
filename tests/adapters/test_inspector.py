import ast
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from cubin_files import Cubin, Kernel, parameter
from library_files import Library

from evaluation.adapters import inspector
from evaluation.adapters.inspector import LIMITS, READER_MODULES, Inspector
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.core.binary import facts_json
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput, ToolFailure, ToolMissing
from evaluation.core.ports import Captured, JailCommand, JailResult

CUBIN = bytes(Cubin((Kernel("k", records=parameter(0, 0, 8), parameter_bytes=8),)).build().content)
LIBRARY = bytes(Library().build().content)
UNREADABLE = "the built file cannot be read within limits"


def ended(answer: bytes = b"", *, dropped: int = 0, exit_code: int | None = 0) -> JailResult:
    return JailResult(
        exit_code=exit_code,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
        stdout=Captured(b""),
        stderr=Captured(b"said something"),
        outputs={"answer": Captured(answer, dropped)},
        seconds=0.1,
    )


@dataclass
class OneEnd:
    """A jail in which every command ends the same way."""

    result: JailResult
    commands: list[JailCommand] = field(default_factory=list)

    def run(self, command: JailCommand) -> JailResult:
        self.commands.append(command)
        return self.result


def good(where: str, content: bytes) -> bytes:
    return b"ready\n" + facts_json.answer(where, content)


def test_facts_come_back_from_the_jail() -> None:
    jail = OneEnd(ended(good("cubin", CUBIN)))
    assert Inspector(jail).cubin(CUBIN) == read_cubin(CUBIN)
    (command,) = jail.commands
    assert command.argv == ("/usr/bin/python3", "-I", "-S", "/reader/main.py", "cubin")
    assert command.limits == LIMITS
    assert (command.binds, command.environment) == ((), ())
    assert {one.destination: one.content for one in command.files}["/artifact"] == CUBIN


def test_a_library_is_asked_for_as_one() -> None:
    jail = OneEnd(ended(good("library", LIBRARY)))
    assert Inspector(jail).library(LIBRARY) == read_library(LIBRARY)
    assert jail.commands[0].argv[-1] == "library"


def test_a_refusal_of_the_reader_is_the_authors_fault() -> None:
    jail = OneEnd(ended(good("cubin", LIBRARY)))
    with pytest.raises(InvalidInput, match="is not a linked CUDA image"):
        Inspector(jail).cubin(LIBRARY)


KILLED = replace(ended(b"ready\n", exit_code=None), signal=9)
ENDS = {
    "killed": KILLED,
    "out of CPU time": replace(KILLED, signal=24, cpu_exhausted=True),
    "out of memory": replace(ended(b"ready\n", exit_code=1), memory_exhausted=True),
    "failed": ended(b"ready\n", exit_code=1),
    "answered too much": ended(b"ready\n{", dropped=1),
    "killed after its answer": replace(ended(good("cubin", CUBIN), exit_code=None), signal=9),
}


@pytest.mark.parametrize("result", ENDS.values(), ids=ENDS.keys())
def test_a_reader_that_an_artifact_brings_down_refuses_the_artifact(result: JailResult) -> None:
    with pytest.raises(InvalidInput) as caught:
        Inspector(OneEnd(result)).cubin(CUBIN)
    assert (caught.value.where, caught.value.rule) == ("cubin", UNREADABLE)


def test_a_reader_that_the_host_lets_wait_is_our_fault() -> None:
    late = OneEnd(replace(KILLED, timed_out=True))
    with pytest.raises(ToolFailure, match="too little processor time"):
        Inspector(late).cubin(CUBIN)
    assert late.commands[0].limits.wall_seconds >= 10 * late.commands[0].limits.cpu_seconds


@pytest.mark.parametrize("exit_code", [126, 127])
def test_a_missing_python_is_our_fault_and_says_what_to_install(exit_code: int) -> None:
    with pytest.raises(ToolMissing, match="said something") as caught:
        Inspector(OneEnd(ended(exit_code=exit_code))).cubin(CUBIN)
    assert "apt-get install python3" in caught.value.action


@pytest.mark.parametrize(
    "result", [ended(exit_code=1), ended(b"read", exit_code=0), replace(ended(), outputs={})]
)
def test_a_reader_that_never_got_to_the_artifact_is_our_fault(result: JailResult) -> None:
    with pytest.raises(ToolFailure, match="did not start"):
        Inspector(OneEnd(result)).library(LIBRARY)


def test_an_artifact_over_64_mib_never_reaches_a_jail() -> None:
    jail = OneEnd(ended())
    with pytest.raises(InvalidInput, match="is 67108865 bytes"):
        Inspector(jail).cubin(bytes((64 << 20) + 1))
    assert jail.commands == []


def imports_of(path: Path) -> set[str]:
    """Modules that a file imports, ``evaluation.core.x`` and ``from evaluation.core import x`` alike."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_the_reader_gets_exactly_the_modules_that_it_imports() -> None:
    core = Path(facts_json.__file__).parents[1]
    todo, seen, others = ["binary/facts_json"], set[str](), set[str]()
    while todo:
        name = todo.pop()
        seen.add(name)
        for imported in imports_of(core / f"{name}.py"):
            short = imported.removeprefix("evaluation.core.").replace(".", "/")
            if (core / f"{short}.py").exists():
                todo += [short] if short not in seen else []
            elif not imported.startswith("evaluation"):
                others.add(imported.split(".")[0])
    assert sorted(seen) == sorted(READER_MODULES)
    assert others <= sys.stdlib_module_names


@pytest.mark.toolchain
def test_both_artifacts_are_read_in_a_real_jail(jail: Bubblewrap) -> None:
    assert Inspector(jail).cubin(CUBIN) == read_cubin(CUBIN)
    assert Inspector(jail).library(LIBRARY) == read_library(LIBRARY)
    with pytest.raises(InvalidInput, match="shorter than an ELF header"):
        Inspector(jail).library(b"\x7fELF")


@pytest.mark.toolchain
def test_a_python_that_is_not_there_is_told_apart_from_a_bad_artifact(jail: Bubblewrap) -> None:
    with pytest.raises(ToolMissing):
        Inspector(jail, python="/usr/bin/python-of-nowhere").cubin(CUBIN)


@pytest.mark.toolchain
def test_a_program_that_is_no_python_is_our_fault(jail: Bubblewrap) -> None:
    with pytest.raises(ToolFailure, match="did not start"):
        Inspector(jail, python=shutil.which("true") or "/usr/bin/true").cubin(CUBIN)


@pytest.mark.toolchain
@pytest.mark.parametrize(
    "main",
    [
        "import os\nos.write(10, b'ready\\n')\nwhile True: pass\n",
        "import os\nos.write(10, b'ready\\n')\nx = bytearray(1 << 40)\n",
        "import os\nos.write(10, b'ready\\n')\nwhile True: os.write(10, bytes(1 << 16))\n",
        "import os\nos.write(10, b'ready\\n')\nos.abort()\n",
    ],
    ids=["spins", "allocates", "floods", "aborts"],
)
def test_a_real_reader_over_a_limit_refuses_the_artifact(
    jail: Bubblewrap, main: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspector, "_MAIN", main)
    limits = replace(LIMITS, wall_seconds=600.0, cpu_seconds=1)
    with pytest.raises(InvalidInput) as caught:
        Inspector(jail, limits=limits).cubin(CUBIN)
    assert caught.value.rule == UNREADABLE
