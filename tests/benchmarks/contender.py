"""The engine as a contender: an Arrow table in, matches out, or Arrow tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from etalis_py.core.terms import Encoded, encode_ntriples
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.benchmarks.kernel import CHUNK
from tests.benchmarks.workload import Batches, Contender, Outcome, Row, Run

__all__ = ["drain", "engine", "row_of"]


def engine(
    table: Batches,
    *queries: str,
    before: Batches | None = None,
    events: int | None = None,
    same_answers: bool = True,
    last_only: bool = False,
    columns: bool = False,
    **options: Any,
) -> Contender:
    """The engine with some queries; ``before`` is sent before the clock runs. Options are `Engine`'s.

    With ``last_only`` the answers are those of the last query; the others feed it. With ``columns`` they are
    taken as an Arrow table of each query, a SELECT, and not as matches.
    """
    answers_of = f"query-{len(queries)}" if last_only else None

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with Engine(**options) as made:
            for number, query in enumerate(queries, 1):
                made.register(query, name=f"query-{number}")
            if before is not None:
                drain(made, before, keep=False)
            made.advance(_first_time(table))  # rules are installed before the first event
            deque(made.matches(), maxlen=0)

            def run() -> Outcome:
                return drain(made, table, keep=keep, finish=True, answers_of=answers_of, columns=columns)

            yield run

    return Contender(ready, events, same_answers)


def drain(
    engine: Engine,
    table: Batches,
    *,
    keep: bool,
    finish: bool = False,
    answers_of: str | None = None,
    columns: bool = False,
) -> Outcome:
    """Send a table batch by batch, and take the matches after each; of this query, if one is named.

    With ``columns``, take Arrow tables.
    """
    count = 0
    rows: list[Row] = []

    def take() -> None:
        nonlocal count
        if columns:
            tables = engine.tables()
            count += tables.num_rows
            if keep:
                for answers in tables.values():
                    rows.extend(_rows_of_table(answers))
            return
        matches: Sequence[Match] = list(engine.matches())
        if answers_of is not None:
            matches = [match for match in matches if match.query == answers_of]
        count += len(matches)
        if keep:
            rows.extend(map(row_of, matches))

    for batch in table.to_batches(max_chunksize=CHUNK):
        engine.send_batch(batch)
        take()
    if finish:
        engine.finish()
        take()
    return Outcome(count, rows=rows if keep else None)


def _first_time(table: Batches) -> int:
    start: int = next(iter(table.to_batches(max_chunksize=1))).column("start")[0].as_py()
    return start


def row_of(match: Match) -> Row:
    """A match as a kernel gives it."""
    if match.encoded_triples is not None:
        values: Sequence[Encoded | None] = [
            value for triple in match.encoded_triples for value in (triple[0], triple[2])
        ]
    else:
        values = match.values
    plain = (value[0] if isinstance(value, tuple) else value for value in values)
    return (*plain, match.start, match.end)


def _rows_of_table(answers: pa.Table) -> Iterator[Row]:
    """Answers of a SELECT as a kernel gives them."""
    starts, ends, *columns = answers.columns
    terms = ((text and encode_ntriples(text) for text in column.to_pylist()) for column in columns)
    values = ([term[0] if isinstance(term, tuple) else term for term in column] for column in terms)
    times = (column.cast(pa.int64()).to_pylist() for column in (starts, ends))
    return zip(*values, *times, strict=True)
