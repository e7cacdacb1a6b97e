"""Windows of the newest elements, or triples: what is there, and what comes into them.

In one of triples each triple of the stream is an element by itself, with what the background entails of it.
Such a window tells its changes (`algebra.Snapshot`): others come, and then something is no longer in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from etalis_py.compiler.algebra import algebra, operators
from etalis_py.compiler.algebra.stream_windows import CountExtent, Extent, Schedule
from etalis_py.compiler.spans import Span

__all__ = ["ANYTHING", "NewestElements", "counts_steps", "equal_to"]

ANYTHING: Final = (algebra.Variable("_: any s"), algebra.Variable("_: any p"), algebra.Variable("_: any o"))
"""The terms of any triple."""


class NewestElements:
    """What windows of elements have at the instants of a schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule

    def triple(self, triple: algebra.TriplePattern) -> algebra.Pattern:
        """A triple of the elements, or of the triples, that ended last."""
        around, span = triple.place, triple.span
        assert around is not None
        newest = around.extent
        assert isinstance(newest, CountExtent)
        element = around.element or algebra.Variable("_: element", span=span)
        place = replace(around, element=element)
        waiting = 0 if newest.step is None else newest.step - 1  # are no longer, or not yet, among them
        reached = CountExtent(newest.count + waiting, beyond=newest.step is not None)
        own = _all_there(self._of(replace(triple, place=place), reached))
        found: algebra.Pattern = algebra.Pair(operators.EQUALS, own, self.there(place), span=span)
        if element == around.element:
            return found
        return algebra.Distinct(algebra.Project(found, algebra.variables(triple), span=span), span=span)

    def there(self, place: algebra.Place) -> algebra.Pattern:
        """The elements, or the triples, that a window of so many holds."""
        return _all_there(self._told(place))

    def coming(self, place: algebra.Place) -> algebra.Pattern:
        """Those that come into it: some do whenever it changes."""
        return algebra.Changes(self._told(place), "ISTREAM", self._schedule, span=place.span)

    def _told(self, place: algebra.Place) -> algebra.Snapshot:
        newest, span = place.extent, place.span
        assert isinstance(newest, CountExtent)
        element = place.element or algebra.Variable("_: element", span=span)
        place = replace(place, name=None, element=element, sent=newest.triples)
        every = algebra.TriplePattern(*ANYTHING, place=place, span=span)
        return self._of(algebra.Project(every, (element,), span=span), newest)

    def _of(self, pattern: algebra.Pattern, newest: CountExtent) -> algebra.Snapshot:
        return algebra.Snapshot(pattern, self._schedule, newest=newest, changes=True, span=pattern.span)


def counts_steps(extent: Extent) -> bool:
    """Whether the window moves by so many elements."""
    return isinstance(extent, CountExtent) and extent.step is not None


def _all_there(told: algebra.Snapshot) -> algebra.Pattern:
    """What is there at an instant, of what tells its changes."""
    return algebra.Changes(told, "RSTREAM", told.schedule, span=told.span)


def equal_to(
    pattern: algebra.Pattern,
    terms: Sequence[algebra.TermPattern],
    found: Sequence[algebra.Variable],
    span: Span,
) -> algebra.Pattern:
    """``pattern`` with what it has ``found`` as ``terms``: their variables are bound to it."""
    bound: dict[algebra.Variable, algebra.Variable] = {}
    for term, value in zip(terms, found, strict=True):
        if isinstance(term, algebra.Variable) and term not in bound:
            bound[term] = value
            pattern = algebra.Extend(pattern, term, value, span=span)
            continue
        known = bound[term] if isinstance(term, algebra.Variable) else term
        same = algebra.Apply("SAMETERM", (value, known), span=span)
        pattern = algebra.Filter(same, pattern, span=span)
    return pattern
