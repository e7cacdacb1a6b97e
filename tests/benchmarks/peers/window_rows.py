"""The rows of windows on streams: what Flink SQL and rsp-js have as well.

Each closes once a second, and holds what came in [close - width, close). The stream goes on with seconds in
which nothing matches, for rsp-js, which evaluates a window when the next element comes. Each number comes
once, so that a triple of RDF is a row of SQL.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pyarrow as pa

from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers.comparison import Comparison
from tests.benchmarks.peers.duckdb_contender import duckdb_sql
from tests.benchmarks.peers.engine_forms import engine_forms
from tests.benchmarks.peers.flink_contender import flink_sql
from tests.benchmarks.peers.loops import Columns, python
from tests.benchmarks.peers.place import Place
from tests.benchmarks.peers.rspjs_contender import rspjs
from tests.benchmarks.peers.streams import KEYS
from tests.benchmarks.streams import STEP, integer, iri
from tests.benchmarks.workload import Row, Trial

__all__ = ["WINDOW_ROWS"]

SECOND = 1_000 * STEP
SUMS = "?x (COUNT(*) AS ?n) (SUM(?v) AS ?total)"
OF_A_KEY = "{ ?x :p ?v }", "GROUP BY ?x", ("x", "n", "total")
PAIRS = "{ ?x :p ?v . ?x :q ?w }", "", ("x", "v", "w")


def tumbling(place: Place, count: int) -> Trial:
    """The events of each second, counted and added up by key."""
    return _trial(place, count, "p", "window-tumbling", 1, SUMS, OF_A_KEY, partial(_sums, 1), ("bins",))


def hopping(place: Place, count: int) -> Trial:
    """The same of the last ten seconds, each second."""
    return _trial(place, count, "p", "window-hopping", 10, SUMS, OF_A_KEY, partial(_sums, 10))


def join(place: Place, count: int) -> Trial:
    """Two steps of a key in one second, in any order."""
    return _trial(place, count, "pq", "window-join", 1, "?x ?v ?w", PAIRS, _pairs, ("bins",))


def _trial(
    place: Place,
    count: int,
    steps: str,
    name: str,
    seconds: int,
    shown: str,
    asked: tuple[str, str, tuple[str, ...]],
    loop: Callable[[int, Columns], list[Row]],
    by_duckdb: tuple[str, ...] = (),
) -> Trial:
    where, grouped, variables = asked
    table = _stream(count, steps, seconds)
    streams = pa.array([iri("s")] * table.num_rows).dictionary_encode()
    declared = f"PREFIX : <{PREFIX}>\nSELECT {shown}\nFROM NAMED WINDOW :w ON %s [RANGE %s STEP %s]"
    query = f"{declared}\nWHERE {{\nWINDOW :w {where}\n}} {grouped}"
    ours = "PRAGMA window-bounds closed-open\n" + query % (":s", f"{seconds}s", "1s")
    theirs = query % ("STREAM :s", seconds * 1_000, 1_000)
    contenders = {
        **engine_forms(table.append_column("stream", streams), ours),
        **place.if_available("rsp-js", lambda: {"rsp-js": rspjs(place, table, theirs, *variables)}),
        **place.if_available(
            "flink", lambda: {"flink, SQL": flink_sql(place, table, name, seconds * SECOND)}
        ),
        **place.if_available(
            "duckdb",
            lambda: {
                f"duckdb, {form}": duckdb_sql(table, f"{name}-{form}", window=seconds * SECOND)
                for form in by_duckdb
            },
        ),
        "python": python(table, loop, SECOND),
    }
    return Trial(table.num_rows, contenders, {"window_us": seconds * SECOND})


def _stream(count: int, steps: str, seconds: int) -> pa.Table:
    """So many events of random keys and steps, a millisecond apart, and then two in each second."""
    random = Random(6)
    keys = [random.randrange(KEYS) for _ in range(count)]
    taken = [random.choice(steps) for _ in range(count)]
    after = 2 * (seconds + 2)
    last = (count - 1) * STEP
    times = [*range(0, count * STEP, STEP), *(last + (each + 1) * SECOND // 2 for each in range(after))]
    return pa.table(
        {
            "start": pa.array(times, pa.int64()),
            "s": [*(iri(f"k{key}") for key in keys), *[iri("end")] * after],
            "p": [*map(iri, taken), *[iri("end")] * after],
            "o": list(map(integer, range(count + after))),
        }
    )


# ---- by hand ----------------------------------------------------------------------------------------------


def _seconds(second: int, columns: Columns) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
    """What comes in each second in which something comes, by the time of its end."""
    held: list[tuple[str, str, int]] = []
    close = second
    for time, key, predicate, value in zip(*columns, strict=True):
        while time >= close:
            yield close, held
            held, close = [], close + second
        held.append((key, predicate[-1], value))
    yield close, held


def _sums(width: int, second: int, columns: Columns) -> list[Row]:
    """Counts and sums of so many seconds are those of one more, without those of the oldest."""
    rows: list[Row] = []
    counts, sums = Counter[str](), Counter[str]()
    kept: list[list[tuple[str, int]]] = []
    for close, held in _seconds(second, columns):
        kept.append([(key, value) for key, predicate, value in held if predicate == "p"])
        for key, value in kept[-1]:
            counts[key] += 1
            sums[key] += value
        for key, value in kept.pop(0) if len(kept) > width else ():
            counts[key] -= 1
            sums[key] -= value
            if not counts[key]:
                del counts[key], sums[key]
        rows += ((key, number, sums[key], close, close) for key, number in counts.items())
    return rows


def _pairs(second: int, columns: Columns) -> list[Row]:
    rows: list[Row] = []
    for close, held in _seconds(second, columns):
        first: defaultdict[str, list[int]] = defaultdict(list)
        for key, predicate, value in held:
            if predicate == "p":
                first[key].append(value)
        rows += (
            (key, one, other, close, close)
            for key, predicate, other in held
            if predicate == "q"
            for one in first.get(key, ())
        )
    return rows


WINDOW_ROWS = (
    Comparison("window-tumbling", "count and sum by key, each second", tumbling, 100_000, 4_000),
    Comparison("window-hopping", "the same over ten seconds, each second", hopping, 20_000, 4_000),
    Comparison("window-join", "two steps of a key in one second", join, 100_000, 4_000),
)
