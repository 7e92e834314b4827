"""Outputs of repeated calls of one lone kernel: fresh before each, kept away from the device, compared with the first."""

import struct
from dataclasses import dataclass, field

import pytest

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.memory import Buffer
from evaluation.adapters.gpu.trusted import Compare
from evaluation.core.catalogue.dtype import DType
from evaluation.core.measure.compare_result import RESULT_BYTES
from evaluation.core.measure.examination_run import Likeness
from evaluation.launcher.repeats import Repeats

OUTPUTS = (
    Buffer(8, 8, 0x1000, 0, 0, 0, writable=True),
    Buffer(4, 4, 0x2000, 0, 0, 0, writable=True),
)
LIKENESS = Likeness(0.5, 0.25, ((DType.FLOAT32, (2, 1)), (DType.FLOAT32, (1, 1))))


@dataclass
class Device:
    """Memory by address, and a comparison that counts what differs at all."""

    memory: dict[int, bytes] = field(default_factory=dict)
    next: int = 0x9000
    keys: list[int] = field(default_factory=list)
    asked: list[Compare] = field(default_factory=list)

    def bits(self, stream: int, address: int, size: int, *, key: int) -> None:
        self.keys.append(key)
        self.memory[address] = bytes(size)

    def compare(self, stream: int, asked: Compare, result: int) -> None:
        self.asked.append(asked)
        got, expected = self.memory[asked.got], self.memory[asked.expected]
        words = zip(struct.iter_unpack("<f", got), struct.iter_unpack("<f", expected), strict=True)
        apart = sum(one != other for one, other in words)
        # Of the head only the second to the fourth number and, behind 80 bytes, the elements looked at are of use here.
        head = bytearray(RESULT_BYTES)
        struct.pack_into("<3Q", head, 8, apart, apart, apart)
        struct.pack_into("<Q", head, 80, len(got) // 4)
        self.memory[result] = bytes(head)

    def allocate(self, size: int) -> int:
        self.next += 0x1000
        self.memory[self.next] = bytes(size)
        return self.next

    def free(self, address: int) -> None:
        del self.memory[address]

    def put(self, address: int, content: bytes, stream: int) -> None:
        self.memory[address] = content

    def get(self, address: int, size: int, stream: int) -> bytes:
        return self.memory[address][:size]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    made = Device()
    monkeypatch.setattr(driver, "allocate", made.allocate)
    monkeypatch.setattr(driver, "free", made.free)
    monkeypatch.setattr(driver, "copy_to_device", made.put)
    monkeypatch.setattr(driver, "copy_from_device", made.get)
    monkeypatch.setattr(driver, "synchronise", lambda: None)
    return made


def called(repeats: Repeats, device: Device, call: int, *left: tuple[float, ...]) -> None:
    """One call that leaves these values in the outputs."""
    repeats.renew(call)
    assert not any(any(device.memory[one.base]) for one in OUTPUTS)
    for one, values in zip(OUTPUTS, left, strict=True):
        device.memory[one.base] = struct.pack(f"<{len(values)}f", *values)
    repeats.look()


def test_every_output_of_every_later_call_is_compared_with_the_first_call_s(
    device: Device,
) -> None:
    repeats = Repeats(device, 7, LIKENESS, OUTPUTS)  # type: ignore[arg-type]  # what it needs of one
    called(repeats, device, 0, (1.0, 2.0), (3.0,))
    assert repeats.seen == []
    called(repeats, device, 1, (1.0, 2.0), (3.0,))
    called(repeats, device, 2, (1.0, 5.0), (4.0,))
    counts = [(one["elements"], one["outside"], one["outside_fourfold"]) for one in repeats.seen]
    assert counts == [(2, 0, 0), (1, 0, 0), (2, 1, 1), (1, 1, 1)]
    assert {one["nonfinite"] for one in repeats.seen} == {0}
    first = device.asked[0]
    assert (first.got, first.dtype, first.shape) == (0x1000, DType.FLOAT32, (2, 1))
    assert (first.oracle, first.atol, first.rtol) == (None, 0.5, 0.25)


def test_outputs_hold_other_bits_before_every_call(device: Device) -> None:
    repeats = Repeats(device, 7, LIKENESS, OUTPUTS)  # type: ignore[arg-type]  # what it needs of one
    for number in range(3):
        called(repeats, device, number, (1.0, 2.0), (3.0,))
    assert len(set(device.keys)) == len(device.keys) == 6


def test_what_the_first_call_left_is_not_on_the_device_while_another_runs(device: Device) -> None:
    repeats = Repeats(device, 7, LIKENESS, OUTPUTS)  # type: ignore[arg-type]  # what it needs of one
    for number in range(3):
        called(repeats, device, number, (1.0, 2.0), (3.0,))
        assert set(device.memory) == {0x1000, 0x2000}
