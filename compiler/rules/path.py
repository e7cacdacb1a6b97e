"""The rules of property paths that repeat a step; the walks themselves are found by
``rules/operators/paths.pl``.
"""

from __future__ import annotations

from etalis_py.compiler.algebra.algebra import Constant, Pattern, TriplePattern, children
from etalis_py.compiler.plan.plan import ClosurePlan
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    list_term,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import END, START, Rule, RuleKind, RuleSet, VariableNames
from etalis_py.compiler.rules.trace_paths import STEP, PathTraces
from etalis_py.compiler.rules.writing import own_timeless, passing, rule, solution, timeless

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

    def rule_set(self) -> RuleSet:
        """How a step of the stream makes longer walks."""
        plan, below, names = self._plan, self._plan.input, self._names
        if not plan.eventful:
            return RuleSet()
        first, last = self._ends
        walks = struct(
            "path_solution", Atom(plan.name), self._repeat, self._edge, first, last, START, END,
            _X, _Y, _BEGIN,
        )  # fmt: skip
        own = names.columns(plan)
        # A walk of no steps holds always, so coming back to its start adds nothing.
        new = struct("\\==", _X, _Y) if self._path.zero else TRUE
        if plan.once and plan.timeless:
            new = struct("\\+", timeless(plan, own))
        longer = passing(
            plan,
            below,
            names,
            self._traces.keep(first, last),
            walks,
            unify(_X, names.term(self._path.subject)),
            unify(_Y, names.term(self._path.object)),
            new,
            self._traces.walk(_X, _Y, _BEGIN, self._repeat, self._traced_edge),
            solution(plan, own, _BEGIN),
        )
        window = Atom("none") if plan.window is None else Number(plan.window)
        declared = struct("declare_path", Atom(plan.name), window)
        return RuleSet((longer,), self._traces.stores(), (declared,))

    def timeless_rules(self) -> RuleSet:
        """The walks that background alone gives, and those of no steps."""
        subject, target = self._names.term(self._path.subject), self._names.term(self._path.object)
        zero = Atom("true" if self._path.zero else "false")
        walk = struct("background_path", self._edge, self._nodes, self._repeat, zero, subject, target)
        only_nodes = self._plan.once or _asks_background_alone(self._path.pattern)
        if only_nodes and self._path.zero and not self._has_constant_end:
            node = struct(f"{self._plan.name}_node", *self._graph, subject)
            no_walk = conjunction(struct("==", subject, target), struct("\\+", node))
            walk = conjunction(walk, struct("\\+", no_walk))
        head = own_timeless(self._plan, self._names)
        trace = self._traces.timeless_walk(subject, target, self._repeat, self._traced_edge, zero)
        rules = [self._rule(head, self._graph_exists, walk, trace)]
        if self._plan.input.timeless:
            step = own_timeless(self._plan.input, self._names)
            rules.append(self._rule(struct(f"{self._plan.name}_edge", *self._graph, *self._ends), step))
            if self._traces.is_traced:
                edge = struct(f"{self._plan.name}_traced_edge", *self._graph, *self._ends, STEP)
                rules.append(self._rule(edge, step, self._traces.step))
        if self._path.zero:
            rules.append(self._node_rule())
        return RuleSet(tuple(rules))

    @property
    def _has_constant_end(self) -> bool:
        """Whether a walk of no steps may stay at a term that is not a node (SPARQL 1.1, section 18.4)."""
        return any(isinstance(end, Constant) for end in (self._path.subject, self._path.object))

    @property
    def _ends(self) -> tuple[Term, Term]:
        """The variables of the ends of one step."""
        return self._names(self._path.first), self._names(self._path.last)

    def _rule(self, head: Term, *goals: Term) -> Rule:
        return rule(RuleKind.TIMELESS, self._plan, head, *goals)

    # ---- the graph of the background ----------------------------------------------------------------------

    @property
    def _graph(self) -> tuple[Term, ...]:
        return () if self._path.graph is None else (self._names.term(self._path.graph),)

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

    @property
    def _traced_edge(self) -> Term:
        """Edges with what they are made of."""
        if not self._plan.input.timeless:
            return Atom("none")
        return struct(f"{self._plan.name}_traced_edge", *self._graph)

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


def _asks_background_alone(pattern: Pattern) -> bool:
    """Whether nodes are those of the background, as beside windows: a stream brings none."""
    if isinstance(pattern, TriplePattern):
        return pattern.background_only
    return all(map(_asks_background_alone, children(pattern)))
