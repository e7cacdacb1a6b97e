"""Functions of the user's that take columns: which calls can be made for a batch before it is evaluated.

That is so where all arguments of a call are constants and variables of one triple pattern. What is called
ahead is a guess that costs nothing but the call: the rules look the values up and call for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import repeat
from typing import Any, TypeAlias, TypeVar, cast

from etalis_py.compiler.algebra.algebra import Apply, Constant, TermPattern, TriplePattern, Variable
from etalis_py.compiler.plan.plan import PlanNode
from etalis_py.core.terms import Encoded
from etalis_py.core.value_class import value_class
from etalis_py.streams.batch import Batch

__all__ = [
    "Arguments",
    "ColumnCall",
    "calls_any",
    "column_calls",
    "is_vectorised",
    "result_column",
    "vectorised",
]

Arguments: TypeAlias = tuple[Encoded, ...]
"""Those of one call."""

_Callable = TypeVar("_Callable", bound=Callable[..., object])
_MARK = "_etalis_vectorised"


def vectorised(function: _Callable) -> _Callable:
    """Mark a function that queries call by its IRI as one that takes columns (docs/language.md, "Functions").

    It gets a list for each argument, all of one length, and returns the list of its results, in their order,
    with None for what has none. An array with a ``tolist`` is a list, too.

    >>> @vectorised
    ... def double(values):
    ...     return [2 * each for each in values]
    >>> double([1, 2])
    [2, 4]
    """
    try:
        setattr(function, _MARK, True)
    except (AttributeError, TypeError):  # one written in C
        function = cast("_Callable", partial(function))
        setattr(function, _MARK, True)
    return function


def is_vectorised(function: Callable[..., object]) -> bool:
    """Whether it is marked."""
    return getattr(function, _MARK, False) is True


def result_column(found: Any, length: int) -> Sequence[object]:
    """The results that a call of a column gave.

    Raises:
        TypeError, ValueError: it gave none, or not one for each row.
    """
    found = found.tolist() if hasattr(found, "tolist") else found
    if not isinstance(found, list | tuple):
        raise TypeError(f"a function of columns returns a list, not {type(found).__name__}")
    if len(found) != length:
        raise ValueError(f"it returned {len(found):,} results for {length:,} rows")
    return found


@value_class
class ColumnCall:
    """A call of ``function``, an IRI, whose ``arguments`` are constants and variables of ``pattern``."""

    function: str
    arguments: tuple[TermPattern, ...]
    pattern: TriplePattern

    def arguments_in(self, batch: Batch) -> dict[Arguments, None]:
        """The different arguments that the rows of a batch give, in their order.

        They match the constants of the pattern as it is written; what they match by entailment is not among
        them.
        """
        columns = (batch.s, batch.p, batch.o)
        terms = self.pattern.terms
        constants = [
            (column, each.value)
            for column, each in zip(columns, terms, strict=True)
            if isinstance(each, Constant)
        ]
        inputs = [
            repeat(each.value) if isinstance(each, Constant) else columns[terms.index(each)]
            for each in self.arguments
        ]
        calls: Iterator[Arguments] = zip(*inputs)  # noqa: B905 - a constant has no length
        if not constants:
            return dict.fromkeys(calls)
        tested = zip(*(column for column, _ in constants), strict=True)
        wanted = tuple(value for _, value in constants)
        return dict.fromkeys(call for test, call in zip(tested, calls, strict=False) if test == wanted)


def column_calls(plan: PlanNode, functions: Collection[str]) -> list[ColumnCall]:
    """The calls of ``functions`` in a plan that can be made for a batch at once."""
    calls: dict[Apply, None] = {}
    patterns: dict[TriplePattern, None] = {}
    for part in _parts(plan):
        if isinstance(part, Apply) and part.function in functions:
            calls[part] = None
        elif isinstance(part, TriplePattern) and part.eventful:
            patterns[part] = None
    return [
        ColumnCall(call.function, arguments, pattern)
        for call in calls
        for pattern in patterns
        if (arguments := _taken_from(call, pattern))
    ]


def calls_any(plan: PlanNode, functions: Collection[str]) -> bool:
    """Whether a plan calls one of ``functions``."""
    return any(isinstance(part, Apply) and part.function in functions for part in _parts(plan))


def _taken_from(call: Apply, pattern: TriplePattern) -> tuple[TermPattern, ...]:
    """The arguments of the call, if ``pattern`` gives them all; none otherwise."""
    arguments = tuple(each for each in call.arguments if isinstance(each, Variable | Constant))
    variables = [each for each in arguments if isinstance(each, Variable)]
    is_given = len(arguments) == len(call.arguments) and all(each in pattern.terms for each in variables)
    return arguments if variables and is_given else ()


def _parts(root: object) -> Iterator[object]:
    """Every node within ``root``, each once; without recursion."""
    todo, seen = [root], set()
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo += reversed(part)
        elif is_dataclass(part) and id(part) not in seen:
            seen.add(id(part))
            yield part
            todo += (getattr(part, each.name) for each in reversed(fields(part)))
