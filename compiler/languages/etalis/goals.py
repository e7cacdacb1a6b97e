"""Goals of ``where``, ``check`` and ``prolog``: as filters, bindings and calls of the user's predicates."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final, Literal, TypeGuard, cast

from etalis_py.compiler.languages.etalis.names import Names, variable
from etalis_py.compiler.languages.etalis.operators import WORDS
from etalis_py.compiler.languages.etalis.terms import Atom, Compound, Number, Term, Variable, variables_in
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.parse.names import PROLOG_NAMESPACE
from etalis_py.compiler.spans import Span
from etalis_py.core.vocabulary import XSD_DURATION

__all__ = ["Goals"]

_Sign = Literal["+", "-", "*", "/"]
_Comparison = Literal["=", "!=", "<", ">", "<=", ">="]
_COMPARISONS: Final = MappingProxyType(
    {
        "=:=": "=", "==": "=", "=": "=", "=\\=": "!=", "\\==": "!=", "\\=": "!=",
        "<": "<", ">": ">", "=<": "<=", ">=": ">=",
    }
)  # fmt: skip
_CONTROL: Final = frozenset(
    {"->", "*->", "\\+", "!", "fail", "forall", "findall", "bagof", "setof", "call"}
)  # fmt: skip
_ACTIONS: Final = MappingProxyType(
    {
        **dict.fromkeys(("assert", "assertz", "asserta", "retract", "retractall", "incCounter", "counter",
                         "resetCounter"), "carry it on in an event: n(M) <- n(N) seq a where (M is N + 1)"),
        **dict.fromkeys(("ins_event_rule", "del_event_rule"),
                        "rules come and go by engine.register and engine.unregister"),
        **dict.fromkeys(("ins_static_rule", "del_static_rule"), "write it into the file, or one of --rules"),
        "event": "make the event by a rule of its own",
    }
)  # fmt: skip
"""Goals with side effects: what is done instead."""
_COMPUTED: Final = MappingProxyType(
    {
        **dict.fromkeys(("t1", "t2", "current_datime"), 1),
        **dict.fromkeys(("datime_minus_datime", "datime_plus_sec", "min", "max"), 3),
    }
)
"""Predicates of ETALIS that compute their last argument, with the number of their arguments."""
_FUNCTIONS: Final = MappingProxyType({"abs": "ABS", "ceiling": "CEIL", "floor": "FLOOR", "round": "ROUND"})


class Goals:
    """Makes elements of a group of goals."""

    def __init__(self, names: Names, defined: frozenset[str] = frozenset()) -> None:
        self._names = names
        self._defined = defined

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
            case Compound(arguments=(*_, result)) if self._is_computed(goal):
                if isinstance(result, Variable) and result.name not in bound:
                    yield syntax.Bind(
                        self._computed(goal, bound), variable(result.name, result.span), span=goal.span
                    )
                    bound.update(variables_in(result))
                else:
                    yield syntax.Filter(self._condition(goal, bound), span=goal.span)
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
        name, arguments = _parted(goal)
        bound.update(variables_in(goal))
        iri = syntax.IriRef(PROLOG_NAMESPACE + name, span=goal.span)
        return syntax.GoalPattern(iri, tuple(map(self._names.value, arguments)), span=goal.span)

    def _is_call(self, goal: Term) -> TypeGuard[Compound | Atom]:
        match goal:
            case Compound(functor=name) | Atom(name=name):
                known = (_COMPARISONS, _CONTROL, _ACTIONS, ("is", ",", ";"))
                return name in self._defined or not (
                    any(name in each for each in known) or self._is_computed(goal)
                )
            case _:
                return False

    def _is_computed(self, goal: Term) -> TypeGuard[Compound]:
        """Whether it is a predicate of ETALIS that computes its last argument; a file may define its own."""
        return (
            isinstance(goal, Compound)
            and _COMPUTED.get(goal.functor) == len(goal.arguments)
            and goal.functor not in self._defined
        )

    def _computed(self, goal: Compound, bound: set[str]) -> syntax.Expression:
        """The value of the last argument; now is the end of what the condition stands behind."""
        span = goal.span
        second = syntax.Literal("PT1S", syntax.IriRef(XSD_DURATION, span=span), span=span)
        match goal:
            case Compound(functor="t1"):
                return syntax.BuiltInCall("GETSTARTTIME", (), span=span)
            case Compound(functor="t2" | "current_datime"):
                return syntax.BuiltInCall("GETENDTIME", (), span=span)
            case Compound(functor="datime_minus_datime", arguments=(later, earlier, _)):
                between = self._arithmetic("-", later, earlier, span, bound)
                return syntax.Arithmetic("/", between, second, span=span)
            case Compound(functor="datime_plus_sec", arguments=(time, number, _)):
                length = syntax.Arithmetic("*", self._expression(number, bound), second, span=span)
                return syntax.Arithmetic("+", self._expression(time, bound), length, span=span)
            case Compound(arguments=(left, right, _)):
                return self._expression(Compound(goal.functor, (left, right), span=span), bound)
            case _:
                raise AssertionError(goal)

    def _arithmetic(
        self, sign: _Sign, left: Term, right: Term, span: Span, bound: set[str]
    ) -> syntax.Arithmetic:
        one, other = self._expression(left, bound), self._expression(right, bound)
        return syntax.Arithmetic(sign, one, other, span=span)

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
            case Compound(functor=functor) if functor in WORDS:
                hint = "a comma means and, a semicolon or: where (X > 3, X < 5 ; X = 9)"
                raise Fault("EP126", f"{functor} cannot stand in a condition", goal.span, hint)
            case Compound(arguments=(*_, result)) if self._is_computed(goal):
                one, other = self._computed(goal, bound), self._expression(result, bound)
                return syntax.Comparison("=", one, other, span=goal.span)
            case _ if self._is_call(goal):
                name, arguments = _parted(goal)
                for each in arguments:
                    self._check_bound(each, bound)
                iri = syntax.IriRef(PROLOG_NAMESPACE + name, span=goal.span)
                return syntax.FunctionCall(iri, tuple(map(self._names.value, arguments)), span=goal.span)
            case _:
                raise _unsupported(goal)

    def _expression(self, term: Term, bound: set[str]) -> syntax.Expression:
        match term:
            case Compound(functor="+" | "-" | "*" | "/" as sign, arguments=(left, right)):
                return self._arithmetic(sign, left, right, term.span, bound)
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
            case Compound(functor=functor) if functor != ":":
                hint = f"there are + - * /, {', '.join(_FUNCTIONS)}, min and max; else call a static rule"
                raise Fault("EP126", f"{functor} is nothing to compute with", term.span, hint)
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


def _asked(goal: Compound | Atom) -> set[str]:
    """The variables of a goal; ``_`` is one that has no value."""
    _, arguments = _parted(goal)
    return {*variables_in(goal), *(each.name for each in arguments if isinstance(each, Variable))}


def _parted(goal: Compound | Atom) -> tuple[str, tuple[Term, ...]]:
    """The name of a goal and its arguments."""
    return (goal.functor, goal.arguments) if isinstance(goal, Compound) else (goal.name, ())


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
    name = goal.functor if isinstance(goal, Compound) else goal.name if isinstance(goal, Atom) else "this"
    hint = "define a predicate in a static rule, and call that; actions are callbacks: on_match"
    return Fault("EP126", f"{name} cannot stand in a condition", goal.span, _ACTIONS.get(name, hint))
