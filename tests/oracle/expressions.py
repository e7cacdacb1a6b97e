"""Expressions of the oracle: SPARQL 1.1, section 17, for numbers, strings, truth values, times and IRIs.

An error is an exception here; three-valued logic is written out as in section 17.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.syntax import Expression
from etalis_py.core.terms import Encoded, encode_literal
from etalis_py.core.vocabulary import XSD_BOOLEAN
from tests.oracle.functions import called
from tests.oracle.logic import all_true, certain, compare, opposite, time_of
from tests.oracle.solutions import Interval, Solution
from tests.oracle.values import ExpressionError, arithmetic, effective_boolean, negated

__all__ = ["Scope", "constant", "holds", "value_or_none"]


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression speaks of; without an interval the time functions are errors.

    ``tested`` is the solution that EXISTS asks about, ``exists`` says whether a group has one that goes with
    it, ``aggregate`` gives the value of an aggregate, ``iterations`` are those before the one that is tested.
    """

    mapping: Mapping[str, Encoded]
    interval: Interval | None
    names: Names
    tested: Solution
    exists: Callable[[syntax.Group, Solution], bool]
    aggregate: Callable[[syntax.Aggregate], Encoded] | None = None
    iterations: Sequence[Solution] = ()


def constant(term: syntax.Iri | syntax.Literal, names: Names) -> Encoded:
    """An IRI or literal in its encoded form."""
    if not isinstance(term, syntax.Literal):
        return names.resolve(term)
    datatype = None if term.datatype is None else names.resolve(term.datatype)
    return encode_literal(term.lexical, datatype, term.language)


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
        case syntax.IriRef() | syntax.PrefixedName() | syntax.Literal():
            return constant(expression, scope.names)
        case syntax.Variable(name=name):
            if name not in scope.mapping:
                raise ExpressionError(f"?{name} is unbound")
            return scope.mapping[name]
        case syntax.BuiltInCall(name="IF", arguments=(test, then, otherwise)):
            return _value(then if certain(_truth(test, scope)) else otherwise, scope)
        case syntax.BuiltInCall(name="PREV", arguments=(syntax.Variable(name=name), *default)):
            return _previous(name, scope) if scope.iterations else _first(tuple(default), scope)
        case syntax.BuiltInCall(name="COALESCE", arguments=choices):
            return _first(choices, scope)
        case syntax.BuiltInCall(name="GETDURATION" | "GETSTARTTIME" | "GETENDTIME" as function):
            return time_of(function, scope.interval)
        case syntax.Arithmetic(operator=operator, left=left, right=right):
            return arithmetic(operator, _value(left, scope), _value(right, scope))
        case syntax.Unary(operator="-", operand=operand):
            return negated(_value(operand, scope))
        case syntax.FunctionCall(function=function, arguments=arguments):
            return called(scope.names.resolve(function), [_value(each, scope) for each in arguments])
        case syntax.Aggregate():
            assert scope.aggregate is not None
            return scope.aggregate(expression)
        case _:
            return certain(_logic(expression, scope)), XSD_BOOLEAN


def _previous(name: str, scope: Scope) -> Encoded:
    value = scope.iterations[-1].mapping.get(name)
    if value is None:
        raise ExpressionError(f"?{name} was unbound")
    return value


def _first(choices: tuple[Expression, ...], scope: Scope) -> Encoded:
    for choice in choices:
        value = value_or_none(choice, scope)
        if value is not None:
            return value
    raise ExpressionError("no choice has a value")


def _logic(expression: Expression, scope: Scope) -> bool | None:
    match expression:
        case syntax.Exists(group=group, negated=negated):
            return scope.exists(group, scope.tested) != negated
        case syntax.BuiltInCall(name="BOUND", arguments=(syntax.Variable(name=name),)):
            return name in scope.mapping
        case syntax.BuiltInCall(name="SAMETERM", arguments=(left, right)):
            return _comparison("sameTerm", left, right, scope)
        case syntax.And(operands=operands):
            return all_true([_truth(each, scope) for each in operands])
        case syntax.Or(operands=operands):
            return opposite(all_true([opposite(_truth(each, scope)) for each in operands]))
        case syntax.Unary(operator="!", operand=operand):
            return opposite(_truth(operand, scope))
        case syntax.Membership(value=wanted, choices=choices, negated=negated):
            none = all_true([opposite(_comparison("=", wanted, each, scope)) for each in choices])
            return none if negated else opposite(none)
        case syntax.Comparison(operator=operator, left=left, right=right):
            return _comparison(operator, left, right, scope)
        case _:
            raise NotImplementedError(expression)


def _comparison(operator: str, one: Expression, other: Expression, scope: Scope) -> bool | None:
    try:
        return compare(operator, _value(one, scope), _value(other, scope))
    except ExpressionError:
        return None
