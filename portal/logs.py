"""One line of JSON for each thing that happened. No local variables and no request bodies: those hold secrets."""

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

# Set by portal.middleware for as long as a request is answered.
request_id: ContextVar[str] = ContextVar("request_id", default="")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "said": record.getMessage(),
        }
        if request := request_id.get():
            line["request"] = request
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
