"""Wraps the rules of a query so that what they do is measured; the rules themselves stay as they are.

A rule ``head :- body`` becomes two: ``head`` enters a slot, calls the rule under a name of its own, and
leaves the slot again (``rules/tools/profile_clock.pl``); so do the clauses that one operator has of one
predicate. Goals are counted where rules make them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import (
    ClosurePlan,
    GroupPlan,
    QueryPlan,
    asked_nodes,
    decided_tests,
    inputs,
    walk,
)
from etalis_py.compiler.rules.prolog_terms import (
    TRUE,
    Atom,
    Compound,
    Number,
    Term,
    Var,
    conjunction,
    either,
    struct,
)
from etalis_py.compiler.rules.rules import KEEPING, Rule, RuleKind, RuleSet, Store
from etalis_py.compiler.spans import Span

__all__ = ["ANSWERS", "RuleProbe", "StoreProbe", "Wrapping"]

ANSWERS = ""
"""Stands for the name of an operator where a rule belongs to the query as a whole."""
_CALLER = Var("ProfileCaller")
_TRIGGERS = (
    *("trigger", "type_trigger", "any_trigger", "tuple_trigger"),
    *("placed_trigger", "placed_type_trigger", "placed_any_trigger"),
)


@dataclass(frozen=True, slots=True)
class RuleProbe:
    """Where the rules of one operator that are for one thing are measured.

    ``slot`` is their place in the counts (``rules/tools/profile_clock.pl``). ``source`` is the node whose
    solutions they react to; None: occurrences, or no solutions of the stream.
    """

    slot: int
    operator: str
    kind: RuleKind
    source: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class StoreProbe:
    """A store of goals; ``place`` is its own in the counts, ``description`` as ``add_probes/3`` takes it."""

    place: int
    operator: str
    name: str
    description: list[object]


class Wrapping:
    """Wraps the rules of one query; slots and places are counted from what others have, up to here.

    ``rules`` are the wrapped ones, ``probes`` and ``stores`` in the order of their slots and places.
    """

    def __init__(self, plan: QueryPlan, rules: RuleSet, *, slots: int, places: int) -> None:
        self._plan = plan
        self._nodes = {node.name: node for node in walk(plan.root)}
        self._parents: defaultdict[str, list[str]] = defaultdict(list)
        for node in self._nodes.values():
            for each in inputs(node):
                self._parents[each.name].append(node.name)
        self._parents[plan.root.name].append(ANSWERS)
        self._tests = {
            each: node
            for node in self._nodes
            for test in decided_tests(self._nodes[node])
            for each in (test.name, *(asked.name for asked in asked_nodes(test)))
        }
        self._prefix = f"q{plan.number}_rule"
        self._first_slot = slots + 1
        self.probes: list[RuleProbe] = []
        described = [*map(self._goal_store, rules.stores), *self._library_stores()]
        self.stores = [StoreProbe(places + number, *each) for number, each in enumerate(described, 1)]
        self._places = {
            name: place.place for place, (_, _, description) in zip(self.stores, described, strict=True)
            for name in map(str, description[1:])
        }  # fmt: skip
        groups = self._grouped(rules.rules)
        wrapped = (each for number, group in enumerate(groups) for each in self._wrap(*group, number))
        self.rules = RuleSet(tuple(wrapped), rules.stores, rules.declarations, rules.preparations)

    # ---- rules ------------------------------------------------------------------------------------------

    def _grouped(self, rules: Sequence[Rule]) -> list[tuple[str, list[Rule]]]:
        """The clauses that one operator has of one predicate, with its name: a cut is for all of them."""
        groups: dict[tuple[object, ...], tuple[str, list[Rule]]] = {}
        for number, rule in enumerate(rules):
            name, _ = _parts(rule.head)
            operator = self._operator(rule)
            key: tuple[object, ...] = (operator, name)
            if name in _TRIGGERS:  # they are found by what stands in their heads
                key = (number,)
            elif name in self._parents:
                key = (operator, name, rule.kind)
            groups.setdefault(key, (operator, []))[1].append(rule)
        return list(groups.values())

    def _wrap(self, operator: str, clauses: Sequence[Rule], number: int) -> Iterator[Rule]:
        first = clauses[0]
        name, arguments = _parts(first.head)
        slot = self._first_slot + len(self.probes)
        source = name if name in self._parents else None
        self.probes.append(RuleProbe(slot, operator, first.kind, source, first.span))
        inner = f"{self._prefix}_{number}"
        if len(clauses) == 1:
            variables = (variable for each in arguments for variable in _variables(each))
            known: tuple[Term, ...] = tuple(dict.fromkeys(variables))
            outer, heads = first.head, [struct(inner, *known)]
        else:
            known = tuple(Var(f"Argument{place}") for place, _ in enumerate(arguments, 1))
            outer = struct(name, *known)
            heads = [struct(inner, *_parts(each.head)[1]) for each in clauses]
        is_timeless = first.kind is RuleKind.TIMELESS
        body = conjunction(
            _own("enter", Number(slot), _CALLER),
            either(struct(inner, *known), _own("leave", _CALLER)),
            _own("found", Number(slot)) if is_timeless else TRUE,
            _own("return", Number(slot), _CALLER),
        )
        yield Rule(first.kind, outer, body, first.span)
        for head, each in zip(heads, clauses, strict=True):
            yield Rule(each.kind, head, self._counted(each.body), each.span)

    def _operator(self, rule: Rule) -> str:
        """Whose rule it is: of an operator above, where it reacts to solutions of a node."""
        name, _ = _parts(rule.head)
        if name in _TRIGGERS:
            return next((each for each in _functors(rule.body) if each in self._nodes), ANSWERS)
        if name not in self._parents:
            return self._owner(name)
        above = self._parents[name]
        if len(above) == 1:
            return above[0]
        named = list(_functors(rule.body))  # a node that feeds several operators: its rules name theirs
        return next((each for each in above if each in named), self._owner_of_any(named, above))

    def _owner_of_any(self, names: Sequence[str], above: Sequence[str]) -> str:
        owners = map(self._owner, names)
        return next((each for each in owners if each in above), above[-1])

    def _owner(self, name: str) -> str:
        """The node, or the node with the test, whose name begins the name of a predicate or store."""
        known = (*self._nodes, *self._tests)
        fitting = (each for each in known if name == each or name.startswith(f"{each}_"))
        owner = max(fitting, key=len, default=ANSWERS)
        return self._tests.get(owner, owner)

    # ---- goals ------------------------------------------------------------------------------------------

    def _counted(self, goal: Term) -> Term:
        """The same goal; each goal for a store that it makes is counted."""
        if not isinstance(goal, Compound):
            return goal
        if goal.functor in (",", ";", "->", "*->", "\\+", "forall"):
            return Compound(goal.functor, tuple(map(self._counted, goal.arguments)))
        place = self._places.get(_made(goal))
        return goal if place is None else conjunction(goal, _own("made", Number(place)))

    def _goal_store(self, store: Store) -> tuple[str, str, list[object]]:
        return self._owner(store.name), store.name, ["goals", store.name]

    def _library_stores(self) -> Iterator[tuple[str, str, list[object]]]:
        """What the run-time library keeps for groups and paths."""
        for node in own_nodes(self._plan):
            if node.eventful and isinstance(node, GroupPlan):
                yield node.name, node.name, ["group", node.name]
            elif node.eventful and isinstance(node, ClosurePlan) and not node.path.alive:
                yield node.name, node.name, ["path", node.name]


def _made(goal: Compound) -> str:
    """The predicate, group or path for which ``goal`` makes a goal; empty for any other."""
    match goal:
        case Compound(functor=functor, arguments=(made, *_)) if functor in KEEPING:
            return _parts(made)[0]
        case Compound(
            functor="group_add" | "group_change" | "path_solution", arguments=(Atom(name=name), *_)
        ):
            return name
        case _:
            return ""


def _own(predicate: str, *arguments: Term) -> Term:
    return struct(":", Atom("etalis_profile_clock"), struct(predicate, *arguments))


def _parts(term: Term) -> tuple[str, Sequence[Term]]:
    match term:
        case Compound(functor=functor, arguments=arguments):
            return functor, arguments
        case Atom(name=name):
            return name, ()
        case _:
            return "", ()


def _functors(term: Term) -> Iterator[str]:
    """All names in a term, from the left."""
    name, arguments = _parts(term)
    if name:
        yield name
    for each in arguments:
        yield from _functors(each)


def _variables(term: Term) -> Iterator[Var]:
    match term:
        case Var(name=name):
            if name != "_":
                yield term
        case Compound(arguments=arguments):
            for each in arguments:
                yield from _variables(each)
        case _:
            pass
