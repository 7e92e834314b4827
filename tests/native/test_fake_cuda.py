"""The stand-in for the CUDA driver behaves as its tests take for granted: seen through cuda-bindings and our own wrapper."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_cuda import FakeCuda, build
from process_tree import wait_for

from evaluation.adapters.toolchain import Toolchain

pytestmark = pytest.mark.toolchain

PRELUDE = """
import ctypes, os, struct, sys
from evaluation.adapters.gpu import driver, memory
from cuda.bindings import driver as raw
driver.start()
driver.open_context(0, own=True)
def code_of(call):
    try:
        call()
    except driver.CudaError as error:
        return error.code
    return 0
"""


@pytest.fixture(scope="session")
def library(toolchain: Toolchain) -> Path:
    return build(toolchain.root / "nvidia/cu13/include")


def run(fake: FakeCuda, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + program],
        env=environment(fake),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def environment(fake: FakeCuda) -> dict[str, str]:
    return {**fake.environment(), "PYTHONPATH": str(Path.cwd())}


def goes_on_after(fake: FakeCuda, program: str, last: str) -> bool:
    """Whether it still runs a while after the line ``last`` came into the log, be it ever so late."""
    process = subprocess.Popen([sys.executable, "-c", PRELUDE + program], env=environment(fake))
    try:
        assert wait_for(lambda: process.poll() is not None or said(fake, last))
        assert process.poll() is None
        time.sleep(1)
        return process.poll() is None
    finally:
        process.kill()
        process.wait()


def said(fake: FakeCuda, what: str) -> bool:
    """Whether the log has such a line, whole."""
    text = fake.log.read_text() if fake.log.exists() else ""
    whole = text[: text.rfind("\n") + 1].splitlines()
    return any(json.loads(line)["what"] == what for line in whole)


def printed(fake: FakeCuda, program: str) -> list[str]:
    done = run(fake, program)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_it_answers_as_the_device_table_says(library: Path, tmp_path: Path) -> None:
    fake = FakeCuda.place(library, tmp_path)
    words = printed(
        fake,
        "f = driver.device_facts(0); print(f.multiprocessors, f.l2_bytes, *f.compute_capability)",
    )
    assert words == ["132", "62914560", "9", "0"]


def test_memory_is_shared_by_descriptor_and_faults_where_nothing_is_mapped(
    library: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path)
    program = """
one = memory.create(5000, device=0)
fd = memory.export(one)
two = memory.import_fd(fd, 5000, device=0, writable=False)
driver.copy_to_device(one.base, b"shared", 0)
assert two.base != one.base and not two.writable
print(driver.copy_from_device(two.base, 6, 0).decode())
read_only = code_of(lambda: driver.copy_to_device(two.base, b"x", 0))
print(read_only, code_of(driver.synchronise))
"""
    assert printed(fake, program) == ["shared", "700", "700"]
    outside = "one = memory.create(5000, device=0)\nprint(code_of(lambda: driver.copy_to_device({}, b'x', 0)))"
    assert printed(fake, outside.format("one.base - 1")) == ["700"]
    assert printed(fake, outside.format("one.base + one.mapped")) == ["700"]
    assert printed(fake, outside.format("one.base + one.mapped - 1")) == ["0"]


def test_a_driver_without_read_only_mappings_says_so(library: Path, tmp_path: Path) -> None:
    fake = FakeCuda.place(library, tmp_path, "read_only_refused 1")
    program = """
one = memory.create(1, device=0)
print(memory.import_fd(memory.export(one), 1, device=0, writable=False).writable)
"""
    assert printed(fake, program) == ["True"]


@pytest.fixture(scope="session")
def cubin(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.ptx").write_text("""
.version 9.0
.target sm_90a
.address_size 64
.visible .global .align 4 .b32 table[4] = {1, 2, 3, 4};
.visible .entry small(.param .u8 letter, .param .u64 from, .param .u16 count)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [from];
    ld.global.u32 %r0, [%d0];
    st.global.u32 [table], %r0;
    ret;
}
""")
    assembler = toolchain.root / "nvidia/cu13/bin/ptxas"
    command = [
        *map(str, (assembler, "-arch=sm_90a", folder / "small.ptx", "-o", folder / "small.cubin"))
    ]
    subprocess.run(command, check=True)
    return folder / "small.cubin"


LAUNCH = """
module = driver.load_module(open({cubin!r}, "rb").read())
function = driver.find_function(module, "small")
stream = driver.create_stream()
start, end = driver.create_event(), driver.create_event()
def go(shape=driver.LaunchShape((3, 2, 1), (64, 1, 1), cluster=(3, 1, 1))):
    driver.launch(function, shape, stream=stream, parameters=(b"\\x07", struct.pack("<Q", 0x1122), b"\\x05\\x00"))
"""


def test_a_launch_is_a_line_with_the_bytes_of_its_parameters(
    library: Path, cubin: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path, "symbols 1", "kernel_ns 123000")
    program = (
        LAUNCH.format(cubin=str(cubin))
        + """
