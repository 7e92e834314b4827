"""Shared, guarded memory on a real device. What ends a context runs in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.adapters.gpu import driver, memory
from evaluation.core.measure.philox import random_bytes
from evaluation.core.verdict import Target

from .packed import Pack, trusted_name

pytestmark = pytest.mark.gpu

REPOSITORY = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("memory_child.py")
SECONDS = 60
GUARDED = 256_000  # a multiple of 256: the end aligned buffer ends exactly where the unmapped range begins


@pytest.fixture(scope="module")
def opened(gpu: int) -> Iterator[driver.Context]:
    driver.start()
    context = driver.open_context(gpu, own=True)
    yield context
    context.close()


@pytest.fixture
def context(opened: driver.Context) -> driver.Context:
    opened.make_current()
    return opened


@pytest.fixture
def cubin(pack: Pack) -> str:
    return str(pack.root / trusted_name(Target.HOPPER))


def child(role: str, cubin: str, *words: object, fds: tuple[int, ...] = ()) -> str:
    done = subprocess.run(
        [sys.executable, str(CHILD), role, cubin, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        pass_fds=fds,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def shared(context: driver.Context) -> Iterator[tuple[memory.Buffer, int, bytes]]:
    """A buffer of 1000 bytes with known content and a descriptor of it."""
    content = random_bytes(1, 1000)
    buffer = memory.create(len(content), device=context.device)
    driver.copy_to_device(buffer.base, content, 0)
    driver.synchronise()
    fd = memory.export(buffer)
    yield buffer, fd, content
    os.close(fd)
    memory.release(buffer)


def test_a_second_process_reads_what_the_first_wrote(
    shared: tuple[memory.Buffer, int, bytes], cubin: str
) -> None:
    buffer, fd, content = shared
    assert child("read", cubin, fd, buffer.size, fds=(fd,)) == content.hex()


def test_a_second_process_writes_where_it_may(
    shared: tuple[memory.Buffer, int, bytes], cubin: str
) -> None:
    buffer, fd, _ = shared
    assert child("write", cubin, fd, buffer.size, "yes", fds=(fd,)) == "written"
    assert driver.copy_from_device(buffer.base, buffer.size, 0) == random_bytes(4, 1000)


def test_the_driver_accepts_a_read_only_mapping_and_a_write_through_it_faults(
    shared: tuple[memory.Buffer, int, bytes], cubin: str
) -> None:
    buffer, fd, content = shared
    assert child("mapped", cubin, fd, buffer.size, "no", fds=(fd,)) == "read-only"
    assert child("write", cubin, fd, buffer.size, "no", fds=(fd,)).startswith("CUDA_ERROR_")
    assert driver.copy_from_device(buffer.base, buffer.size, 0) == content


def test_the_check_of_a_mapping_faults_where_it_is_read_only_and_changes_nothing_where_it_is_not(
    shared: tuple[memory.Buffer, int, bytes], cubin: str
) -> None:
    buffer, fd, content = shared
    assert child("check", cubin, fd, buffer.size, "no", fds=(fd,)).startswith("CUDA_ERROR_")
    assert child("check", cubin, fd, buffer.size, "yes", fds=(fd,)) == "written"
    assert driver.copy_from_device(buffer.base, buffer.size, 0) == content


@pytest.mark.parametrize(
    ("end_aligned", "offset"), [("yes", "end"), ("no", "before"), ("no", "beyond")]
)
def test_one_access_of_16_bytes_outside_faults_at_once(
    gpu: int, cubin: str, end_aligned: str, offset: str
) -> None:
    assert child("reach", cubin, GUARDED, end_aligned, offset) == "CUDA_ERROR_ILLEGAL_ADDRESS"


@pytest.mark.parametrize("end_aligned", ["yes", "no"])
@pytest.mark.parametrize("offset", ["first", "last"])
def test_the_first_and_the_last_16_bytes_can_be_read(
    gpu: int, cubin: str, end_aligned: str, offset: str
) -> None:
    assert child("reach", cubin, GUARDED, end_aligned, offset) == "reached"


def test_memory_comes_back_when_a_buffer_is_released(context: driver.Context) -> None:
    before = free_bytes()
    buffer = memory.create(1 << 30, device=context.device)
    assert before - free_bytes() >= 1 << 30
    memory.release(buffer)
    assert before - free_bytes() < 64 << 20


def test_a_measuring_device_cannot_reach_pageable_host_memory(gpu: int) -> None:
    driver.start()
    facts = driver.device_facts(gpu)
    assert (facts.pageable_access, facts.host_page_tables) == (False, False)
    assert facts.compute_capability == (9, 0)
    assert facts.uuid.startswith("GPU-")
    assert facts.l2_bytes > 32 << 20


def test_a_kernel_that_stores_to_a_variable_of_the_host_faults_and_changes_nothing(
    gpu: int, cubin: str
) -> None:
    """Rule T1; the same store to host memory that CUDA gave is the control that it is one."""
    assert child("host", cubin, "of CUDA") == "stored, changed"
    assert child("host", cubin, "of the process") == "CUDA_ERROR_ILLEGAL_ADDRESS, kept"


def free_bytes() -> int:
    from cuda.bindings import driver as bindings  # noqa: PLC0415 - only where the bindings are there

    free, _ = driver.ask(bindings.cuMemGetInfo)
    return int(free)
