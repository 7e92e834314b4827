"""Which GPUs of this machine a measure worker can have. Asked in a process of its own: the driver stays out of ours."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os import getpid
from pathlib import Path

from evaluation.core.errors import ToolMissing
from evaluation.core.quoting import quoted
from portal.quickstart.processes import end_with

_NODES = Path("/dev")
_LOOK_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class FoundGpu:
    """``product`` names the device table; empty where nothing is measured on this GPU, and then ``why`` says why."""

    number: int
    product: str
    why: str


def look(environment: Mapping[str, str], *, nodes: Path = _NODES) -> tuple[FoundGpu, ...]:
    """Every GPU that the driver has made a node for, fit or not."""
    count = len(list(nodes.glob("nvidia[0-9]*")))
    if not count:
        return ()
    try:
        looked = subprocess.run(  # noqa: S603 - this module
            [sys.executable, "-P", "-m", "portal.quickstart.gpus", str(count)],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LOOK_SECONDS,
            check=True,
            preexec_fn=partial(end_with, getpid()),
        )
    except subprocess.TimeoutExpired:
        return (FoundGpu(0, "", f"the driver did not answer within {_LOOK_SECONDS:g} s"),)
    except subprocess.CalledProcessError as failed:
        last = failed.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return (FoundGpu(0, "", f"looking for it failed: {quoted(last, limit=300)}"),)
    return tuple(FoundGpu(*one) for one in json.loads(looked.stdout))


def _looked_at(count: int) -> Iterator[FoundGpu]:
    """What this process sees; it loads the driver."""
    try:
        from evaluation.adapters.doctor_gpu import check_torch  # noqa: PLC0415 - needs the extra
        from evaluation.adapters.measure_wiring import find_gpu  # noqa: PLC0415 - the same
    except ImportError as missing:
        yield FoundGpu(0, "", f"{missing.name} is not installed")
        return
    torch = check_torch()
    for number in range(count):
        try:
            gpu = find_gpu(number)
        except ToolMissing as missing:
            yield FoundGpu(number, "", missing.what)
            continue
        if gpu.device is None:
            yield FoundGpu(number, "", f"{gpu.facts.name} has no device table")
        elif not torch.ok:
            yield FoundGpu(number, "", torch.detail)
        else:
            yield FoundGpu(number, gpu.device.product, "")


if __name__ == "__main__":
    found = [(one.number, one.product, one.why) for one in _looked_at(int(sys.argv[1]))]
    sys.stdout.write(json.dumps(found))
