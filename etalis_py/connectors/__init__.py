"""Where events come from and answers go: brokers, sockets, files that grow (docs/sources.md).

`open_source` and `open_sink` make a `Source` or a `Sink` of a URL. Each needs the client of its kind, which
is loaded when it is used. What the bytes mean is nobody's business here.
"""

from __future__ import annotations

from etalis_py.connectors.base import Known, LostError, Message, Position, Sink, Source
from etalis_py.connectors.table import SCHEMES, is_url, open_sink, open_source

__all__ = [
    "SCHEMES",
    "Known",
    "LostError",
    "Message",
    "Position",
    "Sink",
    "Source",
    "is_url",
    "open_sink",
    "open_source",
]
