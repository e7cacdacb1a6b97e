"""DuckDB as a contender: a query in SQL over the whole Arrow table at once, into an Arrow table.

The texts of the queries are duckdb/forms/*.sql. It knows nothing of streams: the last event must be there
before the first answer is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

import pyarrow as pa

from tests.benchmarks.workload import Contender, Outcome, Run, Unavailable

__all__ = ["duckdb_sql"]

FORMS = Path(__file__).resolve().parent / "duckdb" / "forms"
VIEWS = """
CREATE VIEW numbers AS
SELECT start, s[2:-2] AS key, p, CAST(split_part(o, '"', 2) AS BIGINT) AS number FROM events;
CREATE VIEW links AS
SELECT start, s[2:-2] AS key, p, o[2:-2] AS object FROM events
"""
"""The events with their terms as plain text and integers: those whose objects are integers, or IRIs."""


def duckdb_sql(table: pa.Table, form: str, *, window: int = 0, classes: Collection[str] = ()) -> Contender:
    """DuckDB with the query of this name, on one thread.

    The window is in microseconds; ``classes`` is a table with a column ``name``. The clock takes the reading
    of terms, too, as the engine reads the same table.

    Raises:
        Unavailable: DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError as error:
        raise Unavailable("the package duckdb is not installed") from error
    text = Template(FORMS.joinpath(f"{form}.sql").read_text(encoding="utf-8")).substitute(window=window)

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register("events", table)
            connection.register("classes", pa.table({"name": pa.array(classes, pa.string())}))
            connection.execute(VIEWS)

            def run() -> Outcome:
                found = connection.sql(text).to_arrow_table()
                columns = [column.to_pylist() for column in found.columns] if keep else []
                return Outcome(found.num_rows, rows=list(zip(*columns, strict=True)) if keep else None)

            yield run

    return Contender(ready)
