"""A kernel by itself, for tools that watch a whole process: set-up, some calls, and an end (rule C8).

Nobody is at the other end, nothing is timed and nothing compared. Every allocation has exactly the size that was asked
for, since memcheck knows where an allocation ends and not how much of it a kernel was given. Whatever the kernel does,
an error of the driver's too, the process ends with 0; OUR_FAULT says that it did not come to the kernel.

Arguments: paths of plan, cubin and the image of the judge's own kernels, the number of calls, a word of Contents. With
two more, a word of Likeness and a path, inputs are secret and a file says how the later calls compare with the first.
"""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.memory import Buffer
from evaluation.adapters.gpu.trusted import Trusted
from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.port import NO_STEP
from evaluation.core.measure.examination_run import OUR_FAULT, Contents, Likeness, likeness_from
from evaluation.core.plan.plan import Plan
from evaluation.launcher.failures import OurFailure, StepFailed, ours, theirs
from evaluation.launcher.machine import DEVICE, Machine, open_machine
from evaluation.launcher.places import SharedSets
from evaluation.launcher.repeats import Repeats
from evaluation.launcher.replay import OwnKernels, Replay, fill
from evaluation.launcher.setting_up import Documents, read_plan, set_up

_INPUT_KEY = 0x5EED  # inputs are the same in every run, and secret from nobody
_OUTPUT_KEY = 0x0DD5
_BF16_BYTES = 2
_KEY_BYTES = 8


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
    plan, cubin, own, calls, contents, *comparing = sys.argv[1:]
    documents = Documents(Path(plan).read_bytes(), Path(cubin).read_bytes(), SharedSets())
    image = Path(own).read_bytes()
    try:
        if comparing:
            likeness, told = comparing
            seen = repeat(documents, image, int(calls), likeness_from(likeness))
            Path(told).write_text(json.dumps(seen), encoding="ascii")
        else:
            run(documents, image, int(calls), Contents(contents))
    except StepFailed:
        raise SystemExit(0) from None
    except (OurFailure, ToolFailure) as failure:
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
        _bring(plan, documents.shared, machine, trusted, own, key=_INPUT_KEY)
    replay, _ = set_up(documents, machine, own, exact)
    for call in range(calls):
        _call(replay, call)


def repeat(
    documents: Documents, image: bytes, calls: int, likeness: Likeness
) -> list[dict[str, int]]:
    """Call again and again on the same inputs, and say how each output of later calls differs from the first's.

    Raise as ``run`` does. Inputs are of this run alone, so that no kernel knows by them that it is watched.
    """
    plan = read_plan(documents)
    machine = open_machine()
    with ours(OurFault.IMAGE):
        trusted = Trusted(image, device=DEVICE)
        key = int.from_bytes(os.urandom(_KEY_BYTES), "little")
        _bring(plan, documents.shared, machine, trusted, trusted, key=key)
    replay, _ = set_up(documents, machine, trusted, exact)
    outputs = tuple(
        documents.shared.buffers[0, place]
        for place, argument in enumerate(plan.arguments)
        if argument.is_output
    )
    repeats = Repeats(trusted, machine.stream, likeness, outputs)
    for call in range(calls):
        with ours(OurFault.IMAGE):
            repeats.renew(call)
        _call(replay, call)
        with ours(OurFault.IMAGE):
            repeats.look()
    return repeats.seen


def exact(size: int) -> Exact:
    """An allocation of this size and no more. Raise CudaError."""
    base = driver.allocate(size)
    return Exact(size, mapped=size, base=base, reservation=0, reserved=0, handle=0, writable=True)


def _bring(
    plan: Plan,
    shared: SharedSets,
    machine: Machine,
    trusted: Trusted,
    own: OwnKernels,
    *,
    key: int,
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
            trusted.normals(stream, buffer.base, count, DType.BFLOAT16, key=key, which=place)
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
