"""Reads the JSON of a request as what it is: small, and from anyone."""

import json
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from portal.uploads.importers.fields import shown
from portal.uploads.receiving import NotTaken

LIMIT_BYTES = 64 << 10
LIMIT_DEPTH = 4


class BoundedJson(BaseParser):
    """Refuses what is long, deep, says a key twice, or holds no finite number or half of a character.

    Files come in other ways.
    """

    media_type = "application/json"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:  # noqa: ARG002 (the signature)
        content = stream.read(LIMIT_BYTES + 1)
        try:
            parsed = wire.parse(
                content, where="body", limit_bytes=LIMIT_BYTES, limit_depth=LIMIT_DEPTH
            )
            # JSON can escape one half of a pair of surrogates, which no answer could repeat.
            json.dumps(parsed, ensure_ascii=False).encode()
        except InvalidInput as wrong:
            raise ParseError(str(wrong)) from None
        except UnicodeEncodeError:
            raise ParseError("body: holds half of a surrogate pair") from None
        return parsed


def as_a_form(said: dict[str, Any]) -> dict[str, Any]:
    """A body as a form would send it, where every value is a word but for a box to tick. Raise NotTaken for others."""
    for key, value in said.items():
        if isinstance(value, (list, dict)):
            what = f"{shown(key, 40)} is a list or an object"
            raise NotTaken("bad_request", what, "send a word, a number or true")
    return {
        key: value if key == "consent" or value is None else str(value)
        for key, value in said.items()
    }
