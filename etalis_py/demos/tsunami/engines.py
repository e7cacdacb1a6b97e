"""Run the demo's queries over the stream: in this process, or on Spark.

Both give the same solutions; ``detection.collect`` interprets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from etalis_py.demos.tsunami.names import HERE, QUERIES

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.demos.tsunami.dart import Recording
    from etalis_py.demos.tsunami.detection import Derived
    from etalis_py.engine.engine import Engine

__all__ = ["detect_local", "detect_on_spark", "load_queries"]


def load_queries(folder: Path = HERE) -> dict[str, str]:
    """The texts of the queries by name, in the order of ``names.QUERIES``."""
    return {name: (folder / f"{name}.rq").read_text(encoding="utf-8") for name in QUERIES}


def detect_local(
    events: Iterable[pa.Table], queries: Mapping[str, str], background: Sequence[Path]
) -> Iterator[Derived]:
    """Solutions of all queries over a stream (tables as ``stream.to_events`` gives) with the engine, here.

    Solutions come while the stream is read; the last ones when it ends.
    """
    from etalis_py.engine.engine import Engine

    with Engine(background=[str(path) for path in background]) as engine:
        for name, text in queries.items():
            engine.register(text, name=name)
        for table in events:
            engine.send_batch(table)
            yield from _solutions(engine)
        engine.finish()
        yield from _solutions(engine)


def _solutions(engine: Engine) -> Iterator[Derived]:
    for match in engine.matches():
        yield match.start, match.end, match.encoded_triples or ()


def detect_on_spark(
    recordings: Sequence[Recording], queries: Mapping[str, str], background: Sequence[Path]
) -> tuple[pa.Table, Iterator[Derived]]:
    """Cleaning and queries on Spark.

    Returns the readings as ``stream.readings_table`` gives them, and the solutions.
    """
    from etalis_py.demos.tsunami.spark_detection import detect_in_stages
    from etalis_py.demos.tsunami.spark_readings import cleaned, events_of, rows_of
    from etalis_py.spark_udfs import local_session

    readings = cleaned(rows_of(local_session("etalis demo tsunami"), recordings)).cache()
    table = readings.toArrow().sort_by([("second", "ascending"), ("buoy", "ascending")])
    return table, detect_in_stages(events_of(readings), queries, background)
