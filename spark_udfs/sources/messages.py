"""Messages of Kafka, or of anything like it, as events: each is one line of the NDJSON form.

Only the form of messages is dealt with here. Reading and writing them is the work of Spark's own connector.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

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
from etalis_py.streams.opening import BATCH_ROWS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["events_of_messages"]

_PLACE: Final = ("topic", "partition", "offset")


def events_of_messages(
    messages: DataFrame, *, bad_records: str | None = None, time_unit: TimeUnit | None = None
) -> DataFrame:
    """The events in the column ``value`` of messages, batch or streaming.

    Each message is one JSON object as a line of an NDJSON stream file is one: start, end, s, p, o, stream,
    graph.

    Args:
        messages: ``value`` as text or bytes (UTF-8); ``topic``, ``partition`` and ``offset``, as Kafka has
            them, say in errors which message is meant.
        bad_records: a folder that all workers see. Messages that are not events go there, one file each, with
            the reason; without it the first one is an error.
        time_unit: what times count that are numbers: ``"s"``, ``"ms"`` or ``"us"``; None is microseconds, and
            an error where they seem to be something else.

    Returns:
        start, end (timestamps), s, p, o, stream, graph. An error (EP403, EP404, EP406 to EP410, EP414, EP418,
        EP606, EP608) shows in an action, as those of ``detect`` do.

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
            hint="rename it: messages.withColumnRenamed(NAME, 'value')",
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
        schema = pa.schema([*times, *((name, pa.string()) for name in ("s", "p", "o", "stream", "graph"))])
        reader = RowReader("messages", unit=self.time_unit)
        with sent_home():
            for chunk in chunks:
                for batch in self._batches(chunk, reader):
                    if len(batch):
                        yield to_record_batch(batch, schema)

    def _batches(self, chunk: pa.RecordBatch, reader: RowReader) -> Iterator[Batch]:
        """The events of a chunk; a bad message is an error, or put aside."""
        lines: list[int] = []  # the message that each line is

        def refuse(error: DataError, _record: str | None) -> None:
            assert error.place is not None
            assert error.place.row is not None, "all lines are rows"
            self._refuse(error, chunk, lines[error.place.row - 1])

        reader.on_bad = refuse
        yield from storable(read_ndjson(self._texts(chunk, lines), reader, BATCH_ROWS), refuse)

    def _texts(self, chunk: pa.RecordBatch, lines: list[int]) -> Iterator[Text]:
        """The messages that have text, a line each; ``lines`` is told which they are."""
        texts: list[str] = []
        for index, value in enumerate(chunk.column("value").to_pylist()):
            try:
                texts.append(_line(value))
                lines.append(index)
            except DataError as error:
                if texts:  # what comes before it first
                    yield Text("".join(texts), len(lines) - len(texts) + 1)
                    texts = []
                self._refuse(error, chunk, index)
        if texts:
            yield Text("".join(texts), len(lines) - len(texts) + 1)

    def _refuse(self, error: DataError, chunk: pa.RecordBatch, index: int) -> None:
        error = _named(error, chunk, index)
        if self.folder is None:
            raise error
        value = chunk.column("value")[index].as_py()
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
                hint="check that the workers have space and permission there",
            ) from problem


def _line(value: str | bytes | None) -> str:
    """A message as a line.

    Raises:
        DataError: EP403, EP406, it is not text.
    """
    try:
        text = value.decode() if isinstance(value, bytes) else value or ""
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        hint = "messages are JSON in UTF-8"
        raise DataError("EP403", f"byte 0x{byte:02X} is not UTF-8 text", hint=hint) from error
    # In JSON a line end is white space: within a string it is escaped.
    line = text.replace("\n", " ").replace("\r", " ")
    if not line.strip():
        hint = 'each message is an object: {"start": ..., "s": "<...>", "p": "<...>", "o": "..."}'
        raise DataError("EP406", "the message is empty", hint=hint)
    return line + "\n"


def _named(error: DataError, chunk: pa.RecordBatch, index: int) -> DataError:
    """The error with the message it is about in the place of a line."""
    excerpt = None if error.place is None else error.place.excerpt
    place = Place("messages", excerpt=excerpt)
    if "topic" in chunk.schema.names:
        topic, partition, offset = (chunk.column(name)[index].as_py() for name in _PLACE)
        place = replace(place, source=f"topic {topic}, partition {partition}, offset {offset}")
    return DataError(error.code, error.message, place=place, hint=error.hint)
