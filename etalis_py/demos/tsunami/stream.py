"""Readings as an event stream: two triples a reading, both at the reading's time.

The engine reads columns ``start``, ``end`` (microseconds since the epoch, UTC), ``s``, ``p``, ``o``
(N-Triples text)::

    <...:buoy:21418> :height 5662.347 ; :time 1299822525 .

Heights are decimals with the three digits that a recording has, in metres, times are integers, in seconds. A
buoy has one reading an instant at the most (see ``clean``), so buoy and instant tell the reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.core.vocabulary import XSD_DECIMAL, XSD_INTEGER
from etalis_py.demos.tsunami.names import NAMESPACE, buoy_iri

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.demos.tsunami.clean import Readings

__all__ = ["TRIPLES", "readings_table", "to_events"]

TRIPLES = 2
"""Triples of one reading."""

_CHUNK = 50_000


def readings_table(buoys: Sequence[Readings]) -> pa.Table:
    """All usable readings in order of time (and buoy): columns ``buoy``, ``second``, ``height_mm``."""
    import pyarrow as pa

    tables = [
        pa.table(
            {
                "buoy": pa.array([readings.buoy] * len(readings), pa.string()),
                "second": readings.second,
                "height_mm": readings.height_mm,
            }
        )
        for readings in buoys
    ]
    return pa.concat_tables(tables).sort_by([("second", "ascending"), ("buoy", "ascending")])


def to_events(readings: pa.Table) -> Iterator[pa.Table]:
    """The stream of a table of readings that is sorted by time, in chunks."""
    for start in range(0, readings.num_rows, _CHUNK):
        yield _events(readings.slice(start, _CHUNK))


def _events(readings: pa.Table) -> pa.Table:
    import pyarrow as pa

    seconds = readings["second"].to_pylist()
    time = np.repeat(np.asarray(seconds, dtype=np.int64) * 1_000_000, TRIPLES)
    objects = []
    for second, height in zip(seconds, readings["height_mm"].to_pylist(), strict=True):
        objects += [_metres(height), f'"{second}"^^<{XSD_INTEGER}>']
    return pa.table(
        {
            "start": time,
            "end": time,
            "s": [f"<{buoy_iri(buoy)}>" for buoy in readings["buoy"].to_pylist() for _ in range(TRIPLES)],
            "p": [f"<{NAMESPACE}height>", f"<{NAMESPACE}time>"] * len(seconds),
            "o": objects,
        }
    )


def _metres(millimetres: int) -> str:
    metres, rest = divmod(millimetres, 1000)
    return f'"{metres}.{rest:03}"^^<{XSD_DECIMAL}>'
