"""The steps of a query that are tried by themselves: its patterns, what joins them, its filters.

Each becomes a query of its own over the part of the pattern that is below it. So a filter is tried on all
that reaches it, whatever the filters above bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.algebra import Expression, Pattern, Variable, conjuncts
from etalis_py.compiler.algebra.operators import JOIN
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.lint.scopes import each_part
from etalis_py.compiler.passes import PASSES, run_passes
from etalis_py.compiler.plan.build_plan import BackgroundTest, build_plan

__all__ = ["ChainStep", "FilterStep", "JoinStep", "PatternStep", "Step", "step_query", "steps_of"]

_MOST_COLUMNS: Final = 30
"""Of so many parts of a condition the values are looked at."""


@dataclass(frozen=True, slots=True)
class PatternStep:
    """A triple pattern or a path."""

    pattern: algebra.TriplePattern | algebra.Closure
    optional: bool
    """In a UNION: there may be answers without it."""

    @property
    def columns(self) -> tuple[Expression, ...]:
        """What is to be known of each solution."""
        return ()


@dataclass(frozen=True, slots=True)
class JoinStep:
    """Two sides that must fit together. ``in_any_order``: whether they do, whatever comes first."""

    pattern: algebra.Pair | algebra.Minus
    in_any_order: bool = False

    @property
    def columns(self) -> tuple[Expression, ...]:
        """What is to be known of each solution."""
        return ()


@dataclass(frozen=True, slots=True)
class FilterStep:
    """One condition of a filter, tried on the solutions of ``pattern``."""

    condition: Expression
    pattern: Pattern
    columns: tuple[Expression, ...] = field(init=False)
    """The condition, as true, false or an error, and what it is made of."""

    def __post_init__(self) -> None:
        parts = (each for each in each_part(self.condition) if not isinstance(each, algebra.Constant))
        known = [each for each in dict.fromkeys(parts) if not isinstance(each, algebra.Exists)]
        truth = _not(_not(self.condition))
        object.__setattr__(self, "columns", (truth, *known[:_MOST_COLUMNS]))


@dataclass(frozen=True, slots=True)
class ChainStep:
    """What must not come between, before or by a deadline, or what comes several times."""

    pattern: algebra.Gap | algebra.Absence | algebra.Repeat

    @property
    def columns(self) -> tuple[Expression, ...]:
        """What is to be known of each solution."""
        return ()


Step: TypeAlias = PatternStep | JoinStep | ChainStep | FilterStep


def _not(expression: Expression) -> Expression:
    return algebra.Apply("!", (expression,), span=expression.span)


def steps_of(query: CompiledQuery) -> list[Step]:
    """The steps that each answer of a query takes, the first first."""
    return list(_steps(query.meaning.pattern, optional=False))


def _steps(pattern: Pattern, *, optional: bool) -> Iterator[Step]:
    for each, is_optional in _needed(pattern):
        yield from _steps(each, optional=optional or is_optional)
    if isinstance(pattern, algebra.TriplePattern | algebra.Closure):
        yield PatternStep(pattern, optional)
    elif not optional:
        yield from _own_steps(pattern)


def _own_steps(pattern: Pattern) -> Iterator[Step]:
    """Where solutions may be lost in ``pattern`` itself."""
    match pattern:
        case algebra.Minus():
            yield JoinStep(pattern)
        case algebra.Gap() | algebra.Absence() | algebra.Repeat():
            yield ChainStep(pattern)
        case algebra.Pair(operator=operator):
            if operator.optional is None:
                yield JoinStep(pattern)
            if operator.optional is None and operator.relation and not operator.intersects:
                joined = algebra.Pair(JOIN, pattern.left, pattern.right, span=pattern.span)
                yield JoinStep(joined, in_any_order=True)
        case algebra.Filter(condition=condition, pattern=inner):
            yield from (FilterStep(each, inner) for each in conjuncts(condition))
        case _:
            return


def _needed(pattern: Pattern) -> Iterator[tuple[Pattern, bool]]:
    """The patterns below one that answers need, and whether another one may do instead."""
    match pattern:
        case algebra.Closure() | algebra.Snapshot(always=True):
            return
        case algebra.Repeat(left=first, then=last):
            group = pattern.group if pattern.low else None
            yield from ((each, False) for each in (first, group, last) if each is not None)
        case algebra.Union():
            yield from ((each, True) for each in algebra.children(pattern))
        case algebra.Project() | algebra.Group():
            yield pattern.pattern, False
        case _:
            yield from ((each, False) for each in pattern.required)


def step_query(
    step: Step, query: CompiledQuery, number: int, background: BackgroundTest, *, at_instant: bool
) -> CompiledQuery:
    """A query that gives the columns of a step for each solution."""
    names = tuple(Variable(f"_: why {place}") for place, _ in enumerate(step.columns))
    pattern: Pattern = step.pattern
    for name, expression in zip(names, step.columns, strict=True):
        pattern = algebra.Extend(pattern, name, expression, span=expression.span)
    meaning = algebra.SelectQuery(
        algebra.Project(pattern, names, span=pattern.span), names, span=pattern.span
    )
    optimized = replace(meaning, pattern=run_passes(meaning.pattern, PASSES))
    plan = build_plan(optimized, number, background, at_instant=at_instant)
    return CompiledQuery(f"why {number}", query.text, query.syntax, meaning, optimized, plan)


def untraced(queries: Sequence[CompiledQuery]) -> list[CompiledQuery]:
    """Queries as an engine runs them that traces nothing."""
    return [replace(each, plan=each.untraced or each.plan, untraced=None, generated=None) for each in queries]
