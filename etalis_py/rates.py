"""Rates of events: given by a user, read from a file, or measured on a piece of a stream.

The compiler uses them to choose the order in which a chain of SEQ or a join is evaluated. No answer depends
on them. See docs/association.md.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, TypeAlias

from etalis_py.compiler.algebra.algebra import TriplePattern
from etalis_py.compiler.association.event_rates import (
    EventKind,
    Frequency,
    KnownRates,
    PatternRate,
    RateKnowledge,
)
from etalis_py.compiler.parse.names import Names
from etalis_py.core.errors import UsageError
from etalis_py.core.vocabulary import RDF_TYPE
from etalis_py.streams.batch import Batch

__all__ = ["Rates", "RatesFor", "as_rates"]

_NAME: Final = r"<[^<>\"{}|^`\\\x00-\x20]+>|[^\s,=<>:\"]*:[^\s,=<>\"]*"
_match_event = re.compile(rf"\s*(?:(a|{_NAME})\s+)?({_NAME})\s*").fullmatch
_match_entry = re.compile(rf"((?:\s*(?:a|{_NAME})\s)?\s*(?:{_NAME})\s*)=([^,]*)(?:,|\Z)").match
_COLUMNS: Final = ("event", "rate", "subjects", "objects")
_HINT: Final = "write ex:p=100 or a ex:Class=0.5, with commas between; or name a CSV file with event,rate"

_Given: TypeAlias = tuple[str, Frequency]


@dataclass(frozen=True, slots=True)
class Rates:
    """How often events of several kinds come.

    ``given``: frequencies of events as a query names them: ``ex:p`` or ``<iri>`` for a predicate, ``a
    ex:Class`` for a class, ``ex:p ex:o`` for a predicate with an object. ``counted``: the same as a stream
    has them, with ``seconds``, how long it was watched. ``made`` are triples that queries make, of which
    nothing is known.

    >>> Rates.parse("ex:fast=100, a ex:Oak=0.5").given[1]
    ('a ex:Oak', Frequency(rate=0.5, subjects=None, objects=None))
    """

    given: tuple[_Given, ...] = ()
    counted: Mapping[EventKind, Frequency] = field(default_factory=dict)
    seconds: float | None = None
    made: tuple[TriplePattern, ...] = ()

    @staticmethod
    def of(rates: Mapping[str, float]) -> Rates:
        """Events a second by what is written in a query: ``{"ex:fast": 100, "a ex:Oak": 0.5}``.

        Raises:
            UsageError: EP505.
        """
        return Rates(
            tuple((_event(event), Frequency(_positive(rate, event))) for event, rate in rates.items())
        )

    @staticmethod
    def parse(text: str) -> Rates:
        """From one line of text: ``ex:fast=100, a ex:Oak=0.5``.

        Raises:
            UsageError: EP505.
        """
        found: dict[str, float] = {}
        place = 0
        while place < len(text):
            entry = _match_entry(text, place)
            if entry is None:
                raise UsageError("EP505", f"rates: {text[place:].strip()!r} is not EVENT=RATE", hint=_HINT)
            found[entry[1].strip()] = _positive(entry[2], entry[1].strip())
            place = entry.end()
        return Rates.of(found)

    @staticmethod
    def read(path: str | PathLike[str]) -> Rates:
        """From a CSV file with the columns ``event``, ``rate`` and, optional, ``subjects``, ``objects``.

        The last two say how many different subjects and objects such events have.

        Raises:
            UsageError: EP505, the file cannot be read or has another form.
        """
        name = fspath(path)
        try:
            with Path(name).open(encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file, strict=True)
                columns = rows.fieldnames or ()
                if not {"event", "rate"} <= set(columns) <= set(_COLUMNS):
                    message = f"rates: {name} needs the columns event,rate and may have subjects,objects"
                    raise UsageError("EP505", message)
                return Rates(tuple(_row(row, f"{name}, line {rows.line_num}") for row in rows))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise UsageError("EP505", f"rates: {name} cannot be read: {error}", hint=_HINT) from error

    @staticmethod
    def measure(table: Any) -> Rates:
        """Counted in some events: an Arrow table or a dict of lists, as ``Engine.send_batch`` takes them.

        What is not among them is taken for rare, and so are the triples that queries make.

        Raises:
            DataError: EP4xx for a row that cannot be read.
        """
        from etalis_py.streams.table import TableReader

        return Rates.measured(TableReader().batches(table))

    @staticmethod
    def measured(batches: Iterable[Batch], made: Iterable[TriplePattern] = ()) -> Rates:
        """Counted in batches of a stream; nothing is known of the triples ``made`` by queries.

        If all events are of one instant, or there are none, nothing is known.
        """
        counts: dict[EventKind, _Counts] = {}
        first = last = None
        for batch in batches:
            if not len(batch):
                continue
            ends = min(batch.end), max(batch.end)
            first = ends[0] if first is None else min(first, ends[0])
            last = ends[1] if last is None else max(last, ends[1])
            for subject, predicate, target in zip(batch.s, batch.p, batch.o, strict=True):
                for kind in (EventKind(str(predicate)), EventKind(str(predicate), target)):
                    counts.setdefault(kind, _Counts()).add(subject, target)
        if first is None or last is None or first == last:
            return Rates(made=tuple(made))
        seconds = (last - first) / 1_000_000
        counted = {kind: each.frequency(seconds) for kind, each in counts.items()}
        return Rates((), counted, seconds, tuple(made))


@dataclass(frozen=True, slots=True)
class RatesFor:
    """Rates with the ontology that says which events match which patterns; what the compiler asks."""

    rates: Rates
    knowledge: RateKnowledge

    def of_patterns(self, names: Names) -> PatternRate:
        """The rates for a query with the prefixes ``names``.

        Raises:
            UsageError: EP505, a prefix that the query does not declare.
        """
        kinds = {_kind(event, names): frequency for event, frequency in self.rates.given}
        return KnownRates(
            {**kinds, **self.rates.counted}, self.knowledge, self.rates.seconds, self.rates.made
        )


def as_rates(rates: Rates | Mapping[str, float]) -> Rates:
    """What a user may give for rates."""
    return rates if isinstance(rates, Rates) else Rates.of(rates)


class _Counts:
    def __init__(self) -> None:
        self._events = 0
        self._subjects: set[object] = set()
        self._objects: set[object] = set()

    def add(self, subject: object, target: object) -> None:
        self._events += 1
        self._subjects.add(subject)
        self._objects.add(target)

    def frequency(self, seconds: float) -> Frequency:
        return Frequency(self._events / seconds, float(len(self._subjects)), float(len(self._objects)))


def _row(row: Mapping[str | None, str | None], place: str) -> _Given:
    if None in row:
        raise UsageError("EP505", f"rates: {place}: there are more values than columns")
    event, rate = row.get("event") or "", row.get("rate") or ""
    subjects, objects = (
        _positive(row[name] or "", f"{place}: {name}") if row.get(name) else None for name in _COLUMNS[2:]
    )
    return _event(event), Frequency(_positive(rate, f"{place}: {event}"), subjects, objects)


def _event(text: str) -> str:
    found = _match_event(text)
    if found is None:
        raise UsageError("EP505", f"rates: {text!r} names no events", hint=_HINT)
    return " ".join(filter(None, found.groups()))


def _positive(value: str | float, event: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not (0 < number < math.inf):
        raise UsageError("EP505", f"rates: {event}: {value!r} is not a number above zero", hint=_HINT)
    return number


def _kind(event: str, names: Names) -> EventKind:
    first, _, second = event.partition(" ")
    if not second:
        return EventKind(_iri(first, event, names))
    predicate = RDF_TYPE if first == "a" else _iri(first, event, names)
    return EventKind(predicate, _iri(second, event, names))


def _iri(name: str, event: str, names: Names) -> str:
    if name.startswith("<"):
        return name[1:-1]
    prefix, _, local = name.partition(":")
    if prefix not in names.prefixes:
        message = f"rates: {event}: the query does not declare the prefix '{prefix}:'"
        raise UsageError("EP505", message, hint="write the full IRI, in <>")
    return names.prefixes[prefix] + local
