"""A trajectory's document as it is kept: scrubbed while it is read, so that no secret is ever stored."""

import io

from portal.uploads.importers.records import Document
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.scrub_json import scrub_json


def scrubbed_document(content: bytes, member: str, limits: Limits) -> Document:
    """Scrub a whole JSON document; its order stays, its white space goes."""
    out = io.BytesIO()
    scrubbed = scrub_json(io.BytesIO(content), out, limits, member)
    return Document(out.getvalue(), scrubbed.found, scrubbed.total)
