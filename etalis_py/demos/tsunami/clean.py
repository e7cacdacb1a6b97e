"""From the rows of a recording to readings: nothing missing, one height an instant, oldest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.demos.tsunami.dart import MISSING_MM, Recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Readings", "clean"]


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """The usable readings of one buoy, in order of time, and how many rows were not used.

    ``second`` counts from 1970-01-01T00:00:00Z and has no value twice; ``height_mm`` is in millimetres.
    ``missing`` rows had no height, ``repeated`` rows a finer reading (or the same) at the same instant.
    """

    buoy: str
    second: NDArray[np.int64]
    height_mm: NDArray[np.int64]
    missing: int
    repeated: int

    def __len__(self) -> int:
        return len(self.second)

    def part(self, begin: int, end: int) -> Readings:
        """Those from one place to another."""
        return replace(self, second=self.second[begin:end], height_mm=self.height_mm[begin:end])


def clean(recordings: Sequence[Recording]) -> Readings:
    """Readings of one buoy, from one file or several (years) of it.

    A missing height is dropped first, so it never hides a coarser reading of the same instant. Of several
    readings of one instant the one with the greatest T wins; of several with the same T, the lowest, so
    that the order of the file (or of Spark's partitions) decides nothing.
    """
    second = np.concatenate([recording.second for recording in recordings])
    kind = np.concatenate([recording.kind for recording in recordings])
    height = np.concatenate([recording.height_mm for recording in recordings])
    there = height != MISSING_MM
    second, kind, height = second[there], kind[there], height[there]
    order = np.lexsort((height, -kind, second))
    second, height = second[order], height[order]
    first = np.ones(len(second), dtype=np.bool_)
    first[1:] = second[1:] != second[:-1]
    return Readings(
        recordings[0].buoy, second[first], height[first], int(np.sum(~there)), int(np.sum(~first))
    )
