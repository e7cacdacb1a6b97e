"""What the queries found, read back from the triples they constructed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from etalis_py.core.literals import Encoded
from etalis_py.demos.tsunami.names import buoy_name, local_name

__all__ = ["Alert", "Arrival", "BasinWarning", "Derived", "Detection", "collect"]

Triple: TypeAlias = "tuple[Encoded, Encoded, Encoded]"

Derived: TypeAlias = "tuple[int, int, Sequence[Triple]]"
"""One solution of a CONSTRUCT: start and end in microseconds, and its triples."""


@dataclass(frozen=True, slots=True, order=True)
class Alert:
    """Three readings above the threshold within five minutes: times in seconds of the first and the third.

    ``end`` is when the alert is raised.
    """

    end: int
    start: int
    buoy: str


@dataclass(frozen=True, slots=True, order=True)
class Arrival:
    """The tsunami itself at a buoy: the second, and the mean difference of ten minutes up to it, metres."""

    time: int
    buoy: str
    mean: float


@dataclass(frozen=True, slots=True)
class BasinWarning:
    """Alerts at two buoys of one ocean (local name): raised at ``time`` (seconds), with the second one."""

    time: int
    ocean: str
    first: str
    second: str


@dataclass(slots=True)
class Detection:
    """Everything found in a run. A reading is named by (buoy, second); heights and differences in metres."""

    predicted: dict[tuple[str, int], float] = field(default_factory=dict)
    difference: dict[tuple[str, int], float] = field(default_factory=dict)
    above: set[tuple[str, int]] = field(default_factory=set)
    alerts: list[Alert] = field(default_factory=list)
    arrivals: list[Arrival] = field(default_factory=list)
    warnings: list[BasinWarning] = field(default_factory=list)

    def judged(self, buoy: str) -> int:
        """How many readings of a buoy were compared with a prediction."""
        return sum(name == buoy for name, _ in self.difference)

    def largest(self, buoy: str) -> tuple[int, float] | None:
        """Second and value of the difference of a buoy that is farthest from zero."""
        found = [(second, value) for (name, second), value in self.difference.items() if name == buoy]
        return max(found, key=lambda reading: abs(reading[1]), default=None)


def collect(solutions: Iterable[Derived]) -> Detection:
    """Sort the triples of the queries into a ``Detection``; triples of other predicates are passed over."""
    result = Detection()
    for start, end, triples in solutions:
        for subject, predicate, value in triples:
            match local_name(str(predicate)):
                case "predicted":
                    result.predicted[buoy_name(str(subject)), end // 1_000_000] = _number(value)
                case "difference":
                    result.difference[buoy_name(str(subject)), end // 1_000_000] = _number(value)
                case "above":
                    result.above.add((buoy_name(str(subject)), end // 1_000_000))
                case "alert":
                    result.alerts.append(Alert(end // 1_000_000, start // 1_000_000, buoy_name(str(subject))))
                case "arrival":
                    result.arrivals.append(Arrival(end // 1_000_000, buoy_name(str(subject)), _number(value)))
                case "warning":
                    result.warnings.append(_warning(local_name(str(subject)), value, triples))
                case _:
                    pass
    result.alerts.sort()
    result.arrivals.sort()
    raised = {alert.buoy: alert.end for alert in reversed(result.alerts)}
    result.warnings.sort(key=lambda each: (each.time, each.ocean, raised.get(each.first, 0), each.first))
    return result


def _warning(ocean: str, node: Encoded, triples: Sequence[Triple]) -> BasinWarning:
    """The warning that a node of ``basin.rq`` describes."""
    about = {local_name(str(predicate)): value for subject, predicate, value in triples if subject == node}
    first, second = (buoy_name(str(about[name])) for name in ("first", "second"))
    return BasinWarning(int(_number(about["raised"])), ocean, first, second)


def _number(term: Encoded) -> float:
    """The value of a numeric literal."""
    if isinstance(term, tuple) and isinstance(term[0], (int, float, Fraction)):
        return float(term[0])
    raise TypeError(f"not a number: {term!r}")
