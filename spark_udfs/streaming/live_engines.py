"""The engines that a worker process keeps alive between micro-batches.

An engine is found by the lineage of its bucket and is taken out while it is used: a task that fails on the
way leaves none behind. Whether it is up to date is for its token to say. At most ``LIMIT`` are kept, and
the one that was not used for the longest time goes first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from etalis_py.spark_udfs.streaming.live_engine import LiveEngine

__all__ = ["LIMIT", "LiveEngines", "live_engines"]

LIMIT: Final = 256


class LiveEngines:
    """Engines by lineage."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._engines: OrderedDict[str, LiveEngine] = OrderedDict()

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._engines)

    def take(self, lineage: str) -> LiveEngine | None:
        """Take the engine of a bucket out."""
        return self._engines.pop(lineage, None)

    def keep(self, lineage: str, engine: LiveEngine) -> None:
        """Keep an engine for next time."""
        self._engines[lineage] = engine
        while len(self._engines) > self._limit:
            _, oldest = self._engines.popitem(last=False)
            oldest.close()

    def close(self) -> None:
        """Close all of them."""
        while self._engines:
            self._engines.popitem()[1].close()


_OF_THIS_PROCESS: Final = LiveEngines()


def live_engines() -> LiveEngines:
    """Those of this process: what lives between two tasks can be nowhere else."""
    return _OF_THIS_PROCESS
