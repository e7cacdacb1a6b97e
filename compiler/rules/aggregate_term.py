"""How the run-time library is told of an aggregate (``rules/aggregates/aggregates.pl``)."""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Aggregate
from etalis_py.compiler.rules.prolog_terms import Atom, Term, Text, struct

__all__ = ["aggregate_term"]


def aggregate_term(aggregate: Aggregate, argument: Term) -> Term:
    """``agg(Function, Distinct, Argument)``; ``argument`` says which column it is of."""
    function: Term = Atom(aggregate.function.lower())
    if aggregate.function == "GROUP_CONCAT":
        function = struct("group_concat", Text(aggregate.separator))
    return struct("agg", function, Atom("true" if aggregate.distinct else "false"), argument)
