"""Places for junctions that have none: so that roads nobody has surveyed can be drawn.

Pivot MDS (Brandes and Pich, 2007): junctions are put so that their distances are about those by road from and
to some of them. A map that is made so may be turned or mirrored.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.ways import times_from

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["with_places"]

PIVOTS = 40


def with_places(network: Network) -> Network:
    """The network itself if its junctions have places, else one with places that are made up, in metres."""
    if network.has_places:
        return network
    names = list(network.junctions)
    points = _points(_distances(network, names))
    junctions = {
        name: replace(network.junctions[name], x=float(x), y=float(y))
        for name, (x, y) in zip(names, points, strict=True)
    }
    return replace(network, junctions=junctions, river=())


def _distances(network: Network, names: list[str]) -> NDArray[np.float64]:
    """Metres by road (both ways permitted) from each junction to some pivots, each far from those before."""
    arcs: dict[str, list[tuple[str, str, int]]] = {name: [] for name in names}
    for segment in network.segments.values():
        metres = max(1, round(segment.length))
        arcs[segment.start].append((segment.name, segment.end, metres))
        arcs[segment.end].append((segment.name, segment.start, metres))
    columns: list[NDArray[np.float64]] = []
    pivot = 0
    for _ in range(min(PIVOTS, len(names))):
        found = times_from(network, names[pivot], arcs)
        columns.append(np.array([found[name] for name in names], dtype=np.float64))
        pivot = int(np.argmin([-value for value in np.min(columns, axis=0)]))
    return np.stack(columns, axis=1)


def _points(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    squared = distances**2
    centred = -0.5 * (squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean())
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    points = centred @ axes[:2].T
    spread = np.sqrt((points**2).sum(axis=1).mean())
    by_road = np.sqrt((squared.mean(axis=1)).mean() / 2)
    return np.asarray(points / max(spread, 1e-9) * by_road)
