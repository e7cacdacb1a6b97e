"""Messages of Kafka, or of anything like it, as events: each is one line of the NDJSON form.

Only the form of messages is dealt with here. Reading and writing them is the work of Spark's own connector.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core.errors import DataError, Place, RunTimeError, UsageError
from etalis_py.core.times import TimeUnit
from etalis_py.engine.option_values import check_time_unit
from etalis_py.spark_udfs.execution.failures import sent_home
from etalis_py.spark_udfs.session.interpreter import share_python
from etalis_py.spark_udfs.sources.aside import write_whole
from etalis_py.spark_udfs.sources.rows import SCHEMA, storable, to_record_batch
from etalis_py.streams import Batch
from etalis_py.streams.columns import RowReader
from etalis_py.streams.lines import Text
from etalis_py.streams.ndjson_reader import read_ndjson

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["events_of_messages"]

_PLACE: Final = ("topic", "partition", "offset")
_PIECE: Final = 500
"""Messages that are read together: what is behind a bad one is read anew."""


def events_of_messages(
    messages: DataFrame, *, bad_records: str | None = None, time_unit: TimeUnit | None = None
) -> DataFrame:
    """The events in the column ``value`` of messages, batch or streaming.

    Each message is one JSON object as a line of an NDJSON stream file is one: start, end, s, p, o, graph.

    Args:
        messages: ``value`` as text or bytes (UTF-8); ``topic``, ``partition`` and ``offset``, as Kafka has
            them, say in errors which message is meant.
        bad_records: a folder that all workers see. Messages that are no events go there, one file each, with
            the reason; without it the first one is an error.
        time_unit: what times count that are numbers: ``"s"``, ``"ms"`` or ``"us"``; None is microseconds, and
            an error where they seem to be something else.

    Returns:
        start, end (timestamps), s, p, o, graph. An error (EP403, EP404, EP406 to EP410, EP418, EP606, EP608)
        shows in an action, as those of ``detect`` do.

    Raises:
        UsageError: EP504, there is no such column; EP505, no such unit.

    >>> from etalis_py.spark_udfs import local_session
    >>> spark = local_session("example")
    >>> text = '{"start": 1000000, "s": "<urn:box1>", "p": "<urn:unloaded>", "o": "<urn:dock>"}'
    >>> messages = spark.createDataFrame([(text,)], "value string")
    >>> events_of_messages(messages).select("end", "s", "o").show()
    +-------------------+----------+----------+
    |                end|         s|         o|
    +-------------------+----------+----------+
    |1970-01-01 00:00:01|<urn:box1>|<urn:dock>|
    +-------------------+----------+----------+
    <BLANKLINE>
    """
    check_time_unit(time_unit)
    kinds = {field.name: field.dataType.simpleString() for field in messages.schema.fields}
    if kinds.get("value") not in ("string", "binary"):
        raise UsageError(
            "EP504",
            f"messages have no text or bytes in a column 'value': {', '.join(kinds)}",
            hint="name it so: messages.withColumnRenamed(NAME, 'value')",
        )
    columns = ["value", *(name for name in _PLACE if all(each in kinds for each in _PLACE))]
    share_python(messages.sparkSession)
    folder = None if bad_records is None else str(Path(bad_records).absolute())
    return messages.select(*columns).mapInArrow(_Messages(folder, time_unit), SCHEMA)


@dataclass(frozen=True, slots=True)
class _Messages:
    """The function for ``mapInArrow``."""

    folder: str | None
    time_unit: TimeUnit | None = None

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The events of one part."""
        import pyarrow as pa

        times = [(name, pa.timestamp("us", tz="UTC")) for name in ("start", "end")]
        schema = pa.schema([*times, *((name, pa.string()) for name in ("s", "p", "o", "graph"))])
        reader = RowReader("messages", unit=self.time_unit)
        with sent_home():
            for chunk in chunks:
                for batch in self._batches(chunk, reader):
                    if len(batch):
                        yield to_record_batch(batch, schema)

    def _batches(self, chunk: pa.RecordBatch, reader: RowReader) -> Iterator[Batch]:
        """The events of a chunk; after a message that is none it goes on with the next."""
        values = chunk.column("value").to_pylist()
        first = 0
        while first < len(values):
            lines, wrong = _lines(values, first)
            good = 0
            try:
                for batch in storable(
                    read_ndjson(iter([Text(lines, 1)] if lines else []), reader, _PIECE), None
                ):
                    good += len(batch)
                    yield batch
            except DataError as error:
                if error.code == "EP418":  # all messages are meant
                    raise
                wrong = error
            first += good
            if wrong is None:
                continue
            self._refuse(_named(wrong, chunk, first), chunk, first, values[first])
            first += 1

    def _refuse(self, error: DataError, chunk: pa.RecordBatch, index: int, value: Any) -> None:
        if self.folder is None:
            raise error
        text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
        where = {name: chunk.column(name)[index].as_py() for name in _PLACE if name in chunk.schema.names}
        told = {**where, "code": error.code, "reason": error.message, "hint": error.hint, "record": text}
        line = json.dumps(told, ensure_ascii=False)
        # One name for one message, so that a task that runs again leaves it once.
        name = "-".join(map(str, where.values())) or sha256(line.encode("utf-8", "replace")).hexdigest()[:16]
        try:
            write_whole(Path(self.folder), f"{name}.ndjson", f"{line}\n".encode("utf-8", "backslashreplace"))
        except OSError as problem:
            raise RunTimeError(
                "EP608",
                f"bad messages cannot be put aside in {self.folder}: {problem.strerror or problem}",
                hint="workers write there: is there space, and permission?",
            ) from problem


def _lines(values: list[Any], first: int) -> tuple[str, DataError | None]:
    """Some messages from an index on, a line each, up to the first that is no text, with its error."""
    lines: list[str] = []
    for value in values[first : first + _PIECE]:
        try:
            text = value.decode() if isinstance(value, bytes) else value
        except UnicodeDecodeError as error:
            byte = value[error.start]
            return "".join(lines), DataError(
                "EP403", f"byte 0x{byte:02X} is not UTF-8 text", hint="messages are JSON in UTF-8"
            )
        # In JSON a line end is white space: within a string it is escaped.
        line = "" if text is None else text.replace("\n", " ").replace("\r", " ")
        if not line.strip():
            hint = 'each message is an object: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}'
            return "".join(lines), DataError("EP406", "the message is empty", hint=hint)
        lines.append(line + "\n")
    return "".join(lines), None


def _named(error: DataError, chunk: pa.RecordBatch, index: int) -> DataError:
    """The error with the message it is about in the place of a line."""
    excerpt = None if error.place is None else error.place.excerpt
    place = Place("messages", excerpt=excerpt)
    if "topic" in chunk.schema.names:
        topic, partition, offset = (chunk.column(name)[index].as_py() for name in _PLACE)
        place = replace(place, source=f"topic {topic}, partition {partition}, offset {offset}")
    return DataError(error.code, error.message, place=place, hint=error.hint)
