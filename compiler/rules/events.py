"""The rules of MATCH: what is first or last at an instant, and what is consumed by then.

All of it is about one evaluation. What an event used is kept by element and triple, and is consumed when the
rest of the instant is settled, so that the next evaluation does not find it.
"""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.compiler.algebra.algebra import Variable
from etalis_py.compiler.plan.plan import ChosenPlan, UnusedPlan
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Term,
    Var,
    conjunction,
    either,
    if_then_else,
    struct,
    unify,
)
from etalis_py.compiler.rules.rules import START, RuleSet, Store, StoreKind, VariableNames
from etalis_py.compiler.rules.writing import (
    Waiting,
    forget,
    insert,
    insertion,
    own_solution,
    passing,
    settling,
)
from etalis_py.core.vocabulary import XSD_DATETIME

__all__ = ["chosen_rules", "unused_rules"]

_BEGAN, _ENDED, _BEGIN0, _END0, _ANY = Var("Began"), Var("Ended"), Var("Began0"), Var("Ended0"), Var("_")


def chosen_rules(node: ChosenPlan, names: VariableNames) -> RuleSet:
    """Of each key the first or the last times are found among all that waits; what has them is given."""
    waiting = Waiting(node, (START, *names.columns(node)))
    best = Store(f"{node.name}_best", len(node.keys) + 2, StoreKind.SETTLED)

    def known(end: Term, start: Term) -> Term:
        return struct(best.name, *map(names, node.keys), end, start)

    times = (_number(names, node.end, _ENDED), _number(names, node.start, _BEGAN))
    later, no_earlier = (">", ">=") if node.last else ("<", "=<")
    as_good = either(
        struct(later, _END0, _ENDED),
        conjunction(struct("=:=", _END0, _ENDED), struct(no_earlier, _BEGIN0, _BEGAN)),
    )
    surpassed = struct("\\+", conjunction(known(_END0, _BEGIN0), as_good))
    older = if_then_else(forget(known(_ANY, _ANY)), TRUE, TRUE)
    return RuleSet(
        (
            insertion(node, own_solution(node.input, names), waiting.keep),
            waiting.settled(*times, surpassed, older, insert(known(_ENDED, _BEGAN)), FAIL),
            waiting.settled(*times, known(_ENDED, _BEGAN), own_solution(node, names)),
            settling(node, best.emptied, FAIL),
            waiting.forgotten,
        ),
        (waiting.store, best),
    )


def _number(names: VariableNames, variable: Variable, value: Var) -> Term:
    return unify(names(variable), struct("^^", value, Atom(XSD_DATETIME)))


def unused_rules(node: UnusedPlan, names: VariableNames) -> RuleSet:
    """None of its triples was consumed before; where it ``consumes``, they are so from then on."""
    used = [struct(node.consumed, *map(names.term, each)) for each in node.triples]
    unused = [struct("\\+", each) for each in used]
    if not node.consumes:
        return RuleSet((passing(node, node.input, names, *unused, own_solution(node, names)),))
    waiting = Waiting(node, (START, *names.columns(node)))
    consumed = (waiting.settled(*goals, FAIL) for goals in _consumed(node, names, used))
    return RuleSet(
        (
            insertion(node, own_solution(node.input, names), *unused, waiting.keep),
            waiting.settled(own_solution(node, names)),
            *consumed,
            waiting.forgotten,
        ),
        (waiting.store, Store.within(node.reach, node.consumed, len(node.triples[0]))),
    )


def _consumed(node: UnusedPlan, names: VariableNames, used: list[Term]) -> Iterator[tuple[Term, ...]]:
    """The goals that consume each triple, where the solution has it: with UNION it may have another."""
    for (element, *_), triple in zip(node.triples, used, strict=True):
        assert isinstance(element, Variable)
        there = TRUE if element in node.schema.certain else struct("\\==", names(element), UNBOUND)
        yield there, if_then_else(triple, TRUE, insert(triple))
