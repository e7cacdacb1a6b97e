"""A leaf of a plan whose events are solutions that an earlier stage found.

Where a plan is cut (``stage_cuts.py``), the part below the cut is a stage of its own, and in the part above
it this leaf stands in the place of the node that was cut off: with its name and its columns, so that the
rules above are those of the whole plan. Such an event is a triple over the interval of the solution, with the
predicate of the leaf and the object ``solution(Number, Value...)``, which no event of the stream has. The
number keeps equal solutions apart: a stream is a set, and solutions are a bag.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern, Variable
from etalis_py.compiler.plan.plan import PlanNode, Scan

__all__ = ["SolutionScan", "StreamScan", "solution_predicate", "solution_scan", "stream_scan"]

_PREDICATES: Final = "urn:x-etalis:stage:"
_PLACE: Final = Variable("_:solution")


@dataclass(frozen=True, slots=True)
class SolutionScan(Scan):
    """The solutions that come as events with the predicate of ``pattern``."""

    @property
    def predicate(self) -> str:
        """The IRI under which they come."""
        assert isinstance(self.pattern.predicate, Constant)
        return str(self.pattern.predicate.value)


@dataclass(frozen=True, slots=True)
class StreamScan(Scan):
    """A pattern of any predicate, in an engine that is fed with solutions; it does not match these."""


def solution_predicate(unit: int) -> str:
    """The IRI under which the solutions of a unit come, by its number."""
    return f"{_PREDICATES}{unit}"


def solution_scan(node: PlanNode, predicate: str) -> SolutionScan:
    """The leaf in the place of ``node``."""
    own = Constant(predicate, span=node.span)
    pattern = TriplePattern(own, own, _PLACE, span=node.span)
    return SolutionScan(node.name, node.schema, node.window, node.eventful, node.timeless, node.span, pattern)


def stream_scan(scan: Scan) -> StreamScan:
    """``scan`` beside solutions."""
    return StreamScan(*(getattr(scan, each.name) for each in fields(scan)))
