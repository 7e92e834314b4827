"""What the tests of the shim record, and how they look at a recording."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction, Parameter
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument
from evaluation.core.record.raw import RawRecording

ACTIONS = Path(__file__).with_name("actions")
TENSORS = (
    Argument(
        name="a", is_output=False, dtype=DType.BFLOAT16, shape=(972, 4096), size_bytes=7962624
    ),
    Argument(name="b", is_output=True, dtype=DType.FLOAT32, shape=(8, 16), size_bytes=512),
)

SCALE = KernelFunction(
    name="scale",
    parameters=(Parameter(0, 0, 8), Parameter(1, 8, 8), Parameter(2, 16, 4), Parameter(3, 24, 8)),
    parameter_base=0x210,
    parameter_bytes=32,
    registers=40,
    static_shared_bytes=0,
    local_bytes=0,
    max_threads=0,
    cluster=None,
    code_bytes=128,
)
TABLE = replace(SCALE, name="table", parameters=(Parameter(0, 0, 256),), parameter_bytes=256)
CUBIN = CubinFacts(
    sm=90,
    functions=(SCALE, TABLE),
    symbols=(DeviceSymbol("weights", "global", 64), DeviceSymbol("constants", "constant", 256)),
    externs=(),
    global_bytes=64,
)


@dataclass(frozen=True)
class Recorded:
    """One recording, read loosely: the strict reader is tested elsewhere."""

    raw: RawRecording
    events: list[dict[str, Any]]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["e"] == kind]

    def in_call(self, number: int) -> list[dict[str, Any]]:
        """The events between `call` and `return` of one call."""
        marks = [index for index, event in enumerate(self.events) if event.get("n") == number]
        return self.events[marks[0] + 1 : marks[1] if len(marks) > 1 else len(self.events)]

    @property
    def told(self) -> list[int]:
        """What the action told in call 1 (action.h): numbers in memsets of the first tensor."""
        sets = [event for event in self.in_call(1) if event["e"] == "memset"]
        return [event["value"] + ((event["columns"] - 1) << 8) for event in sets]

    @property
    def refused(self) -> tuple[str, str]:
        """Name of the call and reason; the recording ends there."""
        last = self.events[-1]
        assert last["e"] == "refused", last
        return last["call"], last["why"]


Record = Callable[..., Recorded]


def action_number(name: str) -> int:
    """The integer argument of `run` that stands for an action; action.h counts the same."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value >> 2
