"""Counters of the host code in kernel arguments (rule L14): one value a call, in even steps.

Nothing else may change from call to call: not grid, block, sizes, pointers or payloads.
"""

import re
from dataclasses import dataclass

from evaluation.core.binary.facts import Parameter
from evaluation.core.plan.plan import Stepping
from evaluation.core.record.relocation import differences

LEAST_CALLS = 6  # steady calls a rule is inferred from

_NARROW, _WIDE = 4, 8
_DIFFERENT = re.compile(rb"[^\0]")


@dataclass(frozen=True, slots=True)
class Inferred:
    """``content`` has the values of the call before the first of those given."""

    content: bytes
    rules: tuple[Stepping, ...]


@dataclass(frozen=True, slots=True)
class NoRule:
    """The byte at ``at`` changes from call to call, and ``why`` no counter explains it."""

    at: int
    why: str


def infer_steps(
    contents: tuple[bytes, ...], parameters: tuple[Parameter, ...]
) -> Inferred | NoRule:
    """Explain what differs between the parameter blocks of steady calls, all of one length."""
    content = bytearray(contents[0])
    rules: list[Stepping] = []
    varying = _varying(contents)
    end = 0
    while (match := _DIFFERENT.search(varying, end)) is not None:
        at = match.start()
        if len(contents) < LEAST_CALLS:
            return NoRule(at, f"fewer than {LEAST_CALLS} calls show how it changes")
        rule = _rule_at(contents, parameters, varying, at)
        if isinstance(rule, NoRule):
            return rule
        rules.append(rule)
        end = rule.at + rule.width
        before = _value(contents[0], rule.at, rule.width) - rule.step
        content[rule.at : end] = (before % (1 << 8 * rule.width)).to_bytes(rule.width, "little")
    return Inferred(bytes(content), tuple(rules))


def _varying(contents: tuple[bytes, ...]) -> bytes:
    """Give a byte string that is zero where all contents agree."""
    union = 0
    for one in contents[1:]:
        union |= int.from_bytes(differences(contents[0], one), "little")
    return union.to_bytes(len(contents[0]), "little")


def _rule_at(
    contents: tuple[bytes, ...], parameters: tuple[Parameter, ...], varying: bytes, at: int
) -> Stepping | NoRule:
    inside = next((one for one in parameters if one.offset <= at < one.offset + one.size), None)
    if inside is None or inside.size < _NARROW:
        return NoRule(at, "only integers of 4 or 8 bytes may step")
    for start, width in _readings(contents, inside, varying, at):
        if inside.offset <= start and start + width <= inside.offset + inside.size:
            step = _even_step(contents, start, width)
            if step is not None:
                return Stepping(start, width, step)
    return NoRule(at, "it does not grow by the same step in every call")


def _readings(
    contents: tuple[bytes, ...], inside: Parameter, varying: bytes, at: int
) -> tuple[tuple[int, int], ...]:
    """Give places and widths of the integer that ``at`` may belong to, the likelier one first.

    The lower half of a long counter steps evenly by itself; its upper half then does not.
    """
    narrow, wide = (at // _NARROW * _NARROW, _NARROW), (at // _WIDE * _WIDE, _WIDE)
    upper = wide[0] + _NARROW
    carries = any(varying[upper : upper + _NARROW]) and (
        _even_step(contents, upper, _NARROW) is None
    )
    return (wide, narrow) if inside.size == _WIDE or carries else (narrow, wide)


def _even_step(contents: tuple[bytes, ...], at: int, width: int) -> int | None:
    values = [_value(one, at, width) for one in contents]
    modulus = 1 << 8 * width
    step = (values[1] - values[0]) % modulus
    for index, value in enumerate(values):
        if (values[0] + index * step - value) % modulus:
            return None
    return step


def _value(content: bytes, at: int, width: int) -> int:
    return int.from_bytes(content[at : at + width], "little")
