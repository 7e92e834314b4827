"""What served a kernel: the versions behind its numbers, and whether it was locked in while it ran."""

from evaluation.core.measure.seen import DeviceSeen
from evaluation.core.records import Fact
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage


def version_facts(device: DeviceSeen) -> tuple[Fact, ...]:
    """Give what the vendor's numbers depend on; a library that did not say its version is told as unknown."""
    libraries = device.libraries
    return (
        Fact("driver", device.driver),
        Fact("torch", libraries.torch),
        Fact("cuda", libraries.cuda),
        Fact("cuda_driver", libraries.cuda_driver),
        Fact("cublas", libraries.cublas),
        Fact("cudnn", libraries.cudnn),
        Fact("confined", "yes" if device.confined else "no"),
    )


def confinement_signals(device: DeviceSeen) -> tuple[Signal, ...]:
    """Hold every verdict of a launcher without its jail (rule T2)."""
    if device.confined:
        return ()
    sentence = "The process that launched the kernel was not in its jail, so nothing kept the kernel from the judge."
    return (Signal("unconfined", 1, Severity.HOLD, Stage.CHECK, sentence),)
