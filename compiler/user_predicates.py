"""The Prolog predicates of the user that a query calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.rules.prolog_terms import Atom, Compound, Term
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["UserCall", "check_user_predicates", "user_calls"]


@value_class
class UserCall:
    """``name/arity`` as Prolog is asked for it, and the operator in whose rule it stands."""

    name: str
    arity: int
    span: Span


def user_calls(query: CompiledQuery) -> Iterator[UserCall]:
    """Every call of a predicate of the user's; as a value it has one argument more than the query writes."""
    for rule in query.rules.rules:
        for name, arguments, more in _calls(rule.body):
            yield UserCall(name, _length(arguments) + more, rule.span)


def check_user_predicates(query: CompiledQuery, defined: Callable[[], list[tuple[str, int]]]) -> None:
    """Refuse a call of a predicate that no rules file defines.

    Raises:
        CompileError: EP207.
    """
    known: list[tuple[str, int]] | None = None
    for call in user_calls(query):
        known = defined() if known is None else known
        if (call.name, call.arity) in known:
            continue
        names = [f"{name}/{arity}" for name, arity in known]
        near = get_close_matches(f"{call.name}/{call.arity}", names, n=3, cutoff=0.5)
        hint = f"there is {', '.join(near)}" if near else "--rules FILE.pl loads Prolog predicates"
        message = f"no rules file defines the Prolog predicate {call.name}/{call.arity}"
        raise query.text.error("EP207", message, call.span, hint=hint)


def _calls(goal: Term) -> Iterator[tuple[str, Term, int]]:
    todo = [goal]
    while todo:
        match todo.pop():
            case Compound(functor="test_user_predicate", arguments=(Atom(name=name), arguments, _)):
                yield name, arguments, 0
            case Compound(functor="user_solution", arguments=(Atom(name=name), arguments)):
                yield name, arguments, 0
            case Compound(functor="call_user_predicate", arguments=(Atom(name=name), arguments, _)):
                yield name, arguments, 1
            case Compound(arguments=parts):
                todo += reversed(parts)
            case _:
                pass


def _length(items: Term) -> int:
    count = 0
    while isinstance(items, Compound) and items.arguments:
        count, items = count + 1, items.arguments[1]
    return count
