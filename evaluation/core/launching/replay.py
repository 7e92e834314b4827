"""The bytes of one call: a plan's templates with pointers, tensor maps and counters written in.

The plan was validated: every hole lies in its bytes. Nothing here reads a clock or knows a driver.
"""

import math
from collections.abc import Callable, Iterable, Mapping

from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    FreeStep,
    LaunchStep,
    MapStep,
    Place,
    PlanFunction,
    Step,
    Stepping,
    Template,
)

MOST_HELD = 512
"""Operations that are enqueued behind the flag of a window. A stream takes some thousand before the host must wait."""

POINTER_BYTES = 8
MAP_BYTES = 128
Locate = Callable[[Address], int]
"""Gives the device address that stands for an address of the plan in the call at hand."""


def held_calls(steps: Iterable[Step]) -> int:
    """Give how many calls of ``steps`` one flag holds back; 0 where it holds not even one.

    The judge counts this itself: a launcher's word on it could free a kernel from the bound on its time (rule S1).
    """
    operations = sum(not isinstance(step, AllocStep | FreeStep | MapStep) for step in steps)
    return MOST_HELD // max(1, operations)


def map_cycle(steps: Iterable[Step]) -> int:
    """Give the number of calls after which the tensor maps of ``steps`` are over the same places again."""
    return math.lcm(*(len(step.encode.address) for step in steps if isinstance(step, MapStep)))


def located(place: Place, call: int, locate: Locate) -> int:
    """Give the device address of a place in call ``call``, counted from 0."""
    return locate(place[call % len(place)])


def filled_in(template: Template, call: int, locate: Locate, maps: Mapping[int, bytes]) -> bytes:
    """Write pointers and the 128 bytes of tensor maps into a template."""
    content = bytearray(template.content)
    for one in template.relocations:
        pointer = located(one.to, call, locate)
        content[one.at : one.at + POINTER_BYTES] = pointer.to_bytes(POINTER_BYTES, "little")
    for use in template.maps:
        content[use.at : use.at + MAP_BYTES] = maps[use.map]
    return bytes(content)


def parameter_block(
    step: LaunchStep, call: int, locate: Locate, maps: Mapping[int, bytes]
) -> bytes:
    """Give the parameter block of a launch in call ``call``, its counters stepped (rule L14)."""
    content = bytearray(filled_in(step.parameters, call, locate, maps))
    for rule in step.stepping:
        end = rule.at + rule.width
        content[rule.at : end] = _stepped(bytes(content[rule.at : end]), rule, call)
    return bytes(content)


def parameters(block: bytes, function: PlanFunction) -> tuple[bytes, ...]:
    """Cut a parameter block into the function's parameters, in their order."""
    return tuple(block[one.start : one.end] for one in function.parameters)


def _stepped(start: bytes, rule: Stepping, call: int) -> bytes:
    value = int.from_bytes(start, "little") + call * rule.step
    return (value % (1 << 8 * rule.width)).to_bytes(rule.width, "little")
