"""The engine in all the forms in which it is compared with peers."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.peers.comparison import CODED, COLUMNS
from tests.benchmarks.peers.place import Forms
from tests.benchmarks.peers.streams import coded
from tests.benchmarks.workload import ENGINE

__all__ = ["engine_forms"]


def engine_forms(table: pa.Table, *queries: str, **options: Any) -> Forms:
    """The engine in both forms in which it gives answers, and with dictionaries of texts as its input."""
    return {
        ENGINE: engine(table, *queries, **options),
        COLUMNS: engine(table, *queries, columns=True, **options),
        CODED: engine(coded(table), *queries, columns=True, **options),
    }
