"""A kernel by itself, for tools that watch a whole process: set-up, some calls, and an end (rule C8).

Nobody is at the other end, nothing is timed and nothing compared. Every allocation has exactly the size that was asked
for, since memcheck knows where an allocation ends and not how much of it a kernel was given. Whatever the kernel does,
an error of the driver's too, the process ends with 0; OUR_FAULT says that it did not come to the kernel.

Arguments: paths of plan, cubin and the image of the judge's own kernels, the number of calls, a word of Contents.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.memory import Buffer
from evaluation.adapters.gpu.trusted import Trusted
from evaluation.core.catalogue.dtype import DType
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.port import NO_STEP
from evaluation.core.measure.examination_run import OUR_FAULT, Contents
from evaluation.core.plan.plan import Plan
from evaluation.launcher.failures import OurFailure, StepFailed, ours, theirs
from evaluation.launcher.machine import DEVICE, Machine, open_machine
from evaluation.launcher.places import SharedSets
from evaluation.launcher.replay import OwnKernels, Replay, fill
from evaluation.launcher.setting_up import Documents, read_plan, set_up

_INPUT_KEY = 0x5EED  # inputs are the same in every run, and secret from nobody
_OUTPUT_KEY = 0x0DD5
_BF16_BYTES = 2


@dataclass(frozen=True, slots=True)
class Exact(Buffer):
    """Plain memory of one size: nothing of it is slack, and it starts in the same place for every call."""

    def address(self, *, end_aligned: bool) -> int:
        del end_aligned
        return self.base


class Untouched:
    """The judge's own kernels for a run in which nobody but the kernel writes to memory that the plan makes."""

    def bits(self, stream: int, address: int, size: int, *, key: int) -> None:
        """Write nothing."""

    def load(self, stream: int) -> None:
        """No call is timed."""

    def flush(self, stream: int) -> None:
        """The same."""


def main() -> NoReturn:
    """Run and end with 0, or with OUR_FAULT and a word on standard error."""
    plan, cubin, own, calls, contents = sys.argv[1:]
    documents = Documents(Path(plan).read_bytes(), Path(cubin).read_bytes(), SharedSets())
    try:
        run(documents, Path(own).read_bytes(), int(calls), Contents(contents))
    except StepFailed:
        raise SystemExit(0) from None
    except OurFailure as failure:
        sys.stderr.write(f"{failure}\n")
        raise SystemExit(OUR_FAULT) from None
    raise SystemExit(0)


def run(documents: Documents, image: bytes, calls: int, contents: Contents) -> None:
    """Set up and call. Raise StepFailed as soon as the driver reports an error, and OurFailure."""
    plan = read_plan(documents)
    machine = open_machine()
    with ours(OurFault.IMAGE):
        trusted = Trusted(image, device=DEVICE)
        own = trusted if contents is Contents.RANDOM else Untouched()
        _bring(plan, documents.shared, machine, trusted, own)
    replay, _ = set_up(documents, machine, own, exact)
    for call in range(calls):
        _call(replay, call)


def exact(size: int) -> Exact:
    """An allocation of this size and no more. Raise CudaError."""
    base = driver.allocate(size)
    return Exact(size, mapped=size, base=base, reservation=0, reserved=0, handle=0, writable=True)


def _bring(
    plan: Plan, shared: SharedSets, machine: Machine, trusted: Trusted, own: OwnKernels
) -> None:
    """Make and fill the arguments. Pairs of bfloat16 normals are finite as float32 too, so no type has to be known."""
    stream = machine.stream
    for place, argument in enumerate(plan.arguments):
        buffer = exact(argument.size)
        shared.buffers[0, place] = buffer
        if argument.is_output:
            own.bits(stream, buffer.base, buffer.size, key=_OUTPUT_KEY + place)
        else:
            count = buffer.size // _BF16_BYTES
            trusted.normals(stream, buffer.base, count, DType.BFLOAT16, key=_INPUT_KEY, which=place)
    driver.synchronise()


def _call(replay: Replay, call: int) -> None:
    """Make one call step by step. Nothing is held back: a tool may wait for each launch before it lets us go on."""
    actions = replay.steady.prepare(call, number=0, end_aligned=False)
    with ours(OurFault.IMAGE):
        fill(replay.own, replay.machine, replay.steady.places.fresh)
        driver.synchronise()
    with theirs(NO_STEP):
        for action in actions:
            action.enqueue()
        driver.synchronise()
