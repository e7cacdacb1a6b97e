"""Readings as an event stream: eleven triples a reading, all at the reading's time.

The engine reads columns ``start``, ``end`` (microseconds since the epoch, UTC), ``s``, ``p``, ``o``
(N-Triples text). A reading is a node of its own, so that its triples stay together in a join over time::

    <...:reading:21418:1299822525> :buoy <...:buoy:21418> ; :time 1299822525 ; :height 5.662347E3 ;
        :mean0 ... ; :age0 ... ; ... ; :mean3 ... ; :age3 ... .

Readings without four means are not in the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.demos.tsunami.means import MEANS
from etalis_py.demos.tsunami.names import NAMESPACE, buoy_iri
from etalis_py.literals import canonical_lexical
from etalis_py.vocabulary import XSD_DOUBLE, XSD_INTEGER

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.demos.tsunami.clean import Readings
    from etalis_py.demos.tsunami.means import Means

__all__ = ["TRIPLES", "reading_iri", "readings_table", "to_events"]

TRIPLES = 3 + 2 * MEANS
"""Triples of one reading."""

_CHUNK = 20_000
_PREDICATES = [
    f"<{NAMESPACE}{name}>"
    for name in ("buoy", "time", "height", *(f"{kind}{i}" for i in range(MEANS) for kind in ("mean", "age")))
]


def reading_iri(buoy: str, second: int) -> str:
    """The node of a reading."""
    return f"{NAMESPACE}reading:{buoy}:{second}"


def readings_table(buoys: Sequence[tuple[Readings, Means]]) -> pa.Table:
    """All usable readings in order of time (and buoy), with the columns of ``spark_means.with_means``."""
    import pyarrow as pa

    tables = []
    for readings, means in buoys:
        columns: dict[str, pa.Array] = {
            "buoy": pa.array([readings.buoy] * len(readings), pa.string()),
            "second": pa.array(readings.second),
            "height_mm": pa.array(readings.height_mm),
        }
        for i in range(MEANS):
            columns[f"mean{i}"] = pa.array(means.height[i], from_pandas=True)  # NaN becomes null
            columns[f"age{i}"] = pa.array(means.age[i], from_pandas=True)
        tables.append(pa.table(columns))
    return pa.concat_tables(tables).sort_by([("second", "ascending"), ("buoy", "ascending")])


def to_events(readings: pa.Table) -> Iterator[pa.Table]:
    """The stream of a table of readings that is sorted by time, in chunks."""
    import pyarrow.compute as pc

    judged = pc.field("mean0").is_valid()
    for i in range(1, MEANS):
        judged = judged & pc.field(f"mean{i}").is_valid()
    readings = readings.filter(judged)
    for start in range(0, readings.num_rows, _CHUNK):
        yield _events(readings.slice(start, _CHUNK))


def _events(readings: pa.Table) -> pa.Table:
    import pyarrow as pa

    seconds = readings["second"].to_pylist()
    buoys = readings["buoy"].to_pylist()
    objects: list[list[str]] = [
        [f"<{buoy_iri(buoy)}>" for buoy in buoys],
        [f'"{second}"^^<{XSD_INTEGER}>' for second in seconds],
        [_double(height / 1000) for height in readings["height_mm"].to_pylist()],
    ]
    for i in range(MEANS):
        objects.append([_double(value) for value in readings[f"mean{i}"].to_pylist()])
        objects.append([_double(value) for value in readings[f"age{i}"].to_pylist()])
    time = np.repeat(np.asarray(seconds, dtype=np.int64) * 1_000_000, TRIPLES)
    subjects = [
        f"<{reading_iri(buoy, second)}>"
        for buoy, second in zip(buoys, seconds, strict=True)
        for _ in range(TRIPLES)
    ]
    return pa.table(
        {
            "start": time,
            "end": time,
            "s": subjects,
            "p": _PREDICATES * len(seconds),
            "o": [term for row in zip(*objects, strict=True) for term in row],
        }
    )


def _double(value: float) -> str:
    return f'"{canonical_lexical(value, XSD_DOUBLE)}"^^<{XSD_DOUBLE}>'
