"""``f:timestamp(s, p, o)`` of C-SPARQL: when a triple came last into a window.

A variable stands for it in the expression, which gets its value from the times of that triple at the instant.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.scope import certain_variables
from etalis_py.compiler.algebra.translate_expressions import ExpressionTranslator
from etalis_py.compiler.algebra.translate_triples import TripleTranslator
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.errors import CompileError

__all__ = ["NewestTimes"]


class NewestTimes:
    """Those that one query asks for."""

    def __init__(self, text: QueryText, expressions: ExpressionTranslator, triples: TripleTranslator) -> None:
        self._text = text
        self._expressions = expressions
        self._triples = triples
        self._times: dict[algebra.Variable, algebra.Group] = {}
        self._looked_up: set[algebra.Variable] = set()

    def named(self, call: syntax.FunctionCall) -> algebra.Variable:
        """What stands for the value of a call.

        Raises:
            CompileError: EP201, there is no window where it stands; EP203, it does not have a triple's terms.
        """
        span, around = call.span, self._triples.graph.place
        places = self._triples.graph.windows if around is None else (around,)
        if not places or places[0].extent is None:
            hint = "it asks the windows of the default graph, or in WINDOW and STREAM that window"
            raise self._text.unsupported("f:timestamp where there is no window", span, hint=hint)
        arguments = map(self._expressions.translate, call.arguments)
        terms = [each for each in arguments if isinstance(each, algebra.Variable | algebra.Constant)]
        if len(terms) != 3 or len(call.arguments) != 3:
            hint = "f:timestamp(?s, :p, ?o) tells when the triple ?s :p ?o came last"
            raise self._text.error("EP203", "f:timestamp takes the terms of a triple", span, hint=hint)
        subject, predicate, target = terms
        time, newest = self._triples.hidden(span), self._triples.hidden(span)
        triples: list[algebra.Pattern] = [
            algebra.TriplePattern(subject, predicate, target, place=replace(each, time=time), span=span)
            for each in places
        ]
        found = reduce(lambda left, right: algebra.Union(left, right, span=span), triples)
        keys = tuple(dict.fromkeys(each for each in terms if isinstance(each, algebra.Variable)))
        last = algebra.Aggregate(newest, "MAX", time, distinct=False, span=span)
        self._times[newest] = algebra.Group(found, keys, (last,), None, span=span)
        return newest

    def looked_up(self, pattern: algebra.Pattern, expression: algebra.Expression) -> algebra.Pattern:
        """``pattern`` with the times that ``expression`` asks for.

        Raises:
            CompileError: EP201, a solution may have no value for a term of such a triple.
        """
        for newest in algebra.expression_variables(expression) & self._times.keys():
            times = self._times[newest]
            if not certain_variables(pattern).issuperset(times.keys):
                raise self._not_known(newest)
            self._looked_up.add(newest)
            pattern = algebra.Pair(operators.OPTIONAL, pattern, times, span=times.span)
        return pattern

    def refuse_others(self) -> None:
        """Refuse those that nothing looked up.

        Raises:
            CompileError: EP201.
        """
        for each in self._times.keys() - self._looked_up:
            raise self._not_known(each)

    def _not_known(self, newest: algebra.Variable) -> CompileError:
        hint = "BIND it in the braces that bind the terms of its triple, and use the variable here"
        what = "f:timestamp of what its group does not bind, or in the FILTER of OPTIONAL,"
        return self._text.unsupported(what, self._times[newest].span, hint=hint)
