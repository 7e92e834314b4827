"""What the judge and the program that replays a plan by itself (launcher/alone.py) have to agree on."""

from enum import StrEnum, unique
from typing import Final

OUR_FAULT: Final = 3
"""Exit code of a run that did not come to the kernel. Whatever a kernel does, its run ends with 0."""


@unique
class Contents(StrEnum):
    """What is in outputs and in the plan's own allocations before a call. Inputs always hold normal values."""

    RANDOM = "random"
    UNTOUCHED = "untouched"  # so that initcheck can tell who reads what nobody has written
