"""Why a hidden ``# include`` is rejected: nvcc's front end obeys directives in preprocessed text."""

import subprocess
from pathlib import Path

import pytest

from evaluation.adapters.toolchain import Toolchain


@pytest.mark.toolchain
@pytest.mark.parametrize("hash_sign", ["#", " #", "%:"])
def test_the_front_end_obeys_an_include_in_preprocessed_text(
    hash_sign: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    (tmp_path / "other.h").write_text("int from_the_other_file;\n")
    (tmp_path / "kernel.ii").write_text(f'{hash_sign} include "other.h"\n')
    subprocess.run(
        [
            toolchain.root / "nvidia/cu13/bin/cudafe++",
            *("--c++17", "--gnu_version=120200", "--m64", "--parse_templates"),
            *("--gen_c_file_name", "out.cpp", "--stub_file_name", "stub.c"),
            *("--gen_module_id_file", "--module_id_file_name", "id", "kernel.ii"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=60,
    )
    assert "from_the_other_file" in (tmp_path / "out.cpp").read_text()
