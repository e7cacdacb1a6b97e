"""The shortest way by time, found without an engine: Dijkstra's algorithm (1959).

A stream has to be made before an engine can see it: the drivers of ``simulate`` go by these ways. The way
that the engine tells them is found by ``routing.pl``; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import heappop, heappush

from etalis_py.demos.delivery.network import Arcs, Network, travel_time

__all__ = ["find_way", "times_from"]


def find_way(
    network: Network,
    start: str,
    end: str,
    closed: Collection[str] = (),
    speeds: Mapping[str, float] | None = None,
) -> tuple[int, list[str]] | None:
    """The time in microseconds and the segments of the shortest way that has no closed segment.

    ``speeds``: of the segments that are slow, in km/h. None where there is no way.
    """
    times, back = _search(network, network.arcs, start, end, closed, speeds or {})
    if end not in times:
        return None
    way = []
    here = end
    while here != start:
        segment, here = back[here]
        way.append(segment)
    return times[end], way[::-1]


def times_from(network: Network, start: str, arcs: Arcs | None = None) -> dict[str, int]:
    """The time to each junction that can be reached, in microseconds, when all roads are open."""
    return _search(network, network.arcs if arcs is None else arcs, start, None, (), {})[0]


def _search(
    network: Network,
    arcs: Arcs,
    start: str,
    end: str | None,
    closed: Collection[str],
    speeds: Mapping[str, float],
) -> tuple[dict[str, int], dict[str, tuple[str, str]]]:
    """The times of the junctions reached until ``end``, and by which segment, from where."""
    times = {start: 0}
    back: dict[str, tuple[str, str]] = {}
    heap = [(0, start)]
    while heap:
        time, here = heappop(heap)
        if here == end:
            break
        if time > times[here]:
            continue
        for segment, there, normal in arcs.get(here, ()):
            if segment in closed:
                continue
            slow = speeds.get(segment)
            later = time + (normal if slow is None else travel_time(network.segments[segment], slow))
            if there not in times or later < times[there]:
                times[there] = later
                back[there] = segment, here
                heappush(heap, (later, there))
    return times, back
