"""What the supervisor is told about one program that it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


def at_once() -> bool:
    """Ready as soon as it has been started."""
    return True


@dataclass(frozen=True, slots=True)
class Service:
    """A program with an environment of its own, which holds nothing of ours that is not named here.

    ``ready`` is asked again and again until it says so; it must answer within about a second. A service with ``once``
    is ready when it has ended with exit code 0. ``descriptors`` are given to it under their numbers.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    ready: Callable[[], bool] = at_once
    ready_seconds: float = 180.0
    once: bool = False
    stop_seconds: float = 10.0
    descriptors: tuple[int, ...] = ()
    private_files: bool = True  # what it writes is for its owner alone, unless it says otherwise


Stage = tuple[Service, ...]
"""Services that start together, once those of the stage before are ready; stages end in reverse order."""
