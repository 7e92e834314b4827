"""Uses a GPU from the command line with a worker's care: claimed, well, and each kernel noted before it runs (T6)."""

import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from evaluation.adapters.quarantine import GpuTaken, Holder, Quarantine
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.ledger import Running
from evaluation.core.messages import Attempt

_WAIT = "wait until it is done, or stop it; judge --gpu no does without a GPU"
_LIFT = "look at it with nvidia-smi, reset it, then run ptxboard doctor --lift-quarantine"
_ENDED = "the process that judged ended while this kernel ran"


class GpuUnavailable(ToolMissing):
    """The GPU is there, but must not be used now: taken, in quarantine, or nothing can be noted of it."""


@contextmanager
def in_use(ledger: Quarantine) -> Iterator[None]:
    """Claim the GPU for the block. Raise GpuUnavailable, before the block, where it must not be used.

    A kernel that was running when its process ended is put down as lost first: whoever had the GPU is gone. GpuSick
    out of the block puts the GPU in quarantine.
    """
    _enter(ledger)
    try:
        yield
    except GpuSick as sick:
        ledger.set_sick(sick.what)
        raise
    finally:
        ledger.release()


@contextmanager
def noted(ledger: Quarantine, kernel: str) -> Iterator[None]:
    """The ledger names the kernel, its plan's SHA-256, in the block; GpuSick out of it is a loss that it caused.

    No portal knows of the attempt: what a command loses counts on this machine alone.
    """
    ledger.begin(Running(kernel, Attempt(str(uuid.uuid4()), 1, secrets.token_hex(16))))
    try:
        yield
    except GpuSick as sick:
        ledger.lose(sick.what, by_time=False)
        raise
    finally:
        ledger.end()


def _enter(ledger: Quarantine) -> None:
    try:
        ledger.claim(Holder.COMMAND)
    except GpuTaken as taken:
        raise GpuUnavailable(taken.what, action=_WAIT) from taken
    except ToolFailure as unusable:
        raise GpuUnavailable(unusable.what, action=unusable.action) from unusable
    try:
        # Written whether or not there is a loss: where that does not work, no kernel is to be launched.
        resting = ledger.lose(_ENDED, by_time=False).resting
    except ToolFailure as unusable:
        ledger.release()
        raise GpuUnavailable(unusable.what, action=unusable.action) from unusable
    if resting:
        ledger.release()
        raise GpuUnavailable(f"the GPU {ledger.gpu} is in quarantine: {resting}", action=_LIFT)
