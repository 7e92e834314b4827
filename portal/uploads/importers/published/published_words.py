"""Words that the publication's files use for more than one thing, or for something that we call otherwise."""

import re
from datetime import date
from enum import StrEnum

from evaluation.core.verdict import Target

# Two forms occur, 2026-01-31 and 2026-0131, sometimes for the same day in two files.
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-?([0-9]{2})")
_EXPERIMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


class Tag(StrEnum):
    """Generations of instructions, by the letter that the publication gives them."""

    GENERIC = "G"
    AMPERE = "A"
    HOPPER = "H"
    BLACKWELL = "B"


def device_of(target: Target) -> str:
    """Name the GPU that the publication's runs used; it had one product for each target."""
    return {Target.HOPPER: "H100", Target.BLACKWELL: "B200"}[target]


def tag_of(target: Target) -> Tag:
    """Tell the tag that a correct turn needs to count for the target."""
    return {Target.HOPPER: Tag.HOPPER, Target.BLACKWELL: Tag.BLACKWELL}[target]


def day_of(text: str) -> date | None:
    """Read a day; None for one that no calendar has. Raise ValueError for text that is no day at all."""
    found = _DAY.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day = map(int, found.groups())
    try:
        return date(year, month, day)
    except ValueError:
        return None


def experiment_of(folder: str) -> str:
    """Reduce a path on an author's machine to its last part. Raise ValueError if that is no plain name."""
    last = folder.rpartition("/")[2]
    if not _EXPERIMENT.fullmatch(last):
        raise ValueError(folder)
    return last
