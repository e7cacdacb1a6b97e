"""The rules of property paths that repeat a step; the walks themselves are found by
``rules/operators/paths.pl``.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Constant, TermPattern, Variable
from etalis_py.compiler.plan.plan import ClosurePlan
from etalis_py.compiler.rules.names import timeless_name
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    list_term,
    rdf_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import ANSWER, END, START, Rule, RuleKind, Store, VariableNames
from etalis_py.compiler.rules.trace_paths import STEP, PathTraces

__all__ = ["PathRules"]

_X, _Y, _BEGIN, _NODE = Var("X"), Var("Y"), Var("Start0"), Var("Node")


class PathRules:
    """Generates the rules of one path."""

    def __init__(self, plan: ClosurePlan, names: VariableNames) -> None:
        self._plan = plan
        self._path = plan.path
        self._names = names
        self._repeat = Atom("many" if plan.path.many else "once")
        self._traces = PathTraces(plan, names)

    def declarations(self) -> list[Term]:
        """What the run-time library must know before the rules run."""
        if not self._plan.eventful:
            return []
        window = Atom("none") if self._plan.window is None else Number(self._plan.window)
        return [struct("declare_path", Atom(self._plan.name), window)]

    def stores(self) -> list[Store]:
        """Where a traced path keeps its steps."""
        return self._traces.stores()

    def rules(self) -> list[Rule]:
        """How a step of the stream makes longer walks."""
        if not self._plan.eventful:
            return []
        below = self._plan.input
        first, last = self._names(self._path.first), self._names(self._path.last)
        columns = tuple(self._names(each) for each in below.schema.columns)
        walks = struct(
            "path_solution", Atom(self._plan.name), self._repeat, self._edge, first, last, START, END,
            _X, _Y, _BEGIN,
        )  # fmt: skip
        own = tuple(self._names(each) for each in self._plan.schema.columns)
        # A walk of no steps holds always, so coming back to its start adds nothing.
        new = struct("\\==", _X, _Y) if self._path.zero else TRUE
        if self._plan.once and self._plan.timeless:
            new = struct("\\+", struct(timeless_name(self._plan), *own))
        body = conjunction(
            self._traces.keep(first, last),
            walks,
            unify(_X, self._term(self._path.subject)),
            unify(_Y, self._term(self._path.object)),
            new,
            self._traces.walk(_X, _Y, _BEGIN, self._repeat, self._traced_edge),
            struct(self._plan.name, _BEGIN, END, *own, ANSWER),
        )
        head = struct(below.name, START, END, *columns, ANSWER)
        return [Rule(RuleKind.PASSING, head, body, self._plan.span)]

    def timeless(self) -> list[Rule]:
        """The walks that background alone gives, and those of no steps."""
        if not self._plan.timeless:
            return []
        subject, target = self._term(self._path.subject), self._term(self._path.object)
        zero = Atom("true" if self._path.zero else "false")
        walk = struct("background_path", self._edge, self._nodes, self._repeat, zero, subject, target)
        if self._plan.once and self._path.zero and not self._has_constant_end:
            node = struct(f"{self._plan.name}_node", *self._graph, subject)
            no_walk = conjunction(struct("==", subject, target), struct("\\+", node))
            walk = conjunction(walk, struct("\\+", no_walk))
        own = (self._names(each) for each in self._plan.schema.columns)
        head = struct(timeless_name(self._plan), *own)
        told = self._traces.timeless_walk(subject, target, self._repeat, self._traced_edge, zero)
        rules = [self._rule(head, conjunction(self._graph_exists, walk, told))]
        if self._plan.input.timeless:
            rules.append(self._edge_rule())
            if self._traces.is_traced:
                rules.append(self._traced_edge_rule())
        if self._path.zero:
            rules.append(self._node_rule())
        return rules

    @property
    def _has_constant_end(self) -> bool:
        """Whether a walk of no steps may stay at a term that is no node (SPARQL 1.1, section 18.4)."""
        return any(isinstance(end, Constant) for end in (self._path.subject, self._path.object))

    def _rule(self, head: Term, body: Term) -> Rule:
        return Rule(RuleKind.TIMELESS, head, body, self._plan.span)

    # ---- the graph of the background ----------------------------------------------------------------------

    @property
    def _graph(self) -> tuple[Term, ...]:
        return () if self._path.graph is None else (self._term(self._path.graph),)

    @property
    def _graph_exists(self) -> Term:
        return struct("named_graph", *self._graph) if self._graph else TRUE

    @property
    def _edge(self) -> Term:
        if not self._plan.input.timeless:
            return Atom("none")
        return struct(f"{self._plan.name}_edge", *self._graph)

    @property
    def _nodes(self) -> Term:
        return struct(f"{self._plan.name}_node", *self._graph) if self._path.zero else Atom("none")

    def _edge_rule(self) -> Rule:
        below = self._plan.input
        ends = (self._names(self._path.first), self._names(self._path.last))
        head = struct(f"{self._plan.name}_edge", *self._graph, *ends)
        columns = (self._names(each) for each in below.schema.columns)
        return self._rule(head, struct(timeless_name(below), *columns))

    @property
    def _traced_edge(self) -> Term:
        """Edges with what they are made of."""
        if not self._plan.input.timeless:
            return Atom("none")
        return struct(f"{self._plan.name}_traced_edge", *self._graph)

    def _traced_edge_rule(self) -> Rule:
        below = self._plan.input
        ends = (self._names(self._path.first), self._names(self._path.last))
        head = struct(f"{self._plan.name}_traced_edge", *self._graph, *ends, STEP)
        columns = (self._names(each) for each in below.schema.columns)
        found = struct(timeless_name(below), *columns)
        return self._rule(head, conjunction(found, self._traces.step))

    def _node_rule(self) -> Rule:
        head = struct(f"{self._plan.name}_node", *self._graph, _NODE)
        if self._graph:
            return self._rule(head, struct("graph_node", *self._graph, _NODE))
        sources = self._path.sources
        if sources is None:
            found = struct("background_node", _NODE)
        else:
            found = struct("merged_node", list_term(tuple(map(Atom, sources))), _NODE)
        if self._plan.once:
            found = struct(";", found, struct("instant_node", _NODE))
        return self._rule(head, found)

    def _term(self, term: TermPattern) -> Term:
        match term:
            case Variable():
                return self._names(term)
            case Constant(value=value):
                return rdf_term(value)
