"""Reads a file of statements, such as a problem or a baseline, within limits: a folder may be anyone's."""

from importlib.resources.abc import Traversable
from typing import Final

from evaluation.core.errors import InvalidInput

LIMIT_BYTES: Final = 64 * 1024


def text_of(file: Traversable) -> str:
    """Return the whole text. Raise InvalidInput for a file larger than LIMIT_BYTES or not in UTF-8."""
    with file.open("rb") as stream:
        content = stream.read(LIMIT_BYTES + 1)
    if len(content) > LIMIT_BYTES:
        raise InvalidInput(where=file.name, key="", rule=f"is larger than {LIMIT_BYTES} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(where=file.name, key="", rule="is not UTF-8") from error
