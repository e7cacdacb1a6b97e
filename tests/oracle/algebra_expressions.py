"""Expressions of the algebra, for the oracle of the policies: the values and errors of ``values.py``.

An error is None here, as a value and as a truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import XSD_BOOLEAN
from tests.oracle.functions import called
from tests.oracle.logic import all_true, certain, compare, opposite, time_of
from tests.oracle.solutions import Interval
from tests.oracle.values import ExpressionError, arithmetic, effective_boolean, negated

__all__ = ["Sight", "truth", "value"]


@dataclass(frozen=True, slots=True)
class Sight:
    """What an expression sees; ``exists`` decides its tests."""

    mapping: Mapping[str, Encoded]
    interval: Interval | None
    exists: Callable[[algebra.Exists], bool]


def value(expression: Expression, sight: Sight) -> Encoded | None:
    """The value, or None where it is an error."""
    try:
        return _value(expression, sight)
    except ExpressionError:
        return None


def truth(expression: Expression, sight: Sight) -> bool | None:
    """Whether it is true; None where that is an error."""
    try:
        return effective_boolean(_value(expression, sight))
    except ExpressionError:
        return None


def _value(expression: Expression, sight: Sight) -> Encoded:
    match expression:
        case algebra.Variable(name=name):
            if name not in sight.mapping:
                raise ExpressionError(f"?{name} is unbound")
            return sight.mapping[name]
        case algebra.Constant(value=known):
            return known
        case algebra.Exists():
            return sight.exists(expression), XSD_BOOLEAN
        case algebra.Apply(function=function, arguments=arguments):
            return _applied(function, arguments, sight)


def _applied(function: str, arguments: tuple[Expression, ...], sight: Sight) -> Encoded:
    match function:
        case "IF":
            test, then, otherwise = arguments
            return _value(then if certain(truth(test, sight)) else otherwise, sight)
        case "COALESCE":
            found = [each for each in (value(choice, sight) for choice in arguments) if each is not None]
            if not found:
                raise ExpressionError("no choice has a value")
            return found[0]
        case "GETDURATION" | "GETSTARTTIME" | "GETENDTIME":
            return time_of(function, sight.interval)
        case "negate":
            return negated(_value(arguments[0], sight))
        case "+" | "-" | "*" | "/":
            return arithmetic(function, _value(arguments[0], sight), _value(arguments[1], sight))
        case _ if function.startswith("urn:"):
            return called(function, [_value(each, sight) for each in arguments])
        case _:
            return certain(_logic(function, arguments, sight)), XSD_BOOLEAN


def _logic(function: str, arguments: tuple[Expression, ...], sight: Sight) -> bool | None:
    match function:
        case "&&":
            return all_true([truth(each, sight) for each in arguments])
        case "||":
            return opposite(all_true([opposite(truth(each, sight)) for each in arguments]))
        case "!":
            return opposite(truth(arguments[0], sight))
        case "BOUND":
            (variable,) = arguments
            return isinstance(variable, algebra.Variable) and variable.name in sight.mapping
        case "in":
            first, *choices = arguments
            return opposite(all_true([opposite(_compared("=", first, each, sight)) for each in choices]))
        case "=" | "!=" | "<" | ">" | "<=" | ">=" | "SAMETERM":
            return _compared(function, arguments[0], arguments[1], sight)
        case _:
            raise NotImplementedError(function)


def _compared(function: str, one: Expression, other: Expression, sight: Sight) -> bool | None:
    left, right = value(one, sight), value(other, sight)
    if left is None or right is None:
        return None
    try:
        return compare(function, left, right)
    except ExpressionError:
        return None
