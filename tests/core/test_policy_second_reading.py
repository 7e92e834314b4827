"""Why text that hides from g++ is rejected or held: nvcc's front end reads g++'s output once more."""

import subprocess
from pathlib import Path

import pytest

from evaluation.adapters.toolchain import Toolchain
from evaluation.core.source.policy import review
from evaluation.core.verdict import Language, Severity

pytestmark = pytest.mark.toolchain

# A raw string for g++ and the lexer; code with an include for the front end, which is one behind.
ONE_BEHIND = 'R"y()x";\n#include "other.h"\nconst char* b = R"w(\n)y"\n)w";\n'
HIDDEN = {
    "macro": '#define H #\nH include "other.h"\n',
    "empty macro": '#define NOTHING\nNOTHING %: include "other.h"\n',
    "pasted": '#define P(a, b) a##b\nP(%, :) include "other.h"\n',
    "open quote": '#define A R\nconst char* a = A"x(\n' + ONE_BEHIND,
    "open quote in a macro": '#define F(x) x"x(\nconst char* a = F(R)\n' + ONE_BEHIND,
    "backslash": '#define EMPTY\nconst char* a = R\\EMPTY\n"x(\n' + ONE_BEHIND,
}


@pytest.mark.parametrize("name", HIDDEN)
def test_an_include_that_gcc_does_not_obey_is_obeyed_later_and_the_policy_knows(
    name: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    source = HIDDEN[name]
    (tmp_path / "other.h").write_text("int from_the_other_file;\n")
    (tmp_path / "kernel.cu").write_text(source)
    run(tmp_path, "g++", "-std=c++17", "-E", "-x", "c++", "kernel.cu", "-o", "kernel.ii")
    assert "from_the_other_file" not in (tmp_path / "kernel.ii").read_text()
    run(
        tmp_path,
        str(toolchain.root / "nvidia/cu13/bin/cudafe++"),
        *("--c++17", "--gnu_version=120200", "--m64", "--parse_templates"),
        *("--gen_c_file_name", "out.cpp", "--stub_file_name", "stub.c"),
        *("--gen_module_id_file", "--module_id_file_name", "id", "kernel.ii"),
    )
    assert "from_the_other_file" in (tmp_path / "out.cpp").read_text()

    report = review(source.encode(), language=Language.CUDA)
    assert Severity.HOLD in {one.severity for one in report.signals} or report.ends_run


def run(folder: Path, *argv: str) -> None:
    subprocess.run(argv, cwd=folder, check=True, capture_output=True, timeout=60)
