"""The server's log as JSON: one object a line."""

from __future__ import annotations

import json
import logging
import sys
from datetime import datetime, timezone
from typing import Any, Final

__all__ = ["REQUESTS", "log_as_json"]

REQUESTS: Final = logging.getLogger("etalis_py.serve.requests")
"""A record a request, with ``fields``."""


class _AsJson(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info is not None:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def log_as_json() -> None:
    """Write everything that the project and its server log to standard error, as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_AsJson())
    for name in ("etalis_py", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
