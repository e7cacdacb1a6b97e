"""How old what is looked for may be: what a condition says about it and the instant of the decision.

``getSTARTTIME() > ?now - "PT1H"^^xsd:dayTimeDuration`` in an optional group or an EXISTS, where ``?now`` is
the end of the solution that it is decided for (``BIND(getENDTIME() AS ?now)``, or ``NOW()``), holds for
nothing that is older than an hour. The decision falls at that very end, so what is older need not be kept.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from etalis_py.compiler.algebra.algebra import Apply, Expression, Variable, conjuncts
from etalis_py.compiler.algebra.window import day_time_microseconds
from etalis_py.core.value_class import value_class

__all__ = ["Age", "age_bound"]


_TIMES: Final = ("GETSTARTTIME", "GETENDTIME")


@value_class
class Age:
    """The start, or the end, lies less than ``width`` microseconds before the instant of the decision."""

    width: int
    of_start: bool


def age_bound(condition: Expression | None, ends: Collection[Variable]) -> Age | None:
    """The narrowest bound in ``condition``, where ``ends`` hold the instant of the decision, if any."""
    if condition is None:
        return None
    found = (_bound_of(part, ends) for part in conjuncts(condition))
    return min((each for each in found if each is not None), key=lambda each: each.width, default=None)


def _bound_of(part: Expression, ends: Collection[Variable]) -> Age | None:
    """``time > now - width``, ``now - time < width`` and the like."""
    if not isinstance(part, Apply) or part.function not in ("<", ">", "<=", ">="):
        return None
    later, earlier = part.arguments if part.function.startswith(">") else part.arguments[::-1]
    if not isinstance(earlier, Apply) or earlier.function != "-":
        return None
    now, taken = earlier.arguments
    time, width = (later.function, taken) if isinstance(later, Apply) else (None, None)
    if isinstance(taken, Apply) and taken.function in _TIMES:
        time, width = taken.function, later
    if time not in _TIMES or width is None or not _is_now(now, ends):
        return None
    length = day_time_microseconds(width)
    if length is None or length <= 0:
        return None
    return Age(length + part.function.endswith("="), of_start=time == "GETSTARTTIME")


def _is_now(expression: Expression, ends: Collection[Variable]) -> bool:
    if isinstance(expression, Variable):
        return expression in ends
    return isinstance(expression, Apply) and expression.function == "NOW"
