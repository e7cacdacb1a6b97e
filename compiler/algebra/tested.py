"""EXISTS over windows that speaks of the solution tested: its group is evaluated beside all of them at once.

SPARQL 1.1, section 18.6 substitutes the values of a solution in the group. Where joining with the group does
not come to the same (``correlate.py``), each of its leaves is joined with what is tested: then all parts of
the group have these values, and solutions for different values are apart from one another. They are told
apart by keys, which are bound in any case: a variable without a value is one of the group's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import Pattern, Variable
from etalis_py.compiler.algebra.correlate import Outside
from etalis_py.compiler.algebra.scope import certain_variables, is_drawn

__all__ = ["UNBOUND", "NotBesideError", "beside", "keys_of", "values_of", "with_keys"]


class NotBesideError(Exception):
    """A group is not the same beside the values of solutions."""


UNBOUND: Final = algebra.Constant("_:")
"""Stands for no value where keys are compared; no term is written so."""


def keys_of(tested: Pattern, variables: frozenset[Variable]) -> dict[Variable, Variable]:
    """A key for each of ``variables`` that ``tested`` may bind."""
    return {
        each: Variable(f"_: {each.name} or none", span=each.span)
        for each in algebra.variables(tested)
        if each in variables
    }


def with_keys(tested: Pattern, keys: Mapping[Variable, Variable]) -> Pattern:
    """``tested`` with the keys of its variables."""
    there, certain = algebra.variables(tested), certain_variables(tested)
    for each, key in keys.items():
        if key not in there:
            kept = each if each in certain else algebra.Apply("COALESCE", (each, UNBOUND), span=each.span)
            tested = algebra.Extend(tested, key, kept, span=tested.span)
    return tested


def values_of(tested: Pattern, keys: Mapping[Variable, Variable]) -> Pattern:
    """The values that solutions of ``tested`` have of variables and their keys, each combination once.

    Raises:
        NotBesideError: a solution has other values each time that it is asked for them.
    """
    if _draws(tested):
        raise NotBesideError
    values = algebra.Project(with_keys(tested, keys), (*keys, *keys.values()), span=tested.span)
    return algebra.Distinct(values, span=tested.span)


def _draws(pattern: Pattern) -> bool:
    own = any(is_drawn(expression) for expression, _ in pattern.expressions)
    return own or any(map(_draws, algebra.children(pattern)))


def beside(values: Pattern, group: Pattern) -> Pattern:
    """Solutions of ``group`` for each of ``values``.

    Raises:
        NotBesideError: BIND gives a variable of these another value; a sub-SELECT speaks of one of them, and
            has another variable with the name of one; or a MINUS has in common what may be unbound, so that
            not all of its solutions have a variable of their own in common.
    """
    given = frozenset(algebra.variables(values))
    match group:
        case algebra.Extend(variable=variable) if variable in given:
            raise NotBesideError
        case algebra.Filter() | algebra.Distinct() | algebra.OrderBy() | algebra.Extend():
            return replace(group, pattern=beside(values, group.pattern))
        case algebra.Project(variables=shown) if not _is_joined(group, values):
            own = tuple(each for each in algebra.variables(values) if each not in shown)
            if not algebra.mentioned_variables(group.pattern).isdisjoint(own):
                raise NotBesideError
            return replace(group, pattern=beside(values, group.pattern), variables=(*shown, *own))
        case algebra.Union() | algebra.Pair(operator=operators.JOIN | operators.OPTIONAL):
            return replace(group, left=beside(values, group.left), right=beside(values, group.right))
        case algebra.Minus(left=left, right=right):
            common = frozenset(algebra.variables(left)).intersection(algebra.variables(right))
            if not common & given <= certain_variables(values):
                raise NotBesideError
            if common <= given | group.ignored:
                return beside(values, left)
            both = replace(group, left=beside(values, left), right=beside(values, right))
            return replace(both, ignored=group.ignored | given)
        case _:
            return algebra.Pair(operators.JOIN, values, group, span=group.span)


def _is_joined(group: Pattern, values: Pattern) -> bool:
    given = frozenset(algebra.variables(values))
    return Outside(given, certain_variables(values), at_instant=False).is_joined(group)
