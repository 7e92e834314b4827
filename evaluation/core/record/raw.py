"""What the recorder hands to the differ: bytes of jailed processes, and how each process ended."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RawRecording:
    """One jailed process.

    ``text`` is the author's document (docs/recording.md) and may hold anything. ``dropped`` counts
    bytes over the output limit. Exactly one of ``exit_code`` and ``signal`` is set unless a limit
    ended the process.
    """

    text: bytes = field(repr=False)
    dropped: int
    exit_code: int | None
    signal: int | None
    timed_out: bool
    cpu_exhausted: bool
    memory_exhausted: bool


@dataclass(frozen=True, slots=True)
class Recordings:
    """All recordings of one kernel.

    ``first`` and ``second`` are compared: fixed addresses, different token bases. ``noise`` has
    the bases of ``first`` and random process addresses; it is empty unless asked for.
    """

    first: RawRecording
    second: RawRecording
    noise: tuple[RawRecording, ...] = ()
