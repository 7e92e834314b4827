"""Our own failures while strangers' bytes are at hand: what failed is said, and no value that a stranger wrote."""

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

_log = logging.getLogger(__name__)


@contextmanager
def said_without_values(doing: str, uid: UUID) -> Iterator[None]:
    """Log a failure by its kind and place alone, and go on: its text may quote an upload, which may hold secrets.

    The lease of the submission lapses, and another worker tries again.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 (the boundary of the process for everything an upload can break)
        _log.error("%s %s failed: %s", doing, uid, _kind_and_place(error))


def _kind_and_place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{one.filename.rsplit('/', 1)[-1]}:{one.lineno}" for one in frames[:-6:-1])
    return f"{type(error).__name__} at {places}"
