"""Bytes as descriptors: what is handed to a launcher is a sealed file in memory, which nobody can change any more."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from evaluation.adapters.pipes import write_all

_SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


@contextlib.contextmanager
def sealed(content: bytes) -> Iterator[int]:
    """Give a descriptor of a file with these bytes, open for the length of the block."""
    descriptor = os.memfd_create("launcher", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        write_all(descriptor, content)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
        yield descriptor
    finally:
        os.close(descriptor)
