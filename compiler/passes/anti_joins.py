"""Mark optional operators of which only what stays alone counts: the filter above wants no partner.

    Filter !BOUND(?b) (A OPTIONAL B(?b))    becomes    Filter !BOUND(?b) (A OPTIONAL, alone only, B(?b))

where ``?b`` is bound in every solution of B and not by A. The filter stays: under a policy pairs are chosen
all the same. Says that pairs are not wanted; what is kept instead is the business of ``rules/optional.py``.
"""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Pattern, Variable, map_children
from etalis_py.compiler.algebra.scope import certain_variables

__all__ = ["anti_joins", "wants_unbound"]


def anti_joins(pattern: Pattern) -> Pattern:
    """The pass; applies everywhere in ``pattern``."""
    return _marked(pattern, frozenset())


def wants_unbound(condition: algebra.Expression) -> frozenset[Variable]:
    """The variables that are unbound where ``condition`` is true, as it says itself."""
    found = (_unbound_by(part) for part in algebra.conjuncts(condition))
    return frozenset(each for each in found if each is not None)


def _unbound_by(part: algebra.Expression) -> Variable | None:
    match part:
        case algebra.Apply(function="!", arguments=(algebra.Apply(function="BOUND", arguments=(variable,)),)):
            return variable if isinstance(variable, Variable) else None
        case Variable() | algebra.Constant() | algebra.Apply() | algebra.Exists():
            return None
        case _:
            assert_never(part)


def _marked(pattern: Pattern, unbound: frozenset[Variable]) -> Pattern:
    """``pattern``, of which only solutions that leave ``unbound`` unbound are wanted."""
    match pattern:
        case algebra.Filter(condition=condition, pattern=inner):
            return replace(pattern, pattern=_marked(inner, unbound | wants_unbound(condition)))
        case algebra.Extend(variable=variable, pattern=inner):
            return replace(pattern, pattern=_marked(inner, unbound - {variable}))
        case algebra.Pair(operator=operator):
            anti = operator.optional is not None and _decides(
                unbound, pattern.side(operator.optional.other), pattern.side(operator.optional)
            )
            left, right = anti_joins(pattern.left), anti_joins(pattern.right)
            return replace(pattern, left=left, right=right, anti=anti)
        case _:
            return map_children(pattern, anti_joins)


def _decides(unbound: frozenset[Variable], kept: Pattern, optional: Pattern) -> bool:
    return bool(unbound & (certain_variables(optional) - frozenset(algebra.variables(kept))))
