"""The scrub really scrubs: a mark that a kernel leaves in shared memory is there for the next one, and not behind a scrub.

Both kernels are PTX for the driver's own compiler, so the machine needs no toolkit.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.adapters.gpu.driver_launch import LaunchShape, launch
from evaluation.adapters.gpu.trusted import Trusted

from .packed import Pack

pytestmark = pytest.mark.gpu

MARK = 0x5C2B_BED1
THREADS = 1024
MOST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
NO_COMPILER = 221  # CUDA_ERROR_JIT_COMPILER_NOT_FOUND
# Volatile, so that no store is taken for dead and no load for known.
PTX = """
.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 room[];

.visible .entry leave(.param .u32 words, .param .u32 mark) {
  .reg .pred %done;
  .reg .b32 %words, %mark, %place, %base, %at;
  ld.param.u32 %words, [words];
  ld.param.u32 %mark, [mark];
  mov.u32 %place, %tid.x;
  mov.u32 %base, room;
NEXT:
  setp.ge.u32 %done, %place, %words;
  @%done bra END;
  mad.lo.u32 %at, %place, 4, %base;
  st.volatile.shared.u32 [%at], %mark;
  add.u32 %place, %place, 1024;
  bra NEXT;
END:
  ret;
}

.visible .entry find(.param .u32 words, .param .u32 mark, .param .u64 found) {
  .reg .pred %done, %same;
  .reg .b32 %words, %mark, %place, %base, %at, %value, %count;
  .reg .b64 %found;
  ld.param.u32 %words, [words];
  ld.param.u32 %mark, [mark];
  ld.param.u64 %found, [found];
  cvta.to.global.u64 %found, %found;
  mov.u32 %place, %tid.x;
  mov.u32 %base, room;
  mov.u32 %count, 0;
NEXT:
  setp.ge.u32 %done, %place, %words;
  @%done bra END;
  mad.lo.u32 %at, %place, 4, %base;
  ld.volatile.shared.u32 %value, [%at];
  setp.eq.u32 %same, %value, %mark;
  @%same add.u32 %count, %count, 1;
  add.u32 %place, %place, 1024;
  bra NEXT;
END:
  red.global.add.u32 [%found], %count;
  ret;
}
"""


@dataclass(frozen=True)
class Room:
    """All shared memory of the device that a launch can have, by one block on each multiprocessor."""

    stream: int
    trusted: Trusted
    leave: int
    find: int
    shape: LaunchShape
    found: int

    @property
    def words(self) -> int:
        return self.shape.shared // 4

    def mark(self) -> None:
        """Leave the mark everywhere. What is to be counted begins at zero now: nothing may come between."""
        driver.clear(self.found, 4, self.stream)
        self._run(self.leave, struct.pack("<I", self.words), struct.pack("<I", MARK))

    def marks(self) -> int:
        """How many words hold the mark, of a kernel that wrote none."""
        where = struct.pack("<Q", self.found)
        self._run(self.find, struct.pack("<I", self.words), struct.pack("<I", MARK), where)
        return int.from_bytes(driver.copy_from_device(self.found, 4, self.stream), "little")

    def _run(self, function: int, *parameters: bytes) -> None:
        launch(function, self.shape, stream=self.stream, parameters=parameters)


@pytest.fixture
def room(context: driver.Context, gpu: int, pack: Pack) -> Iterator[Room]:
    context.make_current()
    facts = driver.device_facts(gpu)
    try:
        module = driver.load_module(PTX.encode() + b"\0")
    except CudaError as error:
        if error.code != NO_COMPILER:
            raise
        pytest.skip("the driver's compiler of PTX is not installed here")
    leave, find = (driver.find_function(module, name) for name in ("leave", "find"))
    for function in (leave, find):
        driver.set_function_attribute(function, MOST_SHARED, facts.shared_optin_bytes)
    grid, block = (facts.multiprocessors, 1, 1), (THREADS, 1, 1)
    shape = LaunchShape(grid, block, facts.shared_optin_bytes, cooperative=True)
    made = Room(
        driver.create_stream(),
        Trusted(pack.trusted(), device=gpu),
        leave,
        find,
        shape,
        driver.allocate(4),
    )
    yield made
    driver.synchronise()
    made.trusted.close()
    driver.free(made.found)
    driver.destroy_stream(made.stream)
    driver.unload_module(module)


def test_without_a_scrub_the_next_kernel_finds_what_the_last_one_left(room: Room) -> None:
    """The control: were nothing found here, the test below would show nothing."""
    room.mark()
    everywhere = room.words * room.shape.grid[0]
    assert everywhere // 2 < room.marks() <= everywhere


def test_behind_a_scrub_nothing_of_it_is_left_on_any_multiprocessor(room: Room) -> None:
    room.mark()
    room.trusted.scrub(room.stream)
    assert room.marks() == 0
