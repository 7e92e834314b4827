"""A plugin of the tests that name it: records host code in C++, without nvcc, through the real driver in the real jail."""

import json
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recordings import ACTIONS, CUBIN, TENSORS, Record, Recorded, action_number

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.native import Native, NativePrograms
from evaluation.adapters.recorder import LIMITS, Recorder, _Order
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument
from evaluation.core.ports import Jail


@pytest.fixture(scope="session")
def recorder_programs(jail: Jail, toolchain: Toolchain, workspace: Workspace) -> Native:
    return NativePrograms(jail, toolchain, workspace.native).built()


@pytest.fixture(scope="session")
def build_library(
    toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., bytes]:
    """Compile C++ files to a host library as the judge links one: CUDA names stay undefined."""
    folder = tmp_path_factory.mktemp("libraries")

    def compile_one(source: Path) -> Path:
        made = folder / f"{source.name}.o"
        cuda, tvm = toolchain.root / "nvidia/cu13/include", toolchain.root / "tvm_ffi/include"
        flags = ("-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector")
        includes = ("-isystem", str(cuda), "-isystem", str(tvm), f"-I{ACTIONS}")
        subprocess.run(["g++", *flags, *includes, "-c", str(source), "-o", str(made)], check=True)
        return made

    def link(*sources: Path) -> bytes:
        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compile_one, sources))
        made = folder / f"{sources[0].name}.so"
        subprocess.run(["g++", "-shared", *map(str, objects), "-o", str(made)], check=True)
        return made.read_bytes()

    return link


@pytest.fixture(scope="session")
def action_library(build_library: Callable[..., bytes]) -> bytes:
    return build_library(*sorted(ACTIONS.glob("*.cpp")))


@pytest.fixture(scope="session")
def record_library(jail: Jail, toolchain: Toolchain, recorder_programs: Native) -> Record:
    """Record a library in one process."""

    def record(
        library: bytes,
        *,
        last: int = 0,
        calls: int = 2,
        seed: int = 7,
        process: int = 0,
        fixed: bool = True,
        fill: int = 0x5A,
        product: str = "h200",
        cpu_seconds: int = LIMITS.cpu_seconds,
    ) -> Recorded:
        limits = replace(LIMITS, cpu_seconds=cpu_seconds)
        recorder = Recorder(jail, toolchain, recorder_programs, limits=limits)
        action = Argument(
            name="action",
            is_output=False,
            dtype=DType.INT64,
            shape=None,
            size_bytes=8,
            value=last,
        )
        device = packaged().device(product)
        order = _Order(library, (*TENSORS, action), CUBIN, device, seed=seed, calls=calls)
        raw = recorder._run(recorder._command(order, process=process, fixed=fixed, fill=fill))
        lines = raw.text.decode().splitlines()
        return Recorded(raw, [json.loads(line) for line in lines])

    return record


@pytest.fixture(scope="session")
def act(record_library: Record, action_library: bytes) -> Record:
    """Record one action by its name."""

    def record(name: str, **how: Any) -> Recorded:
        return record_library(action_library, last=action_number(name), **how)

    return record
