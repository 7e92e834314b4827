"""The launches of a plan in short lines, for the screen; ``plan show`` has all of it."""

import re
from collections.abc import Iterator
from typing import Final

from evaluation.core.plan.plan import LaunchAttribute, LaunchStep, Plan
from evaluation.core.quoting import quoted

_LAUNCHES: Final = 8
_PART = re.compile(r"L?(\d{1,3})")
_QUALIFIERS: Final = "KVrRO"
_ANONYMOUS: Final = "_GLOBAL__N_"
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,79}\Z")


def launch_lines(plan: Plan) -> Iterator[str]:
    """One line a launch of a steady call, at most eight and a count."""
    launches = [step for step in plan.steady if isinstance(step, LaunchStep)]
    for step in launches[:_LAUNCHES]:
        yield _line(step)
    if len(launches) > _LAUNCHES:
        yield f"and {len(launches) - _LAUNCHES} more launches"


def _line(step: LaunchStep) -> str:
    clusters = [one.value for one in step.settings if one.attribute is LaunchAttribute.CLUSTER]
    parts = (
        f"grid {_by(step.grid)}",
        f"block {_by(step.block)}",
        *(f"cluster {_by(one)}" for one in clusters),
        *((f"{step.shared} bytes dynamic shared",) if step.shared else ()),
        *(("cooperative",) if step.cooperative else ()),
    )
    return f"{short_name(step.function)}: {', '.join(parts)}"


def short_name(name: str) -> str:
    """A function's own name without its parameters, where the mangled one says it plainly; else the whole, quoted.

    For the eye alone: two functions may share a short name. A kernel is no member of a class, so what stands before
    its own name are namespaces, and template arguments can only be its own.
    """
    if _NAME.match(name) and not name.startswith("_Z"):
        return name
    nested = name.startswith("_ZN")
    rest = name[3:].lstrip(_QUALIFIERS) if nested else name[2:]
    parts: list[str] = []
    while (nested or not parts) and (length := _PART.match(rest)):
        end = length.end() + int(length[1])
        parts.append(rest[length.end() : end])
        rest = rest[end:]
    shown = "::".join(part for part in parts if not part.startswith(_ANONYMOUS))
    template = "<>" if rest.startswith("I") else ""
    plain = name.startswith("_Z") and all(_NAME.match(part) for part in parts)
    whole = not nested or rest.startswith(("E", "I"))
    return f"{shown}{template}" if shown and plain and whole else quoted(name)


def _by(sides: tuple[int, ...]) -> str:
    """Sizes without the ones at the end: ``132``, ``448 x 64``."""
    most = max((place for place, side in enumerate(sides) if side != 1), default=0)
    return " x ".join(str(side) for side in sides[: most + 1])
