"""A two-step SEQ by key on Spark, in a process of its own: by ``detect``, or by a join in Spark SQL.

Run: python -m tests.benchmarks.spark_join engine|plain|sql|bins[,...] CORES EVENTS

It is the first row of ``etalis bench --peers``: the same stream and query. All read Parquet files and throw
their answers away. ``sql`` joins the events with themselves, as a user of Spark would: it pairs all events of
a key, so twice the stream takes four times as long. ``bins`` also joins by the time, in bins as long as the
window. Answers of both hold the texts of terms as they are. ``plain`` is ``detect`` with columns of plain
values. Prints JSON as ``spark_run`` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers.rows import SEQ2, WINDOW
from tests.benchmarks.peers.streams import alternating
from tests.benchmarks.spark_run import FILES, PLAIN, compare
from tests.benchmarks.streams import duration

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["answers_of", "write_events", "write_table"]

QUERY = f"PREFIX : <{PREFIX}> {SEQ2 % duration(WINDOW)}"
CONDITION = f"a.s = b.s AND a.start < b.start AND b.start - a.start < {WINDOW}"
COLUMNS = "a.s AS x, a.o AS a, b.o AS b, a.start AS start, b.start AS end"
JOINS = {
    "sql": f"""
        SELECT {COLUMNS} FROM {{events}} AS a JOIN {{events}} AS b ON {CONDITION}
        WHERE a.p = '<{PREFIX}p>' AND b.p = '<{PREFIX}q>'""",
    "bins": f"""
        WITH a AS (SELECT *, explode(array(start div {WINDOW}, start div {WINDOW} + 1)) AS bin
                   FROM {{events}} WHERE p = '<{PREFIX}p>'),
             b AS (SELECT *, start div {WINDOW} AS bin FROM {{events}} WHERE p = '<{PREFIX}q>')
        SELECT {COLUMNS} FROM a JOIN b ON {CONDITION} AND a.bin = b.bin""",
}


def write_events(folder: Path, count: int) -> None:
    """The stream, in order."""
    write_table(folder, alternating(count))


def write_table(folder: Path, table: pa.Table) -> None:
    """In several files of one size, so that all cores have as much to read."""
    folder.mkdir()
    count = len(table)
    for part in range(FILES):
        first, last = part * count // FILES, (part + 1) * count // FILES
        pq.write_table(table.slice(first, last - first), folder / f"{part}.parquet")


def answers_of(session: SparkSession, how: str, path: Path) -> DataFrame:
    """The answers of the engine or of a join, to be found by an action."""
    from etalis_py.spark_udfs import detect

    frame = session.read.parquet(str(path))
    if how in JOINS:
        return session.sql(JOINS[how], events=frame)
    return detect(frame, QUERY, columns=PLAIN if how == "plain" else {})


if __name__ == "__main__":
    compare(__doc__, write_events, answers_of)
