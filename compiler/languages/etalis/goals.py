"""Goals of ``where``, ``check`` and ``prolog``: as filters, bindings and calls of the user's predicates."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, Literal, TypeGuard, cast

from etalis_py.compiler.languages.etalis.names import Names, variable
from etalis_py.compiler.languages.etalis.terms import Atom, Compound, Number, Term, Variable, variables_in
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.names import PROLOG_NAMESPACE

__all__ = ["Goals"]

_Comparison = Literal["=", "!=", "<", ">", "<=", ">="]
_COMPARISONS: Final = MappingProxyType(
    {
        "=:=": "=", "==": "=", "=": "=", "=\\=": "!=", "\\==": "!=", "\\=": "!=",
        "<": "<", ">": ">", "=<": "<=", ">=": ">=",
    }
)  # fmt: skip
_CONTROL: Final = frozenset(
    {
        "->", "*->", "\\+", "!", "forall", "findall", "bagof", "setof", "assert", "assertz", "asserta",
        "retract", "retractall", "write", "nl", "call",
    }
)  # fmt: skip
_TIMES: Final = frozenset({"t1", "t2", "datime_minus_datime", "datime_plus_sec", "current_datime"})
_FUNCTIONS: Final = MappingProxyType({"abs": "ABS", "ceiling": "CEIL", "floor": "FLOOR", "round": "ROUND"})


class Goals:
    """Makes elements of a group of goals."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def elements(self, goal: Term, bound: set[str]) -> Iterator[syntax.GroupElement]:
        """What ``goal`` is behind patterns that bind ``bound``, to which what it binds is added.

        Raises:
            Fault: EP123 to EP126.
        """
        match goal:
            case Compound(functor=",", arguments=(first, second)):
                yield from self.elements(first, bound)
                yield from self.elements(second, bound)
            case Atom(name="true"):
                pass
            case Compound(functor="is" | "=", arguments=(Variable(name=name) as left, right)) if (
                name not in bound and name != "_"
            ):
                found = self._expression(right, bound)
                bound.add(name)
                yield syntax.Bind(found, variable(name, left.span), span=goal.span)
            case Compound() | Atom() if self._is_call(goal) and not bound.issuperset(_asked(goal)):
                yield self.call(goal, bound)
            case _:
                yield syntax.Filter(self._condition(goal, bound), span=goal.span)

    def calls(self, goal: Term, bound: set[str]) -> Iterator[syntax.GroupElement]:
        """Goals of ``event_multiply``: a solution for each answer, also where all has a value."""
        match goal:
            case Compound(functor=",", arguments=(first, second)):
                yield from self.calls(first, bound)
                yield from self.calls(second, bound)
            case _ if self._is_call(goal):
                yield self.call(goal, bound)
            case _:
                yield from self.elements(goal, bound)

    def call(self, goal: Term, bound: set[str]) -> syntax.GoalPattern:
        """A call of the user's predicate, with a solution for each answer.

        Raises:
            Fault: EP124, EP125; EP126, it is no such call.
        """
        if not self._is_call(goal):
            raise _unsupported(goal)
        arguments = goal.arguments if isinstance(goal, Compound) else ()
        name = goal.functor if isinstance(goal, Compound) else goal.name
        bound.update(variables_in(goal))
        iri = syntax.IriRef(PROLOG_NAMESPACE + name, span=goal.span)
        return syntax.GoalPattern(iri, tuple(map(self._names.value, arguments)), span=goal.span)

    @staticmethod
    def _is_call(goal: Term) -> TypeGuard[Compound | Atom]:
        match goal:
            case Compound(functor=name) | Atom(name=name):
                return not any(name in each for each in (_COMPARISONS, _CONTROL, _TIMES, ("is", ",", ";")))
            case _:
                return False

    def _condition(self, goal: Term, bound: set[str]) -> syntax.Expression:
        match goal:
            case Compound(functor=",", arguments=(first, second)):
                parts = self._condition(first, bound), self._condition(second, bound)
                return syntax.And(parts, span=goal.span)
            case Compound(functor=";", arguments=(first, second)):
                parts = self._condition(first, bound), self._condition(second, bound)
                return syntax.Or(parts, span=goal.span)
            case Compound(functor="\\+", arguments=(negated,)):
                return syntax.Unary("!", self._condition(negated, bound), span=goal.span)
            case Compound(functor=functor, arguments=(left, right)) if functor in _COMPARISONS:
                one, other = self._expression(left, bound), self._expression(right, bound)
                operator = cast("_Comparison", _COMPARISONS[functor])
                return syntax.Comparison(operator, one, other, span=goal.span)
            case Compound(functor=functor) if functor not in _CONTROL and functor not in _TIMES:
                return self._call(goal, goal.arguments, bound)
            case Atom(name=name) if name not in _CONTROL:
                return self._call(Compound(name, (), span=goal.span), (), bound)
            case _:
                raise _unsupported(goal)

    def _call(self, goal: Compound, inputs: tuple[Term, ...], bound: set[str]) -> syntax.FunctionCall:
        for each in inputs:
            self._check_bound(each, bound)
        iri = syntax.IriRef(PROLOG_NAMESPACE + goal.functor, span=goal.span)
        return syntax.FunctionCall(iri, tuple(map(self._names.value, inputs)), span=goal.span)

    def _expression(self, term: Term, bound: set[str]) -> syntax.Expression:
        match term:
            case Compound(functor="+" | "-" | "*" | "/" as sign, arguments=(left, right)):
                one, other = self._expression(left, bound), self._expression(right, bound)
                return syntax.Arithmetic(sign, one, other, span=term.span)
            case Compound(functor="-" | "+" as sign, arguments=(operand,)):
                return syntax.Unary(sign, self._expression(operand, bound), span=term.span)
            case Compound(functor="min" | "max" as functor, arguments=(left, right)):
                one, other = self._expression(left, bound), self._expression(right, bound)
                operator: _Comparison = "<" if functor == "min" else ">"
                test = syntax.Comparison(operator, one, other, span=term.span)
                return syntax.BuiltInCall("IF", (test, one, other), span=term.span)
            case Compound(functor=functor, arguments=(operand,)) if functor in _FUNCTIONS:
                value = self._expression(operand, bound)
                return syntax.BuiltInCall(_FUNCTIONS[functor], (value,), span=term.span)
            case _:
                self._check_bound(term, bound)
                return self._names.value(term)

    def _check_bound(self, term: Term, bound: set[str]) -> None:
        for name in variables_in(term):
            if name not in bound:
                hint = "it has to stand in an event, or be bound by a goal before"
                raise Fault("EP123", f"{name} has no value here", term.span, hint)
        if isinstance(term, Variable) and term.name == "_":
            raise Fault("EP123", "_ has no value here", term.span, "name what is asked for")


