"""Streams of micro-batches for Spark: a file each, read one at a time, and what comes of them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from etalis_py.core.terms import lexical_form
from etalis_py.engine.engine import Engine
from etalis_py.spark_udfs.session.session import STATE_STORE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Event = tuple[int, int, str, str, str]
"""Start, end (microseconds), subject, predicate, object in N-Triples."""
Answers = Counter[tuple[Any, ...]]

SECOND = 1_000_000
_COLUMNS = "start long, end long, s string, p string, o string"


@contextmanager
def state_in_rocks_db(spark: SparkSession) -> Iterator[None]:
    """What a stream with state needs, and few partitions."""
    before = {name: spark.conf.get(name, None) for name in (*STATE_STORE, "spark.sql.shuffle.partitions")}
    for name, value in {**STATE_STORE, "spark.sql.shuffle.partitions": "2"}.items():
        spark.conf.set(name, value)
    yield
    for name, old in before.items():
        spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def write_micro_batches(folder: Path, micro_batches: Iterable[Sequence[Event]]) -> None:
    """One file for each micro-batch, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    names = _COLUMNS.replace(" long", "").replace(" string", "").split(", ")
    first = len(list(folder.iterdir()))
    for number, rows in enumerate(micro_batches, first):
        text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        hidden = folder / f".{number:05}.json"
        hidden.write_text(text)
        os.utime(hidden, (1_000_000 + number, 1_000_000 + number))
        hidden.rename(folder / f"{number:05}.json")


def read_micro_batches(spark: SparkSession, folder: Path, delay: int = 0) -> DataFrame:
    """A stream of what `write_micro_batches` wrote; its watermark on ``end`` has ``delay`` (microseconds)."""
    from pyspark.sql import functions as f

    files = spark.readStream.schema(_COLUMNS).option("maxFilesPerTrigger", 1).json(str(folder))
    return files.withColumn("end", f.timestamp_micros("end")).withWatermark("end", f"{delay} microseconds")


def cut(events: Sequence[Event], delay: int, sizes: Sequence[int], choice: Random) -> Iterator[list[Event]]:
    """Micro-batches of such sizes, out of order by ``delay`` at most; the last one lets time pass all."""
    arrival = [event[1] + choice.randint(0, delay) for event in events]
    order = sorted(range(len(events)), key=arrival.__getitem__)
    while order:
        size = choice.choice(sizes)
        yield [events[index] for index in order[:size]]
        order = order[size:]
    end = max(event[1] for event in events) + delay + 1000
    yield [(end, end, "<urn:nobody>", "<urn:looks>", "<urn:here>")]


def run_to_end(answers: DataFrame, folder: Path, progress: list[Any] | None = None) -> list[Any]:
    """All answers of the stream as it is now, which are kept in ``folder`` with its checkpoint.

    ``progress`` gets what Spark tells of each micro-batch.
    """
    writer = answers.writeStream.format("parquet").option("path", str(folder / "out"))
    query = writer.option("checkpointLocation", str(folder / "check")).trigger(availableNow=True).start()
    try:
        query.awaitTermination()
        if progress is not None:
            progress += query.recentProgress
    finally:
        query.stop()
    return answers.sparkSession.read.schema(answers.schema).parquet(str(folder / "out")).collect()


def answers_here(
    events: Iterable[Event], queries: Mapping[str, str], until: int | None = None, **options: Any
) -> Answers:
    """What one engine finds: in all events, or as long as time has passed ``until`` (microseconds) only."""
    with Engine(**options) as engine:
        for name, text in queries.items():
            engine.register(text, name=name)
        rows = sorted(events, key=lambda event: event[1])
        columns = zip(("start", "end", "s", "p", "o"), zip(*rows, strict=True), strict=True)
        engine.send_batch({name: list(column) for name, column in columns})
        if until is None:
            engine.finish()
        else:
            engine.advance(until)
        found: Answers = Counter()
        for match in engine.matches():
            values = ((name, lexical_form(term)[0]) for name, term in match.encoded.items())
            terms = tuple((name, _nameless(text)) for name, text in sorted(values))
            triples = match.encoded_triples or ()
            made = sorted(tuple(_nameless(lexical_form(term)[0]) for term in triple) for triple in triples)
            found[match.query, match.start, match.end, terms, tuple(made)] += 1
        return found


def in_microseconds(answers: DataFrame) -> DataFrame:
    """The same with times as numbers."""
    times = {name: f"unix_micros({name})" for name in ("start", "end")}
    return answers.selectExpr(*(f"{times.get(name, f'`{name}`')} AS `{name}`" for name in answers.columns))


def answers_there(rows: Iterable[Mapping[str, Any]]) -> Answers:
    """Rows of answers as dicts, with times as numbers (`in_microseconds`), in the same form."""
    found: Answers = Counter()
    for row in rows:
        fixed = ("query", "start", "end", "triples", "watermark")
        terms = {name: term for name, term in row.items() if name not in fixed and term is not None}
        values = tuple((name, _text(term)) for name, term in sorted(terms.items()))
        made = sorted(tuple(_text(triple[place]) for place in "spo") for triple in row["triples"] or ())
        found[row["query"], row["start"], row["end"], values, tuple(made)] += 1
    return found


def rows_of_sink(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows in Spark's file sink: of those files that its log has, and no others."""
    for path in sorted(
        {
            json.loads(line)["path"]
            for log in (folder / "_spark_metadata").glob("[0-9]*")
            for line in log.read_text().splitlines()[1:]
        }
    ):
        yield from pq.read_table(path.removeprefix("file://"), partitioning=None).to_pylist()


def _text(term: Mapping[str, str]) -> str:
    return "_:" if term["type"] == "bnode" else term["value"]


def _nameless(text: str) -> str:
    return "_:" if text.startswith("_:") else text
