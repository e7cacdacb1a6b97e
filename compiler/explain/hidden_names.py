"""What stands for the variables that the compiler made, where people read of a plan.

The stages of explain show those variables themselves, since columns and rules have their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from etalis_py.compiler.algebra.algebra import Aggregate, Apply, Expression, Variable
from etalis_py.compiler.algebra.newest_elements import ANYTHING
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.explain.readable import Readable, readable_for
from etalis_py.compiler.plan.plan import ExtendPlan, GroupPlan, PlanNode, RepeatPlan, Scan, walk

__all__ = ["in_words_of"]


def in_words_of(query: CompiledQuery) -> Readable:
    """What prints with the prefixes of a query, and with what it calculates in the place of hidden names."""
    nodes = list(walk((query.untraced or query.plan).root))
    readable = readable_for(query).saying(dict.fromkeys((*ANYTHING, *_anything(nodes)), "[]"))
    for node in nodes:
        if isinstance(node, ExtendPlan) and node.variable.is_hidden:
            readable = readable.saying({node.variable: _in_brackets(node.expression, readable)})
        hidden = (each for each in _aggregates(node) if each.variable.is_hidden)
        readable = readable.saying({each.variable: readable.aggregated(each) for each in hidden})
        if isinstance(node, RepeatPlan):
            readable = readable.saying(
                {each.variable: _so_far(each, readable) for each in node.repeat.running}
            )
    return readable


def _anything(nodes: Sequence[PlanNode]) -> Iterator[Variable]:
    """Those of which one triple speaks once."""
    terms = Counter(term for node in nodes if isinstance(node, Scan) for term in node.pattern.terms)
    for term, count in terms.items():
        if isinstance(term, Variable) and term.is_hidden and count == 1:
            yield term


def _in_brackets(expression: Expression, readable: Readable) -> str:
    text = readable.expression(expression)
    return f"({text})" if isinstance(expression, Apply) and not text.endswith(")") else text


def _so_far(aggregate: Aggregate, readable: Readable) -> str:
    """An aggregate of the iterations before, as a query writes it."""
    text = readable.aggregated(aggregate)
    return "PREV" + text.removeprefix("LAST") if aggregate.function == "LAST" else text


def _aggregates(node: PlanNode) -> Sequence[Aggregate]:
    if isinstance(node, RepeatPlan):
        return node.repeat.measures
    return node.aggregates if isinstance(node, GroupPlan) else ()
