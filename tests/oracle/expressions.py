"""Expressions of the oracle: SPARQL 1.1, section 17, for numbers, strings, truth values, times and IRIs.

An error is an exception here; three-valued logic is written out as in section 17.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from etalis_py.compiler.algebra import Apply, Constant, Expression, Variable
from etalis_py.terms import Encoded
from etalis_py.vocabulary import XSD_BOOLEAN, XSD_DATETIME, XSD_DURATION
from tests.oracle.solutions import Interval
from tests.oracle.values import ExpressionError, arithmetic, effective_boolean, equal, less, negated

__all__ = ["Scope", "holds", "value_or_none"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression speaks of; without an interval the time functions are errors."""

    mapping: Mapping[str, Encoded]
    interval: Interval | None


def holds(condition: Expression, scope: Scope) -> bool:
    """Whether a filter lets a solution pass: an error does not."""
    return _truth(condition, scope) is True


def value_or_none(expression: Expression, scope: Scope) -> Encoded | None:
    """The value, or None where it is an error."""
    try:
        return _value(expression, scope)
    except ExpressionError:
        return None


def _truth(expression: Expression, scope: Scope) -> bool | None:
    """The effective boolean value; None is an error."""
    try:
        return effective_boolean(_value(expression, scope))
    except ExpressionError:
        return None


def _value(expression: Expression, scope: Scope) -> Encoded:
    match expression:
        case Constant(value=value):
            return value
        case Variable(name=name):
            if name not in scope.mapping:
                raise ExpressionError(f"?{name} is unbound")
            return scope.mapping[name]
        case Apply(function="IF", arguments=(test, then, otherwise)):
            return _value(then if _certain(_truth(test, scope)) else otherwise, scope)
        case Apply(function="COALESCE", arguments=choices):
            return _first(choices, scope)
        case Apply(function="GETDURATION" | "GETSTARTTIME" | "GETENDTIME" as function):
            return _time(function, scope.interval)
        case Apply(function="+" | "-" | "*" | "/" as operator, arguments=(left, right)):
            return arithmetic(operator, _value(left, scope), _value(right, scope))
        case Apply(function="negate", arguments=(operand,)):
            return negated(_value(operand, scope))
        case Apply():
            return _certain(_logic(expression, scope)), XSD_BOOLEAN


def _first(choices: tuple[Expression, ...], scope: Scope) -> Encoded:
    for choice in choices:
        value = value_or_none(choice, scope)
        if value is not None:
            return value
    raise ExpressionError("no choice has a value")


def _logic(call: Apply, scope: Scope) -> bool | None:
    match call:
        case Apply(function="BOUND", arguments=(Variable(name=name),)):
            return name in scope.mapping
        case Apply(function="&&", arguments=operands):
            return _all([_truth(each, scope) for each in operands])
        case Apply(function="||", arguments=operands):
            return _not(_all([_not(_truth(each, scope)) for each in operands]))
        case Apply(function="!", arguments=(operand,)):
            return _not(_truth(operand, scope))
        case Apply(function="in", arguments=(wanted, *choices)):
            found = [_logic(Apply("=", (wanted, each)), scope) for each in choices]
            return _not(_all([_not(each) for each in found]))
        case _:
            return _comparison(call, scope)


def _comparison(call: Apply, scope: Scope) -> bool | None:
    try:
        left, right = (_value(each, scope) for each in call.arguments)
        match call.function:
            case "=":
                return equal(left, right)
            case "!=":
                return not equal(left, right)
            case "<":
                return less(left, right)
            case ">":
                return less(right, left)
            case "<=":
                return less(left, right) or equal(left, right)
            case ">=":
                return less(right, left) or equal(left, right)
            case "SAMETERM":
                return left == right
            case _:
                raise NotImplementedError(call.function)
    except ExpressionError:
        return None


def _all(truths: list[bool | None]) -> bool | None:
    """``&&``: false wins over an error, an error over true."""
    return False if False in truths else None if None in truths else True


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _certain(truth: bool | None) -> bool:
    if truth is None:
        raise ExpressionError("no truth value")
    return truth


def _time(function: str, interval: Interval | None) -> Encoded:
    if interval is None:
        raise ExpressionError("background has no time")
    start, end = interval
    if function == "GETDURATION":
        return (0, end - start), XSD_DURATION
    return (start if function == "GETSTARTTIME" else end), XSD_DATETIME
