"""Keeps one piece of work from taking the whole worker's memory with it."""

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

_DATA_LINE = "VmData:"


@contextlib.contextmanager
def at_most(more_bytes: int) -> Iterator[None]:
    """Let this process take so many bytes more than it has; beyond it Python raises MemoryError.

    For a process that does one thing at a time, as those of a worker's pool do. Readers have tighter bounds of their
    own; this is for the one that fails. Where the kernel does not say what a process has, nothing is bounded.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _data_bytes() + more_bytes
    lowered = [bound for bound in (limit, before, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(lowered), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _data_bytes() -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in lines if line.startswith(_DATA_LINE))
    return int(line.split()[1]) * 1024
