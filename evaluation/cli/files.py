"""Files that a user names, for reading and for writing. What does not work ends in one message."""

import os
import sys
from pathlib import Path
from typing import Final

STANDARD: Final = "-"


class Unreadable(Exception):
    """The input cannot be read; the message is for the user."""


class CannotWrite(Exception):
    """The output cannot be written; the message is for the user."""


def called(file: str) -> str:
    """What messages call an input."""
    return "standard input" if file == STANDARD else file


def read(file: str, *, limit_bytes: int) -> bytes:
    """The whole file, or standard input for ``-``. Raise Unreadable, also for more than ``limit_bytes``."""
    try:
        if file == STANDARD:
            content = sys.stdin.buffer.read(limit_bytes + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(limit_bytes + 1)
    except OSError as error:
        raise Unreadable(f"cannot read {called(file)}: {error.strerror}") from error
    except ValueError as error:  # a NUL byte in a path
        raise Unreadable(f"cannot read {called(file)}: {error}") from error
    if len(content) > limit_bytes:
        raise Unreadable(f"cannot read {called(file)}: it has more than {limit_bytes} bytes")
    return content


def make_folder(folder: Path) -> None:
    """Make a folder for output, before any work is done for it. Raise CannotWrite."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"cannot make the folder {folder}: {error.strerror}") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise CannotWrite(f"cannot write into the folder {folder}")


def check_writable(file: Path) -> None:
    """Find out before any work is done whether ``write`` could work; changes nothing. Raise CannotWrite."""
    if file.is_dir():
        raise CannotWrite(f"cannot write {file}: it is a folder")
    place = file if file.exists() else file.parent
    if not os.access(place, os.W_OK):
        why = "permission denied" if place.exists() else "the folder does not exist"
        raise CannotWrite(f"cannot write {file}: {why}")


def write(file: Path, content: bytes) -> None:
    """Write the whole file. Raise CannotWrite."""
    try:
        file.write_bytes(content)
    except OSError as error:
        raise CannotWrite(f"cannot write {file}: {error.strerror}") from error
