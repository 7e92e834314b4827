"""What a machine remembers of one GPU beyond the life of a worker: what runs, what was lost, why it rests (rule T6)."""

from dataclasses import dataclass, replace

from evaluation.core.messages import Attempt

LOSSES_KEPT = 256  # the newest; a kernel that damages devices comes again soon or never
LOSSES_ALLOWED = 1  # a kernel that was lost once is tried once more, and never after that


@dataclass(frozen=True, slots=True)
class Running:
    """A kernel that was handed to the GPU and of which nothing was heard since. ``kernel`` is its plan's SHA-256."""

    kernel: str
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class Loss:
    """A GPU or a worker went down while ``kernel`` ran. ``by_time``: it never ended, rather than breaking something."""

    kernel: str
    what: str
    by_time: bool


@dataclass(frozen=True, slots=True)
class Ledger:
    """``sick`` and ``drifted`` say why the GPU takes no kernels; empty where it does.

    A person ends ``sick``, a canary that is well again ends ``drifted``.
    """

    running: Running | None = None
    losses: tuple[Loss, ...] = ()
    sick: str = ""
    drifted: str = ""

    @property
    def resting(self) -> str:
        return self.sick or self.drifted

    def losses_of(self, kernel: str) -> tuple[Loss, ...]:
        return tuple(one for one in self.losses if one.kernel == kernel)


def begun(ledger: Ledger, running: Running) -> Ledger:
    """Note a kernel before its first launch."""
    return replace(ledger, running=running)


def ended(ledger: Ledger) -> Ledger:
    """The kernel at hand is done with and the GPU is well."""
    return replace(ledger, running=None)


def lost(ledger: Ledger, what: str, *, by_time: bool) -> Ledger:
    """Put the loss down to the kernel at hand; without one nobody is to blame and nothing changes."""
    if ledger.running is None:
        return ledger
    loss = Loss(ledger.running.kernel, what, by_time)
    return replace(ledger, running=None, losses=(*ledger.losses, loss)[-LOSSES_KEPT:])
