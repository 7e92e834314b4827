"""What the shim answers from the device table, the table itself answers (rules L6 and T3)."""

import pytest
from recordings import CUBIN, Record, Recorded

from evaluation.adapters.catalogue import packaged
from evaluation.core.record.assumption_table import first_forged
from evaluation.core.record.recording_reader import read_recording

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def asked(recorded: Recorded) -> dict[str, int]:
    """How many questions were answered, by call."""
    calls = [one["call"] for one in recorded.of("query")]
    return {call: calls.count(call) for call in sorted(set(calls))}


def check(recorded: Recorded) -> None:
    events = read_recording(recorded.raw.text).events
    assert first_forged(events, packaged().device("h200"), CUBIN) is None


def test_the_table_gives_every_answer_about_the_device(act: Record) -> None:
    recorded = act("device_questions", calls=1)
    assert recorded.events[-1]["e"] == "end"
    found = asked(recorded)
    assert found["cuDeviceGetAttribute"] == 12
    assert set(found) == {
        "cuCtxGetLimit",
        "cuDeviceGetAttribute",
        "cuDeviceGetCount",
        "cuDeviceGetName",
        "cuDeviceTotalMem",
        "cuDriverGetVersion",
        "cudaDeviceGetAttribute",
        "cudaDeviceGetLimit",
        "cudaDeviceGetStreamPriorityRange",
        "cudaDriverGetVersion",
        "cudaGetDeviceCount",
    }
    check(recorded)


def test_the_table_gives_every_answer_about_a_kernel(act: Record) -> None:
    recorded = act("kernel_questions", calls=1)
    assert recorded.events[-1]["e"] == "end"
    assert asked(recorded) == {
        "cuFuncGetAttribute": 80,  # five rounds of 16 attributes
        "cudaFuncGetAttributes": 5,
        "cudaOccupancyAvailableDynamicSMemPerBlock": 90,
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor": 280,  # of 7 numbers of threads and 8 sizes
        "cudaOccupancyMaxActiveClusters": 204,
        "cudaOccupancyMaxPotentialClusterSize": 204,
    }
    check(recorded)
