"""Which GPU the command judge uses: the one asked for, or the one there is and nobody has."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from evaluation.adapters.gpu_use import GpuUnavailable, in_use
from evaluation.adapters.measure_wiring import Gpu, quarantine_of
from evaluation.adapters.wiring import create
from evaluation.adapters.workspace import Workspace
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
    """``device`` is the product of GPU ``number``; None where no GPU is used, and then ``why`` says why not.

    ``here`` is the product of the GPU that there is, also of one that is taken or in quarantine.
    """

    number: int
    device: Device | None
    why: str = ""
    here: Device | None = None


def choose(options: argparse.Namespace, workspace: Workspace, find: FindGpu) -> Choice:
    """Choose by ``--gpu``, ``--target`` and ``--device``.

    A GPU that was asked for by number and will not do is an error: ToolMissing where it is not there or must not be
    used now, InvalidInput where it is another product. With ``auto`` all that only means that stages are left for a
    machine that has one. The GPU is claimed only to see that it can be, since a compile comes first.
    """
    if options.gpu == NO:
        return Choice(FIRST, None, "left out: --gpu no")
    if options.gpu != AUTO:
        number = int(options.gpu)
        return _if_free(options, workspace, number, _fitting(find(number), options))
    try:
        device = _fitting(find(FIRST), options)
    except ToolMissing:
        return Choice(FIRST, None, _NONE)
    except InvalidInput as other:
        return Choice(FIRST, None, f"needs another GPU: {other.key} {other.rule}")
    return _if_free(options, workspace, FIRST, device)


def left_out(options: argparse.Namespace, why: GpuUnavailable) -> str:
    """Why the stages that need a GPU do not run. Raise ``why`` where this GPU, or a tool on it, was asked for."""
    if options.gpu != AUTO or options.examine:
        raise why
    return f"needs a GPU: {why.what}; {why.action}"


def _if_free(
    options: argparse.Namespace, workspace: Workspace, number: int, device: Device
) -> Choice:
    create(workspace)
    try:
        with in_use(quarantine_of(workspace, device.product, number)):
            return Choice(number, device, here=device)
    except GpuUnavailable as why:
        return Choice(number, None, left_out(options, why), here=device)


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
