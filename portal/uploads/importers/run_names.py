"""Names of the members of a run directory that matter; anything else in it is passed over unread."""

import re
from dataclasses import dataclass
from enum import StrEnum

_NAME = re.compile(
    r"(?P<root>(?:[^/]+/)*?)(?:"
    r"(?P<plan>plan\.json)|"
    r"(?P<summary>summary\.json)|"
    r"(?P<trajectory>trajectories/(?P<exp>[^/]+)\.json)|"
    r"(?P<record>success/(?P<recorded>[^/]+)/record\.json)|"
    r"(?P<kernel>success/(?P<made>[^/]+)/kernel_v(?P<version>\d{1,6})\.(?:cu|py))"
    r")\Z"
)
_NUMBER = re.compile(r"exp_(\d{1,6})\Z")


class Part(StrEnum):
    PLAN = "plan"
    SUMMARY = "summary"
    TRAJECTORY = "trajectory"
    RECORD = "record"
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True)
class RunMember:
    """``root`` is the folder of the run, empty or ending in a slash; ``experiment`` is empty for plan and summary."""

    part: Part
    root: str
    experiment: str = ""
    version: int = 0


def run_member(name: str) -> RunMember | None:
    """Understand a member's name; None where the member does not matter."""
    found = _NAME.match(name)
    if found is None:
        return None
    part = next(part for part in Part if found[part.value] is not None)
    experiment = found["exp"] or found["recorded"] or found["made"] or ""
    return RunMember(part, found["root"], experiment, int(found["version"] or 0))


def experiment_number(experiment: str) -> int | None:
    """Give 7 for ``exp_007``; None for any other name."""
    found = _NUMBER.match(experiment)
    return int(found[1]) if found else None


def is_of_a_run(name: str) -> bool:
    """Tell whether a name shows that an archive is a run directory."""
    found = run_member(name)
    return found is not None and found.part in (Part.PLAN, Part.TRAJECTORY)
