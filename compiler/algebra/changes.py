"""What windows hold, told by its changes: an event then costs the same whatever the length of the windows.

A pattern of `snapshots.py` has, at each instant, all solutions of that instant. Here it is made one that has
what came since the instant before, and what went (`algebra.CHANGE`). Filters, BINDs, projections, unions and
joins with background pass a change on; DISTINCT, groups, FIRST, LAST and LIMIT count; joins, OPTIONAL, MINUS
and EXISTS look at what the other side has.

Does nothing where the instant itself has a say, or the rows of all of it: times and what is new at each call,
LIMIT of no order, paths that are walked anew, and what was consumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.algebra import CHANGE
from etalis_py.compiler.algebra.correlate import Outside, joined
from etalis_py.compiler.algebra.scope import certain_variables, keeps_value
from etalis_py.compiler.algebra.stream_windows import Report, Schedule, keeps_elements
from etalis_py.compiler.algebra.windows_read import extents_read, reads_window
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_BOOLEAN

__all__ = ["COMES", "GOES", "HELD", "as_changes", "in_no_order", "kept_by_changes", "unused_in"]

COMES: Final = 0
GOES: Final = 1
"""The values of `algebra.CHANGE`."""
HELD: Final = encode_literal("true", XSD_BOOLEAN, None)
"""That something is there."""


def as_changes(found: algebra.Pattern, *, traced: bool = False) -> algebra.Pattern | None:
    """``found``, the solutions of instants, as changes; None where that cannot be.

    ``traced``: solutions tell what they are made of, which is not known of what is counted.
    """
    if traced and not _is_plain(found):
        return None
    try:
        return _Telling().told(found)
    except _NotToldError:
        return None


def in_no_order(found: algebra.Pattern) -> tuple[algebra.Pattern, tuple[algebra.OrderKey, ...]] | None:
    """``found`` without its ORDER BY, unless that says which rows it has, and the keys of that.

    None where they are not of what it shows.
    """
    ordered = found
    while isinstance(ordered, algebra.Project | algebra.Distinct | algebra.Slice):
        ordered = ordered.pattern
    if not isinstance(ordered, algebra.OrderBy):
        return found, ()
    shown = algebra.variables(found)
    if any(each.variable not in shown for each in ordered.keys):
        return None
    return (found if _is_sliced(found) else _without(found, ordered)), ordered.keys


def _is_sliced(found: algebra.Pattern) -> bool:
    while isinstance(found, algebra.Project | algebra.Distinct):
        found = found.pattern
    return isinstance(found, algebra.Slice)


def _without(found: algebra.Pattern, ordered: algebra.OrderBy) -> algebra.Pattern:
    if found is ordered:
        return ordered.pattern
    return algebra.map_children(found, lambda each: _without(each, ordered))


def kept_by_changes(found: algebra.Pattern, schedule: Schedule) -> algebra.Pattern:
    """``found``, where what it looks at is kept by its changes if that is more than what it gives."""
    if not _gives_less(found) or not any(keeps_elements(each, schedule) for each in extents_read(found)):
        return found
    if isinstance(found, algebra.Slice):
        return _sliced_by_changes(found, schedule)
    is_told = not isinstance(found, algebra.Project) and _consumes_what_it_knows(found)
    told = as_changes(found) if is_told else None
    if told is None:
        return algebra.map_children(found, lambda each: kept_by_changes(each, schedule))
    return algebra.Changes(told, "RSTREAM", schedule, span=found.span)


def _consumes_what_it_knows(found: algebra.Pattern) -> bool:
    """Whether what was consumed, where that counts, is told by changes, too."""
    unused = list(unused_in(found))
    return {each.match for each in unused} == {each.match for each in unused if each.consumes}


def unused_in(found: algebra.Pattern) -> Iterator[algebra.Unused]:
    """Where ``found`` knows what was consumed."""
    if isinstance(found, algebra.Unused):
        yield found
    for each in algebra.children(found):
        yield from unused_in(each)


def _sliced_by_changes(found: algebra.Slice, schedule: Schedule) -> algebra.Pattern:
    """The same of LIMIT and OFFSET: the rows that are left are put in order."""
    shown = _projections(found.pattern)
    ordered = shown[-1].pattern if shown else found.pattern
    told = as_changes(replace(found, pattern=ordered))
    if told is None or not isinstance(ordered, algebra.OrderBy):
        return replace(found, pattern=kept_by_changes(found.pattern, schedule))
    held = algebra.Changes(told, "RSTREAM", schedule, span=found.span)
    rows: algebra.Pattern = algebra.OrderBy(held, ordered.keys, span=ordered.span)
    for each in reversed(shown):
        rows = replace(each, pattern=rows)
    return rows


def _projections(found: algebra.Pattern) -> list[algebra.Project]:
    """Those on top, from the outermost on."""
    shown = []
    while isinstance(found, algebra.Project):
        shown.append(found)
        found = found.pattern
    return shown


def _is_plain(found: algebra.Pattern) -> bool:
    return isinstance(found, algebra.Snapshot) or (
        isinstance(found, algebra.Project) and _is_plain(found.pattern)
    )


def _gives_less(found: algebra.Pattern) -> bool:
    """Whether it counts, or leaves out, solutions of instants, or looks among the newest elements."""
    if isinstance(found, algebra.Changes):
        return True
    if not reads_window(found) or isinstance(found, algebra.Snapshot):
        return False
    counting = algebra.Group | algebra.Distinct | algebra.Minus | algebra.Filter | algebra.Slice
    counts = isinstance(found, counting)
    return counts or any(map(_gives_less, algebra.children(found)))


class _NotToldError(Exception):
    """Something depends on more than changes."""


class _Telling:
    """Makes changes of the solutions of one query."""

    def __init__(self) -> None:
        self._markers = 0

    def told(  # noqa: C901 - one branch for each node
        self, pattern: algebra.Pattern
    ) -> algebra.Pattern:
        """``pattern`` as changes."""
        match pattern:
            case algebra.Snapshot():
                return replace(pattern, changes=True)
            case algebra.Changes(pattern=algebra.Snapshot(changes=True) as newest):
                return newest
            case algebra.Filter(condition=condition, pattern=inner):
                _refuse_instant(condition, inner)
                below, condition = self._tested(self.told(inner), condition)
                return self._shown(algebra.Filter(condition, below, span=pattern.span), inner)
            case algebra.Extend(variable=variable, expression=expression, pattern=inner):
                _refuse_instant(expression, inner)
                below, expression = self._tested(self.told(inner), expression)
                bound = algebra.Extend(below, variable, expression, span=pattern.span)
                return self._shown(bound, pattern)
            case algebra.Project(pattern=inner, variables=variables):
                return replace(pattern, pattern=self.told(inner), variables=(*variables, CHANGE))
            case algebra.Distinct() | algebra.Chosen() | algebra.Unused():
                below = self.told(pattern.pattern)
                if isinstance(pattern, algebra.Unused):
                    _refuse_arrivals(below)
                return replace(pattern, pattern=below)
            case algebra.Union(left=left, right=right):
                return replace(pattern, left=self.told(left), right=self.told(right))
            case algebra.Group(pattern=inner):
                return replace(pattern, pattern=self.told(inner), window=None)
            case algebra.Slice():
                return self._sliced(pattern)
            case algebra.Minus():
                return self._subtracted(pattern)
            case algebra.Pair():
                return self._paired(pattern)
            case _:
                raise _NotToldError

    def _sliced(self, pattern: algebra.Slice) -> algebra.Pattern:
        """The first rows in an order, and of these without as many of the first as OFFSET says."""
        shown = _projections(pattern.pattern)
        ordered = shown[-1].pattern if shown else pattern.pattern
        if not isinstance(ordered, algebra.OrderBy) or pattern.limit == 0:
            raise _NotToldError
        rows, keys, span = self.told(ordered.pattern), ordered.keys, pattern.span
        if pattern.limit is not None:
            rows = algebra.Slice(rows, 0, pattern.offset + pattern.limit, keys, span=span)
        if pattern.offset:
            rows = algebra.Slice(rows, pattern.offset, None, keys, span=span)
        for each in reversed(shown):
            rows = replace(each, pattern=rows, variables=(*each.variables, CHANGE))
        return rows

    def _paired(self, pattern: algebra.Pair) -> algebra.Pattern:
        operator, left, right = pattern.operator, pattern.left, pattern.right
        if pattern.condition is not None:
            _refuse_instant(pattern.condition, algebra.Union(left, right))
        if operator is operators.JOIN and not reads_window(left):
            return replace(pattern, right=self.told(right))
        if operator in (operators.JOIN, operators.OPTIONAL) and not reads_window(right):
            return replace(pattern, left=self.told(left))
        both = replace(pattern, left=self.told(left), right=self.told(right))
        if operator is operators.EQUALS:
            return replace(both, operator=operators.CHANGES_JOIN)
        if operator is operators.EQUALSOPTIONAL:
            return replace(both, operator=operators.CHANGES_OPTIONAL)
        raise _NotToldError

    def _subtracted(self, pattern: algebra.Minus) -> algebra.Pattern:
        """What is alone, beside what the right side has of the variables in common."""
        left, right, span = pattern.left, pattern.right, pattern.span
        if not reads_window(right):
            return replace(pattern, left=self.told(left))
        common = _common(left, right)
        if not common - pattern.ignored:
            return self.told(left)
        below, there = self._marked(self.told(left), right, common)
        alone = algebra.Apply("!", (there,), span=span)
        return self._shown(algebra.Filter(alone, below, span=span), left)

    def _tested(
        self, below: algebra.Pattern, expression: algebra.Expression
    ) -> tuple[algebra.Pattern, algebra.Expression]:
        """``below`` with a sign for each EXISTS over windows, and ``expression`` that asks for these."""
        if isinstance(expression, algebra.Exists) and reads_window(expression.pattern):
            return self._exists(below, expression)
        if isinstance(expression, algebra.Apply):
            arguments = []
            for each in expression.arguments:
                below, argument = self._tested(below, each)
                arguments.append(argument)
            expression = replace(expression, arguments=tuple(arguments))
        return below, expression

    def _exists(
        self, below: algebra.Pattern, exists: algebra.Exists
    ) -> tuple[algebra.Pattern, algebra.Expression]:
        outside = Outside(frozenset(algebra.variables(below)), certain_variables(below), at_instant=False)
        found = joined(exists.pattern, outside)
        if found is None or found[1] is not None:
            raise _NotToldError
        return self._marked(below, found[0], _common(below, found[0]))

    def _marked(
        self, left: algebra.Pattern, right: algebra.Pattern, common: frozenset[algebra.Variable]
    ) -> tuple[algebra.Pattern, algebra.Expression]:
        """Each solution of ``left`` once, and an expression that is true where ``right`` has one that agrees.

        What agrees is known by one lookup: variables that may be unbound would take several.
        """
        if not common <= certain_variables(left) & certain_variables(right):
            raise _NotToldError
        self._markers += 1
        span, marker = right.span, algebra.Variable(f"_: there {self._markers}", span=right.span)
        shown = (*(each for each in algebra.variables(right) if each in common), CHANGE)
        keys = algebra.Distinct(algebra.Project(self.told(right), shown, span=span), span=span)
        signs = algebra.Extend(keys, marker, algebra.Constant(HELD, span=span), span=span)
        pair = algebra.Pair(operators.CHANGES_OPTIONAL, left, signs, span=span)
        return pair, algebra.Apply("BOUND", (marker,), span=span)

    def _shown(self, pattern: algebra.Pattern, shows: algebra.Pattern) -> algebra.Pattern:
        """``pattern`` without signs: it has the variables of ``shows``."""
        wanted = (*algebra.variables(shows), CHANGE)
        if set(algebra.variables(pattern)) == set(wanted):
            return pattern
        return algebra.Project(pattern, wanted, span=pattern.span)


def _common(left: algebra.Pattern, right: algebra.Pattern) -> frozenset[algebra.Variable]:
    return (frozenset(algebra.variables(left)) & frozenset(algebra.variables(right))) - {CHANGE}


def _refuse_arrivals(told: algebra.Pattern) -> None:
    """Refuse what changes at other instants than evaluations, at which it is consumed."""
    if isinstance(told, algebra.Snapshot) and told.schedule.report is Report.ARRIVAL:
        raise _NotToldError
    for each in algebra.children(told):
        _refuse_arrivals(each)


def _refuse_instant(expression: algebra.Expression, inner: algebra.Pattern) -> None:
    """Refuse what has another value at another instant."""
    for each in _parts(expression):
        if not isinstance(each, algebra.Exists) and not keeps_value(each, inner, algebra.Unit()):
            raise _NotToldError


def _parts(expression: algebra.Expression) -> Iterator[algebra.Expression]:
    """The parts of ``expression`` that hold no EXISTS, and the EXISTS."""
    if isinstance(expression, algebra.Apply) and any(True for _ in algebra.existence_tests(expression)):
        for each in expression.arguments:
            yield from _parts(each)
    else:
        yield expression
