"""Readers of stream files: every format gives batches of occurrences, errors name file, row and column.

`open_stream` reads one file, `open_streams` several merged by end time. Readers keep the order of CSV,
NDJSON and Parquet rows; what to do with a late one is for the engine to say.
"""

from __future__ import annotations

from etalis_py.core.formats import STREAM_FORMATS
from etalis_py.streams.batch import Batch, concat
from etalis_py.streams.merge import merge
from etalis_py.streams.opening import open_bytes, open_stream, open_streams
from etalis_py.streams.stream_file import StreamFile

__all__ = [
    "STREAM_FORMATS",
    "Batch",
    "StreamFile",
    "concat",
    "merge",
    "open_bytes",
    "open_stream",
    "open_streams",
]
