"""What the goals that an engine keeps mean: the query, the operator and the variables of each column.

Read off the rules that insert goals, so that it holds whatever operator keeps them. Does not read the goals:
``rules/tools/question_views.pl`` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.rules.prolog_terms import Compound, Term, Var
from etalis_py.compiler.rules.rules import COUNT, END, KEEPING, OPEN, START, Rule, Store, StoreKind
from etalis_py.compiler.spans import shorten
from etalis_py.core.value_class import value_class

__all__ = ["GoalStore", "goal_stores"]

_match_store = re.compile(r"(q\d+_[a-z]+_\d+)(\w*)").fullmatch
_match_variable = re.compile(r"V[A-Z]?_(\w+)").fullmatch
_OWN: Final = (START, END, COUNT, OPEN)


@value_class
class GoalStore:
    """A store of goals of a query.

    ``columns`` are ``Start``, ``End``, ``Count``, ``Open`` (`etalis_py.compiler.rules.rules.Store`), the
    variables of the query after ``?``, and ``""`` for what is not shown; of goals that forget by themselves
    ``window`` is in microseconds. They wait until ``due``, so many microseconds after a column. ``operator``
    is the text of what they wait for.
    """

    query: str
    operator: str
    predicate: str
    columns: tuple[str, ...]
    window: int | None
    due: tuple[str, int] | None

    @property
    def crossing(self) -> list[Any]:
        """As ``add_goal_stores/2`` takes it."""
        due = list(self.due or ())
        return [self.query, self.operator, self.predicate, list(self.columns), self.window or 0, due]


def goal_stores(
    query: CompiledQuery, taken_from: Mapping[str, str], goals_from: Mapping[str, str]
) -> Iterator[GoalStore]:
    """The stores of a query that outlive an instant.

    ``taken_from`` and ``goals_from`` are those of `etalis_py.compiler.plan.sharing.Sharing`: where other
    queries keep the goals that this one uses.
    """
    rules = query.rules
    for store in rules.stores:
        if store.kind not in (StoreKind.LASTING, StoreKind.WINDOW):
            continue
        found = _inserted(store, rules.rules)
        if found is None or store.shown == ():
            continue
        rule, goal = found
        operator = shorten(" ".join(query.text.text[rule.span.start : rule.span.end].split()), 60)
        columns = tuple(map(_column, goal.arguments if store.shown is None else store.shown))
        kept = _kept_as(store.name, taken_from, goals_from)
        due = None if store.due is None else (store.due[0].name, store.due[1])
        yield GoalStore(query.name, operator, kept, columns, store.window, due)


def _kept_as(predicate: str, taken_from: Mapping[str, str], goals_from: Mapping[str, str]) -> str:
    match = _match_store(predicate)
    if match is None:
        return predicate
    node, rest = match.groups()
    if rest.startswith("_left") and node in goals_from:
        return goals_from[node] + rest
    return taken_from.get(node, node) + rest


def _inserted(store: Store, rules: tuple[Rule, ...]) -> tuple[Rule, Compound] | None:
    for rule in rules:
        for term in _terms(rule.body):
            if term.functor in KEEPING and isinstance(term.arguments[0], Compound):
                goal = term.arguments[0]
                if goal.functor == store.name:
                    return rule, goal
    return None


def _terms(term: Term) -> Iterator[Compound]:
    if isinstance(term, Compound):
        yield term
        for each in term.arguments:
            yield from _terms(each)


def _column(term: Term) -> str:
    if not isinstance(term, Var):
        return ""
    if term in _OWN:
        return term.name
    match = _match_variable(term.name)
    return f"?{match[1]}" if match else ""
