"""Expressions become straight Prolog goals: no interpreter runs when an event arrives.

SPARQL's three-valued logic (SPARQL 1.1, section 17.2) needs no third value here: a goal for "is true", a
goal for "is false", and an error is what neither of them proves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from itertools import count

from typing_extensions import assert_never

from etalis_py.compiler.algebra.algebra import Apply, Constant, Exists, Expression, Variable
from etalis_py.compiler.algebra.functions import ARITHMETIC, FUNCTIONS, PROLOG_NAMESPACE
from etalis_py.compiler.algebra.window import day_time_microseconds
from etalis_py.compiler.rules.prolog_terms import (
    FAIL,
    TRUE,
    UNBOUND,
    Atom,
    Number,
    Term,
    Var,
    conjunction,
    if_then_else,
    list_term,
    rdf_term,
    struct,
    unify,
)
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD_BOOLEAN, XSD_DAYTIMEDURATION, XSD_DURATION

__all__ = ["ExpressionCompiler", "Scope"]

_FRESH = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})
"""Without arguments these give another value each time; they never fail."""

_DURATIONS = frozenset({XSD_DURATION, XSD_DAYTIMEDURATION})
_ORDER_TESTS = {"less": (">=", "<"), "less_or_equal": (">", "=<")}
"""What a comparison is for times, and for durations without months: where it is wanted false, and true."""

_LONGEST_SHIFT = 10**18
"""Microseconds; a time of the stream that is shifted further may have no literal."""

_LOGIC = frozenset({"&&", "||", "!", "=", "!=", "<", ">", "<=", ">=", "in", "BOUND", "SAMETERM"})


@value_class
class Scope:
    """What an expression may speak of: the value of each variable, and the interval.

    ``certain`` holds the variables whose value is never the unbound mark. ``ends`` is the end of the
    solution that the expression is about: EXISTS sees what ends no later. ``interval`` may be another:
    in the filter of an optional group time functions speak of the group's match, but the pair is tested.
    """

    values: Mapping[Variable, Term]
    certain: frozenset[Variable]
    interval: tuple[Term, Term] | None
    """Start and end; None for background alone, where time functions are errors."""
    ends: Term | None
    """None for background alone, which no event ended before."""
    is_timed: bool = True
    """Whether there is no interval that starts after its end, as that of what background alone gives."""
    times: Mapping[Variable, Term] = field(default_factory=dict)
    """Variables that hold a time in every solution, with its microseconds."""

    @classmethod
    def of(
        cls,
        values: Mapping[Variable, Term],
        certain: frozenset[Variable],
        interval: tuple[Term, Term] | None,
        end_variables: Collection[Variable] = (),
    ) -> Scope:
        """Where the expression is about the solution with this interval, whose end ``end_variables`` hold."""
        if interval is None:
            return cls(values, certain, None, None)
        end = interval[1]
        return cls(values, certain, interval, end, times=dict.fromkeys(end_variables, end))


class ExpressionCompiler:
    """Compiles the expressions of one clause; values are kept in variables ``E1``, ``E2``, ...

    ``decide`` makes the goal of an EXISTS; where there are none it is not needed.
    """

    def __init__(
        self,
        scope: Scope,
        decide: Callable[[Exists, ExpressionCompiler], Term] | None = None,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.scope = scope
        self.numbers = count(1) if numbers is None else numbers
        self._decide_exists = decide
        self._drawn: dict[Variable, Term] = {}

    def _fresh(self) -> Var:
        return Var(f"E{next(self.numbers)}")

    # ---- is it true, is it false ----------------------------------------------------------------------

    def condition(self, expression: Expression) -> Term:
        """A goal that succeeds, once, where the effective boolean value is true."""
        return self._decide(expression, wanted=True)

    def refutation(self, expression: Expression) -> Term:
        """A goal that succeeds, once, where the effective boolean value is false: no error, not true."""
        return self._decide(expression, wanted=False)

    def _decide(  # noqa: C901 - one branch for each operator
        self, expression: Expression, *, wanted: bool
    ) -> Term:
        match expression:
            case Apply(function="&&", arguments=operands):
                return self._all(operands, wanted=True) if wanted else self._any(operands, wanted=False)
            case Apply(function="||", arguments=operands):
                return self._any(operands, wanted=True) if wanted else self._all(operands, wanted=False)
            case Apply(function="!", arguments=(operand,)):
                return self._decide(operand, wanted=not wanted)
            case Apply(function="in", arguments=(value, *choices)):
                return self._decide(_membership(value, choices), wanted=wanted)
            case Apply(function="=" | "!=", arguments=(left, right)):
                expected = wanted if expression.function == "=" else not wanted
                return self._compare("equal", left, right, expected)
            case Apply(function="<", arguments=(left, right)) | Apply(function=">", arguments=(right, left)):
                return self._compare("less", left, right, wanted)
            case (
                Apply(function="<=", arguments=(left, right)) | Apply(function=">=", arguments=(right, left))
            ):
                return self._compare("less_or_equal", left, right, wanted)
            case Apply(function="SAMETERM", arguments=(left, right)):
                test = "==" if wanted else "\\=="
                return self._with_values((left, right), lambda a, b: struct(test, a, b))
            case Apply(function="BOUND", arguments=(Variable() as variable,)):
                return self._bound(variable, wanted=wanted)
            case Exists():
                return self._exists(expression, wanted=wanted)
            case Apply(function=function, arguments=arguments) if function.startswith(PROLOG_NAMESPACE):
                name = Atom(function.removeprefix(PROLOG_NAMESPACE))
                return self._with_values(
                    arguments,
                    lambda *values: struct("test_user_predicate", name, list_term(values), _truth(wanted)),
                )
            case Variable() | Constant() | Apply():
                return self._with_values((expression,), lambda value: struct("ebv", value, _truth(wanted)))
            case _:
                assert_never(expression)

    def _all(self, operands: tuple[Expression, ...], *, wanted: bool) -> Term:
        return conjunction(*(self._decide(each, wanted=wanted) for each in operands))

    def _any(self, operands: tuple[Expression, ...], *, wanted: bool) -> Term:
        goals = [self._decide(each, wanted=wanted) for each in operands]
        result = goals[-1] if goals else FAIL
        for goal in reversed(goals[:-1]):
            result = if_then_else(goal, TRUE, result)
        return result

    def _compare(self, predicate: str, left: Expression, right: Expression, truth: bool) -> Term:
        if predicate in _ORDER_TESTS:
            for known in (self._length, self._moment):
                one, other = known(left), known(right)
                if one is not None and other is not None:
                    return struct(_ORDER_TESTS[predicate][truth], one, other)
        return self._with_values((left, right), lambda a, b: struct(predicate, a, b, _truth(truth)))

    def _length(self, expression: Expression) -> Term | None:
        """What is known to be a duration without months, as microseconds: numbers compare fast."""
        match expression:
            case Apply(function="GETDURATION") if self.scope.interval is not None and self.scope.is_timed:
                start, end = self.scope.interval
                return struct("-", end, start)
            case Apply(function="-", arguments=(later, earlier)):
                to, since = self._moment(later), self._moment(earlier)
                return None if to is None or since is None else struct("-", to, since)
            case Constant(value=((0, int() as microseconds), *_, datatype)) if datatype in _DURATIONS:
                return Number(microseconds)
            case Variable() | Constant() | Apply() | Exists():
                return None
            case _:
                assert_never(expression)

    def _moment(self, expression: Expression) -> Term | None:
        """What is known to be a time of the solution, or so long before or after it, as microseconds."""
        interval = self.scope.interval if self.scope.is_timed else None
        match expression:
            case Variable():
                return self.scope.times.get(expression)
            case Apply(function="GETSTARTTIME") if interval is not None:
                return interval[0]
            case Apply(function="GETENDTIME") if interval is not None:
                return interval[1]
            case Apply(function="+" | "-" as sign, arguments=(time, Constant() as shift)):
                moment, length = self._moment(time), day_time_microseconds(shift)
                if moment is None or length is None or abs(length) > _LONGEST_SHIFT:
                    return None
                return struct(sign, moment, Number(length))
            case Constant() | Apply() | Exists():
                return None
            case _:
                assert_never(expression)

    def _with_values(self, expressions: tuple[Expression, ...], build: Callable[..., Term]) -> Term:
        computed = [self.value(each) for each in expressions]
        return conjunction(*(goal for goal, _ in computed), build(*(value for _, value in computed)))

    def _bound(self, variable: Variable, *, wanted: bool) -> Term:
        if variable not in self.scope.values:
            return FAIL if wanted else TRUE
        if variable in self.scope.certain:
            return TRUE if wanted else FAIL
        return struct("\\==" if wanted else "==", self.scope.values[variable], UNBOUND)

    def _exists(self, test: Exists, *, wanted: bool) -> Term:
        assert self._decide_exists is not None, "the plan knows the tests of each expression"
        none = struct("\\+", self._decide_exists(test, self))
        return struct("\\+", none) if wanted else none

    # ---- what is its value ------------------------------------------------------------------------------

    def value(self, expression: Expression) -> tuple[Term, Term]:
        """A goal and the term that it binds to the value; the goal fails where SPARQL says "error"."""
        match expression:
            case Variable() if expression in self._drawn:
                return TRUE, self._drawn[expression]
            case Variable():
                if expression not in self.scope.values:
                    return FAIL, UNBOUND
                value = self.scope.values[expression]
                certain = expression in self.scope.certain
                return (TRUE if certain else struct("\\==", value, UNBOUND)), value
            case Constant(value=constant):
                return TRUE, rdf_term(constant)
            case Apply() if expression.function not in _LOGIC:
                return self._apply(expression)
            case Apply() | Exists():
                return self._truth_value(expression)
            case _:
                assert_never(expression)

    def _truth_value(self, expression: Expression) -> tuple[Term, Term]:
        result = self._fresh()
        then, otherwise = unify(result, Atom("true")), unify(result, Atom("false"))
        return self._choice(expression, then, otherwise), struct("^^", result, Atom(XSD_BOOLEAN))

    def _choice(self, test: Expression, then: Term, otherwise: Term) -> Term:
        """``then`` if the test is true, ``otherwise`` if it is false; fails if it is an error."""
        draws: list[Term] = []
        test = self._draw(test, draws)
        return conjunction(
            *draws,
            if_then_else(self.condition(test), then, conjunction(self.refutation(test), otherwise)),
        )

    def _draw(self, expression: Expression, draws: list[Term]) -> Expression:
        """``expression`` with each ``RAND()`` and the like drawn beforehand, once.

        Its condition and its refutation would draw apart, and both could fail.
        """
        if not isinstance(expression, Apply):
            return expression
        if expression.function in _FRESH and not expression.arguments:
            goal, value = self.value(expression)
            draws.append(goal)
            drawn = Variable(f"_: drawn {len(self._drawn)}", span=expression.span)
            self._drawn[drawn] = value
            return drawn
        return replace(expression, arguments=tuple(self._draw(each, draws) for each in expression.arguments))

    def _apply(self, call: Apply) -> tuple[Term, Term]:
        result = self._fresh()
        match call.function:
            case "IF":
                test, then, otherwise = call.arguments
                return self._choice(test, self._into(result, then), self._into(result, otherwise)), result
            case "COALESCE":
                goal: Term = FAIL
                for choice in reversed(call.arguments):
                    goal = if_then_else(self._into(result, choice), TRUE, goal)
                return goal, result
            case "GETDURATION" | "GETSTARTTIME" | "GETENDTIME":
                return self._time(call.function, result), result
            case "GETWINDOWSTART" | "GETWINDOWEND":
                return self._window(call, result), result
            case _:
                return self._call(call, result), result

    def _time(self, function: str, result: Var) -> Term:
        if self.scope.interval is None:
            return FAIL
        start, end = self.scope.interval
        timed = TRUE if self.scope.is_timed else struct("=<", start, end)
        match function:
            case "GETDURATION":
                return conjunction(timed, struct("f_getduration", start, end, result))
            case "GETSTARTTIME":
                return conjunction(timed, struct("f_getstarttime", start, result))
            case _:
                return conjunction(timed, struct("f_getendtime", end, result))

    def _window(self, call: Apply, result: Var) -> Term:
        """When the window of that name that closed last closed, or began; an error before the first."""
        assert self.scope.interval is not None, "background alone has no windows"
        values = (each.value[0] for each in call.arguments if isinstance(each, Constant))
        width, period, *first = (Number(each) for each in values if isinstance(each, int))
        now, closed = self.scope.interval[1], self._fresh()
        base = first[0] if first else Number(0)
        known = struct("is", closed, struct("-", now, struct("mod", struct("-", now, base), period)))
        begun = struct(">=", closed, base) if first else TRUE
        if call.function == "GETWINDOWEND":
            return conjunction(known, begun, struct("f_getendtime", closed, result))
        begin = self._fresh()
        start = struct("is", begin, struct("-", closed, width))
        return conjunction(known, begun, start, struct("f_getstarttime", begin, result))

    def binding(self, result: Var, expression: Expression) -> Term:
        """A goal that binds ``result`` to the value, or to the unbound mark where that is an error."""
        return if_then_else(self._into(result, expression), TRUE, unify(result, UNBOUND))

    def _into(self, result: Var, expression: Expression) -> Term:
        goal, value = self.value(expression)
        return conjunction(goal, unify(result, value))

    def _call(self, call: Apply, result: Var) -> Term:
        if call.function.startswith(PROLOG_NAMESPACE):
            name = Atom(call.function.removeprefix(PROLOG_NAMESPACE))
            return self._with_values(
                call.arguments,
                lambda *values: struct("call_user_predicate", name, list_term(values), result),
            )
        signature = ARITHMETIC.get(call.function) or FUNCTIONS.get(call.function)
        if signature is None:  # an extension function (SPARQL 1.1, section 17.6), known or not
            name = Atom(call.function)
            return self._with_values(
                call.arguments, lambda *values: struct("call_function", name, list_term(values), result)
            )
        return self._with_values(
            call.arguments,
            lambda *values: struct(
                signature.predicate, *((list_term(values),) if signature.variadic else values), result
            ),
        )


def _membership(value: Expression, choices: list[Expression]) -> Expression:
    """``value IN (a, b)`` is ``value = a || value = b`` (SPARQL 1.1, section 17.4.1.9)."""
    return Apply("||", tuple(Apply("=", (value, choice)) for choice in choices))


def _truth(value: bool) -> Atom:
    return Atom("true" if value else "false")
