"""What section 6 of the EP-SPARQL paper prints of its experiments.

Anicic, Fodor, Rudolph, Stojanovic: EP-SPARQL: a unified language for event processing and stream reasoning,
WWW 2011. Figures 1 and 2 are curves without numbers: of them only the axes are here, so a curve lies
somewhere in the range of its axis. Figure 3 has a number at each point. Nothing here is read off a plot by
eye: all are texts of the PDF. (Those of figure 2 are in fonts with codes of their own, which were worked out
from the words of its title.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

__all__ = [
    "ABOVE", "COUNT_WINDOW_SPEEDS", "DELAYS_MS", "MEMORY_KB", "READINGS", "TIMES_MS", "TIME_WINDOWS",
    "TIME_WINDOW_SPEEDS", "TRIPLES", "Points",
]  # fmt: skip

Points: TypeAlias = Mapping[int, Mapping[int, int]]

TIME_WINDOWS: Final = (1, 3, 10)
"""Figure 1(a): the windows, in seconds."""
TIME_WINDOW_SPEEDS: Final = (4_000, 10_000)
"""Figure 1(a): the axis of throughput, in events a second."""
COUNT_WINDOW_SPEEDS: Final = (0, 30_000)
"""Figure 1(b): the axis of throughput, in events a second."""
TRIPLES: Final = (5_000, 10_000, 15_000, 20_000)
"""Figure 2: the numbers of triples."""
DELAYS_MS: Final = (0, 2_000)
"""Figure 2: the axis of the delay, in milliseconds."""
TIMES_MS: Final[Points] = {
    1: {5: 3, 10: 94, 15: 109, 20: 130},
    10: {5: 31, 10: 889, 15: 1_076, 20: 1_295},
}
"""Figure 3(a): milliseconds by visitors and locations."""
MEMORY_KB: Final[Points] = {
    1: {5: 35, 10: 86, 15: 119, 20: 165},
    10: {5: 204, 10: 810, 15: 1_039, 20: 1_503},
}
"""Figure 3(b): kilobytes by visitors and locations."""
READINGS: Final = 44_310
"""The text: readings from May 2005 to September 2010."""
ABOVE: Final = 3
"""How many of them differed from their prediction by more than 30 mm."""
