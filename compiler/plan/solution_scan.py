"""A leaf of a plan whose events are solutions that an earlier stage found.

Where a plan is cut (``stage_cuts.py``), the part below the cut is a stage of its own, and in the part above
it this leaf stands in the place of the node that was cut off: with its name and its columns, so that the
rules above are those of the whole plan. Such a solution is a tuple on an internal stream, that of
the leaf: ``tuple(Number, Value...)`` over the interval of the solution. No triple pattern sees it. The number
keeps equal solutions apart: a stream is a set, and solutions are a bag.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.algebra.algebra import Constant, TriplePattern, Variable
from etalis_py.compiler.plan.plan import PlanNode, Scan
from etalis_py.core.value_class import value_class

__all__ = ["SolutionScan", "solution_scan", "solution_stream"]

_STREAMS: Final = "urn:x-etalis:stage:"
_PLACE: Final = Variable("_:solution")


@value_class
class SolutionScan(Scan):
    """The solutions on an internal stream; ``pattern`` stands for them where a scan has one."""

    @property
    def stream(self) -> str:
        """The IRI of the internal stream."""
        assert isinstance(self.pattern.predicate, Constant)
        return str(self.pattern.predicate.value)


def solution_stream(unit: int) -> str:
    """The IRI of the internal stream with the solutions of a unit, by its number."""
    return f"{_STREAMS}{unit}"


def solution_scan(node: PlanNode, stream: str) -> SolutionScan:
    """The leaf in the place of ``node``."""
    own = Constant(stream, span=node.span)
    pattern = TriplePattern(own, own, _PLACE, span=node.span)
    return SolutionScan(node.name, node.schema, node.window, node.eventful, node.timeless, node.span, pattern)
