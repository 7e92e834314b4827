"""Reads the JSON of a request as what it is: small, and from anyone."""

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from evaluation.core import wire
from evaluation.core.errors import InvalidInput

LIMIT_BYTES = 64 << 10
LIMIT_DEPTH = 4


class BoundedJson(BaseParser):
    """Refuses what is long, deep, says a key twice or holds no finite number. Files come in other ways."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:  # noqa: ARG002 (the signature)
        content = stream.read(LIMIT_BYTES + 1)
        try:
            return wire.parse(
                content, where="body", limit_bytes=LIMIT_BYTES, limit_depth=LIMIT_DEPTH
            )
        except InvalidInput as wrong:
            raise ParseError(str(wrong)) from None