def _asked(goal: Term) -> set[str]:
    """The variables of a goal; ``_`` is one that has no value."""
    return {*variables_in(goal), *(each.name for each in _parts(goal) if isinstance(each, Variable))}


def _parts(goal: Term) -> tuple[Term, ...]:
    return goal.arguments if isinstance(goal, Compound) else ()


def seconds(term: Term) -> syntax.Duration:
    """A number of seconds as a duration.

    Raises:
        Fault: EP126, it is no number that is not negative.
    """
    if not isinstance(term, Number) or term.text.startswith("-") or "e" in term.text.lower():
        hint = "write the number itself, in seconds"
        raise Fault("EP126", "a length of time is a number of seconds", term.span, hint)
    return syntax.Duration(f"PT{term.text}S", span=term.span)


def _unsupported(goal: Term) -> Fault:
    if isinstance(goal, Compound) and goal.functor in _TIMES:
        hint = "say how long it may take: (a seq b) within 2"
        return Fault("EP126", "times have no terms of their own here", goal.span, hint)
    name = goal.functor if isinstance(goal, Compound) else goal.name if isinstance(goal, Atom) else "this"
    hint = "define a predicate in a static rule, and call that; actions are callbacks: on_match"
    return Fault("EP126", f"{name} cannot stand in a condition", goal.span, hint)
