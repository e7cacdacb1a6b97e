"""Stream elements from quads: each named graph is one, its time given by PROV about the graph's name.

The time triples stand in the default graph: ``prov:generatedAtTime`` for a point in time, or
``prov:startedAtTime`` with ``prov:endedAtTime`` for an interval (PROV-O section 3.1, RDF Stream Processing
community group's abstract model). Their objects are ``xsd:dateTime`` (or ``dateTimeStamp``) literals. Other
triples of the default graph belong to no element; they are counted and logged.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.times import format_time, why_no_datetime
from etalis_py.core.vocabulary import (
    PROV_ENDEDATTIME,
    PROV_GENERATEDATTIME,
    PROV_STARTEDATTIME,
    XSD_DATETIME,
    XSD_DATETIMESTAMP,
)
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import shown
from etalis_py.streams.problems import ONE_TIME, OnBad

__all__ = ["Element", "Elements", "to_batches"]

_log = logging.getLogger(__name__)
_TIMES: Final = {
    PROV_GENERATEDATTIME: "generated",
    PROV_STARTEDATTIME: "started",
    PROV_ENDEDATTIME: "ended",
}
_HINT: Final = (
    "in the default graph, give the graph's name a prov:generatedAtTime, "
    "or a prov:startedAtTime and a prov:endedAtTime"
)


@dataclass(slots=True)
class Element:
    """A named graph while it is read.

    Times are microseconds. ``triples`` are subject, predicate, object and the row where each stood; ``first``
    is the row of the first quad in or about the graph.
    """

    name: Encoded
    first: int
    triples: list[tuple[Encoded, Encoded, Encoded, int]] = field(default_factory=list)
    generated: int | None = None
    started: int | None = None
    ended: int | None = None

    @property
    def interval(self) -> tuple[int, int] | None:
        """Start and end, once both are known."""
        if self.generated is not None:
            return self.generated, self.generated
        if self.started is not None and self.ended is not None:
            return self.started, self.ended
        return None

    @property
    def ready(self) -> bool:
        """Whether there is a triple and a time."""
        return bool(self.triples) and self.interval is not None


@dataclass(slots=True)
class Elements:
    """Sorts quads into elements. Rows are lines of the source if it has a quad a line, or count its quads.

    With ``live``, an element that is ready is given by `add` as soon as a quad of another element comes,
    and its graph is closed then: later quads of it are an error (the last ``remembered`` names are known).
    """

    source: str
    live: bool = False
    rows_are_lines: bool = False
    on_bad: OnBad | None = None
    remembered: int = 10_000
    limit: int = 1_000_000
    _open: dict[Encoded, Element] = field(default_factory=dict)
    _closed: dict[Encoded, None] = field(default_factory=dict)
    _current: Element | None = None
    _unused: int = 0
    _wrong: dict[Encoded, DataError] = field(default_factory=dict)

    def add(self, s: Encoded, p: Encoded, o: Encoded, graph: Encoded | None, row: int) -> Element | None:
        """Take one quad; the element that is complete by it, if any.

        With ``on_bad`` a graph whose time is wrong is a bad record, which `finish` hands on as a whole.

        Raises DataError: EP409, EP410, EP414 for times that are none or contradict, EP416 for a graph
        that goes on after it was closed.
        """
        try:
            return self._add(s, p, o, graph, row)
        except DataError as error:
            if self.on_bad is None:
                raise
            self._wrong.setdefault(s if graph is None else graph, error)
            return None

    def _add(self, s: Encoded, p: Encoded, o: Encoded, graph: Encoded | None, row: int) -> Element | None:
        kind = None
        if graph is None:
            kind = _TIMES.get(p) if isinstance(p, str) else None
            if kind is None:
                self._unused += 1
                return None
        name = s if graph is None else graph
        element = self._open.get(name)
        if element is None:
            element = self._new(name, row)
        done = None
        if element is not self._current:
            done = self._close(self._current) if self.live else None
            self._current = element
        if kind is None:
            element.triples.append((s, p, o, row))
        else:
            _set_time(element, kind, o, self, row)
        return done

    def place(self, row: int) -> Place:
        """Where a row is."""
        return Place(self.source, line=row) if self.rows_are_lines else Place(self.source, row=row)

    def _new(self, name: Encoded, row: int) -> Element:
        if name in self._closed:
            raise DataError(
                "EP416",
                f"the graph {ntriples(name)} continues after another one began",
                place=self.place(row),
                hint="keep the quads of a graph together, or use a file, which is read as a whole",
            )
        if len(self._open) >= self.limit:
            raise DataError(
                "EP416", f"{self.limit} graphs wait for their time", place=self.place(row), hint=_HINT
            )
        element = self._open[name] = Element(name, row)
        return element

    def _close(self, element: Element | None) -> Element | None:
        if element is None or not element.ready:
            return None
        del self._open[element.name]
        self._closed[element.name] = None
        if len(self._closed) > self.remembered:
            del self._closed[next(iter(self._closed))]
        return element

    def finish(self, *, broken: bool = False) -> tuple[list[Element], DataError | None]:
        """What is ready at the end, by end time, and the error for the first graph that has no time.

        ``broken``: the input stopped with an error, and the element that was being read is not given.
        """
        if self._unused:
            _log.warning(
                "%s: %d triples of the default graph belong to no element: each named graph is one, "
                "and --at TIME puts all triples at one instant",
                self.source,
                self._unused,
            )
        untimed = {
            element.name: _no_time(element, self.place(element.first))
            for element in self._open.values()
            if element.triples and element.interval is None
        }
        if self.on_bad is not None:
            for name, error in {**untimed, **self._wrong}.items():
                element = self._open.pop(name, None)
                self.on_bad(error, _quads(element) if element and element.triples else None)
            untimed = {}
        done = [element for element in self._open.values() if element.ready]
        if broken:
            done = [element for element in done if element is not self._current]
        done.sort(key=_end)
        return done, next(iter(untimed.values()), None)


def _quads(element: Element) -> str:
    """The triples of a graph in N-Quads."""
    name = ntriples(element.name)
    return "\n".join(f"{' '.join(map(ntriples, triple[:3]))} {name} ." for triple in element.triples)


def _end(element: Element) -> int:
    interval = element.interval
    return 0 if interval is None else interval[1]


def _no_time(element: Element, place: Place) -> DataError:
    found = "no time"
    if element.started is not None:
        found = "a start but no end"
    elif element.ended is not None:
        found = "an end but no start"
    return DataError("EP416", f"the graph {ntriples(element.name)} has {found}", place=place, hint=_HINT)


def _why_no_time(value: Encoded) -> str:
    reason = None
    if not isinstance(value, str) and isinstance(value[0], str) and value[-1] == XSD_DATETIME:
        reason = why_no_datetime(value[0])
    return reason or "is not an xsd:dateTime"


def _set_time(element: Element, kind: str, value: Encoded, elements: Elements, row: int) -> None:
    if (
        isinstance(value, str)
        or value[-1] not in (XSD_DATETIME, XSD_DATETIMESTAMP)
        or type(value[0]) is not int
    ):
        raise DataError(
            "EP409",
            f"the time of the graph {ntriples(element.name)} {_why_no_time(value)}",
            place=replace(elements.place(row), excerpt=shown(ntriples(value))),
            hint='write "2011-03-11T05:46:23Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>',
        )
    time = value[0]
    known = getattr(element, kind)
    if known is None:
        setattr(element, kind, time)
    elif known != time:
        both = f"{format_time(known)} and {format_time(time)}"
        raise _contradiction(element, f"two times of one kind: {both}", elements.place(row))
    if element.generated is not None and (element.started is not None or element.ended is not None):
        raise _contradiction(element, "prov:generatedAtTime and an interval too", elements.place(row))
    interval = element.interval
    if interval is not None and interval[1] < interval[0]:
        raise DataError(
            "EP410",
            f"the graph {ntriples(element.name)} ends at {format_time(interval[1])}, "
            f"before its start at {format_time(interval[0])}",
            place=elements.place(row),
            hint="swap prov:startedAtTime and prov:endedAtTime",
        )


def _contradiction(element: Element, what: str, place: Place) -> DataError:
    return DataError(
        "EP414",
        f"the graph {ntriples(element.name)} has {what}",
        place=place,
        hint=ONE_TIME,
    )


def to_batches(
    elements: Sequence[Element], source: str, batch_rows: int, stream: str | None
) -> Iterator[Batch]:
    """Batches of complete elements of one stream; an element is never cut in two."""
    group: list[Element] = []
    size = 0
    for element in elements:
        group.append(element)
        size += len(element.triples)
        if size >= batch_rows:
            yield _to_batch(group, source, stream)
            group, size = [], 0
    if group:
        yield _to_batch(group, source, stream)


def _to_batch(elements: Sequence[Element], source: str, stream: str | None) -> Batch:
    start: list[int] = []
    end: list[int] = []
    graph: list[Encoded | None] = []
    for element in elements:
        interval = element.interval
        assert interval is not None, "only elements that are ready come here"
        count = len(element.triples)
        start += [interval[0]] * count
        end += [interval[1]] * count
        graph += [element.name] * count
    triples = list(chain.from_iterable(element.triples for element in elements))
    return Batch(
        start,
        end,
        [triple[0] for triple in triples],
        [triple[1] for triple in triples],
        [triple[2] for triple in triples],
        graph,
        [source] * len(start),
        [triple[3] for triple in triples],
        None if stream is None else [stream] * len(start),
    )
