"""Which GPU the command judge uses: the one asked for, or the one there is."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from evaluation.adapters.measure_wiring import Gpu
from evaluation.core.catalogue.device import Device
from evaluation.core.errors import InvalidInput, ToolMissing
from evaluation.core.verdict import Target

AUTO = "auto"
NO = "no"
FIRST = 0
_NONE = "needs a GPU; ptxboard doctor says why this machine has none to judge on"

FindGpu = Callable[[int], Gpu]


@dataclass(frozen=True, slots=True)
class Choice:
    """``device`` is the product of GPU ``number``; None where no GPU is used, and then ``why`` says why not."""

    number: int
    device: Device | None
    why: str = ""


def choose(options: argparse.Namespace, find: FindGpu) -> Choice:
    """Choose by ``--gpu``, ``--target`` and ``--device``.

    A GPU that was asked for by number and will not do is an error: ToolMissing where it is not there, InvalidInput
    where it is another product. With ``auto`` both only mean that stages are left for a machine that has one.
    """
    if options.gpu == NO:
        return Choice(FIRST, None, "left out: --gpu no")
    if options.gpu != AUTO:
        number = int(options.gpu)
        return Choice(number, _fitting(find(number), options))
    try:
        return Choice(FIRST, _fitting(find(FIRST), options))
    except ToolMissing:
        return Choice(FIRST, None, _NONE)
    except InvalidInput as other:
        return Choice(FIRST, None, f"needs another GPU: {other.key} {other.rule}")


def is_choice(word: str) -> str:
    """The word as it is; raise ValueError for what is no choice."""
    if word not in {AUTO, NO} and not (word.isascii() and word.isdecimal() and len(word) < 4):
        raise ValueError(word)
    return word


def _fitting(gpu: Gpu, options: argparse.Namespace) -> Device:
    target = Target(options.target)
    if gpu.device is None or gpu.device.target is not target:
        rule = f"is no {target} product that there is a device table for"
        raise InvalidInput(where="--gpu", key=gpu.facts.name, rule=rule)
    if options.device not in {None, gpu.device.product}:
        rule = f"is an {gpu.device.product}, and the plan is to be for {options.device}"
        raise InvalidInput(where="--gpu", key=gpu.facts.name, rule=rule)
    return gpu.device
