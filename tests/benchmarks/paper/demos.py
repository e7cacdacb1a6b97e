"""Figures 3 and 4 of the paper: deliveries with visitors and locations, and tsunamis in a sensor's readings.

The data are made up, by the demos' own models of a city and of the sea.
"""

from __future__ import annotations

import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.demos.delivery.roads import load_roads
from etalis_py.demos.delivery.simulate import simulate
from etalis_py.demos.delivery.tours import make_tours
from etalis_py.demos.tsunami.clean import Readings
from etalis_py.demos.tsunami.detection import Derived, Detection, collect
from etalis_py.demos.tsunami.engines import detect_local, load_queries
from etalis_py.demos.tsunami.names import BACKGROUND, HERE
from etalis_py.demos.tsunami.stations import to_turtle
from etalis_py.demos.tsunami.stream import readings_table, to_events
from etalis_py.demos.tsunami.waves import noise, tides, tsunami
from tests.benchmarks.paper.delivery_run import CLOSED, SEED
from tests.benchmarks.paper.printed import TIMES_MS
from tests.benchmarks.workload import ENGINE, Contender, Outcome, Run, Trial
from tests.benchmarks.workloads.memory import apart

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["BIN_MM", "LOCATIONS", "THRESHOLD_MM", "VISITORS", "deliveries", "readings"]

VISITORS = tuple(TIMES_MS)
LOCATIONS = tuple(TIMES_MS[1])
BUOY = "46073"
"""The station of the paper's Figure 4."""
DEPTH = 5_000.0
INTERVAL = 900
"""Seconds from one reading to the next: a DART buoy's standard mode."""
SAMPLE = 15
BEGIN = 1_115_164_800
"""4 May 2005, in seconds since 1970."""
WAVE = 0.1
"""Metres: what the tsunami is high at the buoy, in the middle of the readings."""
THRESHOLD_MM = 30
BIN_MM = 5
"""How wide a bar of the histogram is."""


def deliveries(visitors: int, locations: int, count: int) -> Trial:
    """A day of the delivery demo, at most ``count`` locations; an answer is a new route.

    The seconds are those of the whole stream, with all that happens in the city.
    """
    locations = min(locations, count)
    network = load_roads(None, SEED)
    tours = make_tours(network, visitors, locations, SEED)
    messages = len(simulate(network, tours, CLOSED, SEED).messages)
    day = apart("paper.delivery_run", str(visitors), str(locations))
    return Trial(messages, {ENGINE: day}, {"visitors": visitors, "locations": locations})


def readings(count: int) -> Trial:
    """``count`` readings of one sensor, a tsunami in their middle; an answer is what a query derives."""
    table = _recording(count)
    with _detecting(table) as solutions:
        found = collect(solutions)
    details = {
        "judged": len(found.difference),
        "above": len(found.above),
        "largest_mm": round(1_000 * max(map(abs, found.difference.values()), default=0.0), 1),
        "histogram_mm": _histogram(found),
    }

    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        with _detecting(table) as solutions:

            def run() -> Outcome:
                counted = deque(enumerate(solutions, 1), maxlen=1)
                return Outcome(counted[0][0] if counted else 0)

            yield run

    return Trial(count, {ENGINE: Contender(ready)}, details)


def _recording(count: int) -> pa.Table:
    random = np.random.default_rng([SEED, 3])
    second = BEGIN + INTERVAL * np.arange(count, dtype=np.int64)
    since = (second - second[count // 2]).astype(np.float64)
    height = DEPTH + tides(second, random) + tsunami(since, WAVE)
    height += noise(count * INTERVAL // SAMPLE, random)[:: INTERVAL // SAMPLE]
    return readings_table([Readings(BUOY, second, np.round(1_000 * height).astype(np.int64), 0, 0)])


@contextmanager
def _detecting(table: pa.Table) -> Iterator[Iterator[Derived]]:
    """What the demo's queries derive, while it is asked for."""
    with tempfile.TemporaryDirectory() as folder:
        background = Path(folder) / "background.ttl"
        background.write_text(to_turtle({BUOY: None}, THRESHOLD_MM / 1_000), encoding="utf-8")
        yield detect_local(list(to_events(table)), load_queries(), [HERE / BACKGROUND, background])


def _histogram(found: Detection) -> list[tuple[int, int]]:
    """How many differences lie in each bar, by its lower end in millimetres."""
    bars = Counter(BIN_MM * int(1_000 * value // BIN_MM) for value in found.difference.values())
    return sorted(bars.items())
