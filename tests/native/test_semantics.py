"""The shim answers as a real runtime answered: one program, run on an H200 and recorded here (rules L6 and L7).

``semantics/h200.txt`` is what ``semantics/main.cu`` printed on one NVIDIA H200 with driver 580.159.04 and CUDA 13.0 on
2026-11-30, one topic after the other.
"""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.native import Native
from evaluation.adapters.recorder import LIMITS, Recorder, _Order
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument
from evaluation.core.ports import Jail, JailCommand
from evaluation.core.record.assumption_table import first_forged
from evaluation.core.record.recording import Query
from evaluation.core.record.recording_reader import read_recording

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain

SEMANTICS = Path(__file__).with_name("semantics")
TOPICS = (
    "launches",
    "clusters",
    "functions",
    "occupancy",
    "memory",
    "copies",
    "streams",
    "devices",
    "entry_points",
    "tensor_maps",
    "limits",
    "grids",
)


@pytest.fixture(scope="module")
def program(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Host library and cubin of the semantics program, by nvcc itself."""
    folder = tmp_path_factory.mktemp("semantics")
    common = [f"{toolchain.root}/nvidia/cu13/bin/nvcc", "-std=c++17", "-O3", "-DPTXBOARD_RECORDED"]
    common += ["-gencode", "arch=compute_90a,code=sm_90a", f"-I{toolchain.root}/tvm_ffi/include"]
    common.append(str(SEMANTICS / "main.cu"))
    host = ["-shared", "--cudart=none", "-Xcompiler", "-fPIC,-fvisibility=hidden"]
    subprocess.run([*common, *host, "-o", "host.so"], check=True, cwd=folder)
    subprocess.run([*common, "-cubin", "-o", "device.cubin"], check=True, cwd=folder)
    return (folder / "host.so").read_bytes(), (folder / "device.cubin").read_bytes()


def measured() -> Iterator[tuple[str, list[str]]]:
    lines: list[str] = []
    for line in (SEMANTICS / "h200.txt").read_text().splitlines():
        if line.startswith("# "):
            lines = []
            yield line[2:], lines
        else:
            lines.append(line)


def recording_of(
    topic: str, program: tuple[bytes, bytes], recorder: Recorder
) -> tuple[JailCommand, CubinFacts]:
    library, cubin = program
    # The topic is a scalar argument; what the program prints is captured from its standard output.
    argument = Argument(
        name="topic",
        is_output=False,
        dtype=DType.INT64,
        shape=None,
        size_bytes=8,
        value=TOPICS.index(topic),
    )
    facts = read_cubin(cubin)
    order = _Order(library, (argument,), facts, packaged().device("h200"), seed=1, calls=1)
    command = recorder._command(order, process=0, fixed=True)
    return replace(command, limits=replace(LIMITS, stdout_bytes=1 << 20)), facts


@pytest.mark.parametrize("topic", TOPICS)
def test_the_shim_answers_as_an_h200_did(
    topic: str,
    program: tuple[bytes, bytes],
    jail: Jail,
    toolchain: Toolchain,
    recorder_programs: Native,
) -> None:
    command, _ = recording_of(topic, program, Recorder(jail, toolchain, recorder_programs))
    result = jail.run(command)
    expected = dict(list(measured()))[topic]
    assert len(expected) > 15
    assert result.stdout.content.decode().splitlines() == expected


@pytest.mark.parametrize("topic", ["functions", "occupancy", "grids"])
def test_the_table_gives_the_answers_that_an_h200_gave(
    topic: str,
    program: tuple[bytes, bytes],
    jail: Jail,
    toolchain: Toolchain,
    recorder_programs: Native,
) -> None:
    recorder = Recorder(jail, toolchain, recorder_programs)
    command, cubin = recording_of(topic, program, recorder)
    events = read_recording(recorder._run(command).text).events
    assert sum(isinstance(one, Query) for one in events) > 20
    assert first_forged(events, packaged().device("h200"), cubin) is None