driver.record_event(start, stream)
go()
driver.record_event(end, stream)
driver.synchronise()
print(driver.elapsed_ns(start, end))
"""
    )
    assert printed(fake, program) == ["123000"]
    (line,) = fake.lines("launch")
    assert (line["function"], line["grid"], line["block"]) == ("small", [3, 2, 1], [64, 1, 1])
    assert line["attributes"] == {"4": [3, 1, 1]}
    assert line["parameters"] == "0700000000000000" + "2211000000000000" + "0500"
    assert line["symbols"]["table"] == "01000000020000000300000004000000"
    assert [one["what"] for one in fake.lines("event", "launch", "synchronise")] == [
        *("event", "launch", "event", "synchronise")
    ]


def test_a_fault_of_a_kernel_arrives_at_the_next_wait_and_stays(
    library: Path, cubin: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path, "fault launch 2 700")
    program = (
        LAUNCH.format(cubin=str(cubin))
        + """
print(code_of(go), code_of(driver.synchronise), code_of(go), code_of(driver.synchronise), code_of(go))
"""
    )
    assert printed(fake, program) == ["0", "0", "0", "700", "700"]


def test_an_error_that_does_not_last_is_returned_once(
    library: Path, cubin: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path, "fail launch 1 701", "fail cuMemCreate 2 2")
    program = (
        LAUNCH.format(cubin=str(cubin))
        + """
print(code_of(go), code_of(go))
print(*(code_of(lambda: memory.create(1, device=0)) for _ in range(3)))
print(code_of(lambda: go(driver.LaunchShape((0, 1, 1), (1, 1, 1)))))
print(code_of(lambda: go(driver.LaunchShape((1, 1, 1), (1, 1, 1), shared=49153))))
"""
    )
    assert printed(fake, program) == ["701", "0", "0", "2", "0", "1", "1"]


def test_a_process_hangs_dies_or_crashes_where_the_script_says(
    library: Path, cubin: Path, tmp_path: Path
) -> None:
    program = LAUNCH.format(cubin=str(cubin)) + "go(); driver.synchronise()"
    died = run(FakeCuda.place(library, tmp_path / "die", "die launch 1 7"), program)
    crashed = run(FakeCuda.place(library, tmp_path / "crash", "crash synchronise 1 0"), program)
    assert (died.returncode, crashed.returncode) == (7, -signal.SIGABRT)
    hung = FakeCuda.place(library, tmp_path / "hang", "hang synchronise 1 0")
    assert goes_on_after(hung, program, "launch")


def test_a_wait_for_a_flag_that_nobody_sets_hangs_as_on_a_gpu(
    library: Path, tmp_path: Path
) -> None:
    program = """
stream = driver.create_stream()
host = driver.ask(raw.cuMemHostAlloc, 4, 0)
driver.ask(raw.cuStreamWaitValue32, stream, int(host), 1, 0)
if {opened}:
    ctypes.c_uint32.from_address(int(host)).value = 1
driver.synchronise()
"""
    opened = FakeCuda.place(library, tmp_path / "opened")
    assert printed(opened, program.format(opened=True)) == []
    assert [line["already"] for line in opened.lines("wait_value")] == [False]
    shut = FakeCuda.place(library, tmp_path / "shut")
    assert goes_on_after(shut, program.format(opened=False), "stuck")
    assert len(shut.lines("stuck")) == 1


def test_a_tensor_map_can_be_read_back_and_wants_its_alignment(
    library: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path)
    program = """
room = ctypes.create_string_buffer(256)
at = -(-ctypes.addressof(room) // 64) * 64
def numbers(kind, *values):
    return (kind * len(values))(*values)
def encode(to):
    long, word = ctypes.c_uint64, ctypes.c_uint32
    return ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(ctypes.c_void_p(to), 9, 2, ctypes.c_void_p(4096),
        numbers(long, 64, 8), numbers(long, 128), numbers(word, 64, 8), numbers(word, 1, 1), 0, 0, 0, 0)
print(encode(at + 16), encode(at), ctypes.string_at(at, 24).hex())
"""
    map_bytes = "46414b454d415000" + "00" * 8 + "0010000000000000"
    assert printed(fake, program) == ["1", "0", map_bytes]
    (line,) = fake.lines("map")
    assert (line["mode"], line["dims"], line["strides"]) == ("tiled", [64, 8], [128])


def test_what_is_no_cubin_is_refused(library: Path, tmp_path: Path) -> None:
    fake = FakeCuda.place(library, tmp_path)
    assert printed(fake, "print(code_of(lambda: driver.load_module(b'x' * 64)))") == ["200"]


def test_a_question_that_the_table_does_not_answer_is_an_error(
    library: Path, tmp_path: Path
) -> None:
    fake = FakeCuda.place(library, tmp_path)
    which = "raw.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX"
    assert printed(fake, f"print(code_of(lambda: driver.attribute(0, {which})))") == ["1"]
    assert len(fake.lines("unknown_attribute")) == 1
