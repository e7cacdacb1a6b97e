"""The aggregates: what the compiler has to know of each by its name.

They are computed by ``rules/aggregates`` and, over iterations, by ``rules/operators/iterations.pl``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from etalis_py.compiler.algebra.algebra import Constant
from etalis_py.core.value_class import value_class
from etalis_py.core.vocabulary import XSD_INTEGER, XSD_STRING

__all__ = ["AGGREGATES", "AggregateFunction"]


@value_class
class AggregateFunction:
    """``of_none`` is the value over nothing, None where there is none; ``gives`` says what a value always is.

    Where that is None it is one of the values that are aggregated.
    """

    of_none: Constant | None = None
    gives: Literal["a number", "a string"] | None = None


_NUMBER: Final = AggregateFunction(Constant((0, XSD_INTEGER)), "a number")
_TEXT: Final = AggregateFunction(Constant(("", XSD_STRING)), "a string")
_ONE_OF_THEM: Final = AggregateFunction()

AGGREGATES: Final[Mapping[str, AggregateFunction]] = MappingProxyType(
    {
        **dict.fromkeys(("COUNT", "SUM", "AVG"), _NUMBER),
        **dict.fromkeys(("GROUP_CONCAT", "LIST"), _TEXT),
        **dict.fromkeys(("MIN", "MAX", "SAMPLE", "FIRST", "LAST"), _ONE_OF_THEM),
    }
)
