"""From records to batches, column by column: each record makes the triples of the mapping, at its time."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, count, repeat
from operator import lt
from typing import Any, Final

from etalis_py.core.coded import Coded
from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded
from etalis_py.core.times import TimeUnit, format_time
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RowReader, shown
from etalis_py.streams.mapping.made_terms import TermMaker, UnusableError
from etalis_py.streams.mapping.made_times import TimeMaker
from etalis_py.streams.mapping.records import Records, Wanted
from etalis_py.streams.mapping.templates import Template
from etalis_py.streams.mapping.yarrrml import Part, TermMap
from etalis_py.streams.problems import cut_off, named_twice, refuse, two_times
from etalis_py.streams.term_texts import NAMES

__all__ = ["MappedRows"]

_NOTHING: Final[Coded[Any]] = Coded([None], array("i"))


@dataclass(frozen=True, slots=True)
class _Triple:
    """One triple of each record; what has the same place in the mapping is one maker."""

    start: TimeMaker
    end: TimeMaker | None
    terms: dict[str, TermMaker]


class MappedRows:
    """Makes batches of the records of one source; ``unit`` is that of numeric times."""

    def __init__(self, parts: Sequence[Part], reader: RowReader, unit: TimeUnit | None) -> None:
        self._reader = reader
        self._times: dict[Any, TimeMaker] = {}
        self._makers: dict[TermMap, TermMaker] = {}
        self._triples = [
            _Triple(self._time(part, part.time.start, unit), end, terms)
            for part in parts
            for end in (None if part.time.end is None else self._time(part, part.time.end, unit),)
            for terms in self._terms(part)
        ]
        self.unit = next((part.time.unit for part in parts if part.time.unit), unit)
        if reader.stream is not None and any("stream" in each.terms for each in self._triples):
            raise named_twice(reader.stream, Place(reader.source))

    def _terms(self, part: Part) -> Iterator[dict[str, TermMaker]]:
        named = {"stream": part.stream, "graph": part.graph}
        names = {name: self._maker(term) for name, term in named.items() if term is not None}
        for predicate, object_ in part.pairs:
            terms = {"s": part.subject, "p": predicate, "o": object_}
            yield {name: self._maker(term) for name, term in terms.items()} | names

    def _maker(self, term: TermMap) -> TermMaker:
        return self._makers.setdefault(term, TermMaker(term, self._reader.texts.scope))

    def _time(self, part: Part, template: Template, unit: TimeUnit | None) -> TimeMaker:
        said = part.time
        key = template, said.format, said.unit or unit, said.zone
        return self._times.setdefault(key, TimeMaker(*key))

    def wanted(self, path: Sequence[str] = ()) -> Wanted:
        """What it wants of records, to which these keys of a document lead."""
        return Wanted(self._names(), self._time_names(), path)

    def _names(self) -> list[str]:
        templates = (each.template.references for each in self._times.values())
        makers = (each.references for each in self._makers.values())
        return list(dict.fromkeys(name for names in (*templates, *makers) for name in names))

    def _time_names(self) -> list[str]:
        """Those of the start and, if there is one, of the end that all triples have, if they are for times
        alone and as any stream has them.
        """
        used = {name for each in self._makers.values() for name in each.references}
        pairs = {(id(each.start), id(each.end)): (each.start, each.end) for each in self._triples}
        both = [each for each in next(iter(pairs.values())) if each is not None]
        if len(pairs) > 1 or not all(each.is_plain for each in both):
            return []
        names = [each.template.references[0] for each in both]
        return names if len(set(names)) == len(names) and used.isdisjoint(names) else []

    def read(self, records: Records) -> Iterator[Batch]:
        """The good records. Bad ones go to ``on_bad`` of the reader; without it the first ends the reading.

        Raises:
            DataError: EP409, EP410, EP414, EP436 and what the records tell to be wrong, after the records
                before; EP418 where the times seem to be in another unit.
        """
        self._check_unit(records)
        times = {id(each): self._read_times(each, records) for each in self._times.values()}
        terms = {id(each): each.terms(records.columns, len(records)) for each in self._makers.values()}
        made = _Made(self._triples, times, terms)
        wrong = dict(records.wrong) | self._wrong(records, made)
        first = 0
        for index in (*sorted(wrong), len(records)):
            if first < index:
                yield from self._batch(records, made, first, index)
            if index < len(records):
                self._refuse(records, index, wrong[index])
            first = index + 1

    def _read_times(
        self, maker: TimeMaker, records: Records
    ) -> Coded[int | UnusableError | None] | array[int]:
        name = maker.template.references[0]
        return records.times[name] if name in records.times else maker.times(records.columns)

    def _check_unit(self, records: Records) -> None:
        if self._reader.is_sure_of_unit or not len(records):
            return
        index = next((index for index in range(len(records)) if index not in records.wrong), None)
        for maker in self._times.values():
            name = maker.template.references[0]
            if index is not None and maker.is_plain and name in records.columns:
                place = records.place(index, self._reader.source)
                self._reader.check_unit(records.columns[name][index], self.unit, place)
        self._reader.unit_is_sure()

    def _refuse(self, records: Records, index: int, error: DataError) -> None:
        at_end = records.unfinished and index == len(records) - 1
        text = None if records.text is None else records.text(index)
        if text is None:
            row = {name: column[index] for name, column in records.columns.items()}
            text = json.dumps(row, ensure_ascii=False, default=str)
        refuse(self._reader.on_bad, cut_off(error) if at_end else error, text)

    # ---- what is wrong ----------------------------------------------------------------------------------

    def _wrong(self, records: Records, made: _Made) -> dict[int, DataError]:
        """By their indices the records of which no event can be made."""
        wrong: dict[int, DataError] = {}
        starts = {id(triple.start) for triple in self._triples}
        for maker in self._times.values():
            for index, problem in _unusable(made.times[id(maker)], missing=id(maker) in starts):
                if index not in wrong and index not in records.wrong:
                    wrong[index] = self._no_time(records, index, maker, problem)
        for term, term_maker in self._makers.items():
            for index, problem in _unusable(made.terms[id(term_maker)]):
                if index not in wrong and index not in records.wrong:
                    wrong[index] = self._no_term(records, index, term, problem)
        for triple in self._triples:
            if triple.end is not None:
                self._check_order(records, made, triple.start, triple.end, wrong)
        return wrong

    def _check_order(
        self, records: Records, made: _Made, start: TimeMaker, end: TimeMaker, wrong: dict[int, DataError]
    ) -> None:
        firsts, lasts = made.times[id(start)], made.times[id(end)]
        are_all = isinstance(firsts, array) and isinstance(lasts, array)
        if are_all and not any(map(lt, lasts, firsts)):
            return
        for index, (first, last) in enumerate(zip(firsts, lasts, strict=True)):
            if isinstance(first, int) and isinstance(last, int) and last < first and index not in wrong:
                message = f"the event ends at {format_time(last)}, before its start at {format_time(first)}"
                hint = "swap start and end in the mapping's time, or leave out the end"
                wrong[index] = DataError("EP410", message, place=self._place(records, index), hint=hint)

    def _no_time(
        self, records: Records, index: int, maker: TimeMaker, problem: UnusableError | None
    ) -> DataError:
        names = maker.template.references
        place = self._place(records, index, names)
        reason = "is missing" if problem is None else str(problem)
        hint = "say how it is written: time: {start: $(column), format: '%d.%m.%Y %H:%M'}, or unit: s"
        return DataError("EP409", f"the time {_listed(names)} {reason}", place=place, hint=hint)

    def _no_term(self, records: Records, index: int, term: TermMap, problem: UnusableError) -> DataError:
        names = term.template.references
        what = "value" if term.kind == "literal" else "IRI"
        hint = "correct the value, leave it empty, or change the mapping"
        if term.kind == "iri" and term.template.is_reference:
            hint = "$(name) alone is to be a whole IRI; ex:$(name) puts it behind a prefix"
        return DataError(
            "EP436",
            f"the {what} of {_listed(names)} {problem}",
            place=self._place(records, index, names),
            hint=hint,
        )

    def _place(self, records: Records, index: int, names: Sequence[str] = ()) -> Place:
        values = [records.columns[name][index] for name in names if name in records.columns]
        text = ", ".join(each if isinstance(each, str) else str(each) for each in values)
        return records.place(index, self._reader.source, shown(text) if values else None)

    # ---- batches ----------------------------------------------------------------------------------------

    def _batch(self, records: Records, made: _Made, first: int, last: int) -> Iterator[Batch]:
        """The events of some records, all of which are good."""
        part = made.part(first, last)
        numbers = records.numbers[first:last]
        present = part.present()
        columns = {name: part.column(name, present) for name in ("s", "p", "o", "stream", "graph")}
        start, end = part.moments(present)
        if not len(end):
            return
        terms = {name: column for name, column in columns.items() if column is not None}
        rows = _taken(part.repeated(numbers), present)
        try:
            yield self._reader.batch_of(start, end, terms, rows)
        except ValueError:
            yield from self._past_contradictions(records, made, first, last)

    def _past_contradictions(self, records: Records, made: _Made, first: int, last: int) -> Iterator[Batch]:
        """The same record by record: an element has two times."""
        if last - first > 1:
            for index in range(first, last):
                yield from self._batch(records, made, index, index + 1)
            return
        part = made.part(first, last)
        present = part.present()
        graphs, streams = part.column("graph", present), part.column("stream", present)
        start, end = part.moments(present)
        assert graphs is not None, "only elements contradict one another"
        place = self._place(records, first)
        names = zip(repeat(None) if streams is None else streams, graphs, strict=False)
        for (stream, graph), interval in zip(names, zip(start, end, strict=True), strict=True):
            known = self._reader.known_interval(stream, graph)
            if known is not None and known != interval:
                self._refuse(records, first, two_times(graph, known, interval, place))
                return


@dataclass(frozen=True, slots=True)
class _Made:
    """What was made of some records: times and terms, by the ids of their makers."""

    triples: Sequence[_Triple]
    times: dict[int, Any]
    terms: dict[int, Coded[Any]]

    def part(self, first: int, last: int) -> _Made:
        times = {maker: column[first:last] for maker, column in self.times.items()}
        return replace(
            self, times=times, terms={maker: column[first:last] for maker, column in self.terms.items()}
        )

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(next(iter(self.times.values())))

    def present(self) -> array[int] | None:
        """Which triples there are, record by record, by their numbers; None, if all are."""
        empty = {
            maker: [value is None for value in column.values]
            for maker, column in self.terms.items()
            if None in column.values
        }
        if not empty:
            return None
        missing = bytearray(len(self.triples) * self.records)
        for place, triple in enumerate(self.triples):
            for name in ("s", "p", "o"):
                maker = id(triple.terms[name])
                if maker in empty:
                    flags = map(empty[maker].__getitem__, self.terms[maker].codes)
                    own = missing[place :: len(self.triples)]
                    missing[place :: len(self.triples)] = bytes(
                        a or b for a, b in zip(own, flags, strict=True)
                    )
        return array("q", (number for number, is_missing in enumerate(missing) if not is_missing))

    def column(self, name: str, present: array[int] | None) -> Coded[Encoded] | None:
        """The terms of that place of all triples, record by record; None, if none has one there."""
        makers = [triple.terms.get(name) for triple in self.triples]
        if not any(makers):
            return None
        columns = [_NOTHING if maker is None else self.terms[id(maker)] for maker in makers]
        if len(columns) == 1:
            return Coded(_used(name, columns[0].values), _taken(columns[0].codes, present))
        places, values = _joined(columns)
        codes = array("i", bytes(4 * len(columns) * self.records))
        for place, (column, before) in enumerate(zip(columns, places, strict=True)):
            own = column.codes or array("i", bytes(4 * self.records))
            codes[place :: len(columns)] = _shifted(own, before)
        return Coded(_used(name, values), _taken(codes, present))

    def moments(self, present: array[int] | None) -> tuple[Sequence[int], Sequence[int]]:
        """Starts and ends of all triples, record by record."""
        starts = [self.times[id(triple.start)] for triple in self.triples]
        ends = [
            start if triple.end is None else _or_else(self.times[id(triple.end)], start)
            for triple, start in zip(self.triples, starts, strict=True)
        ]
        start = _taken(self._woven(starts), present)
        if all(first is last for first, last in zip(starts, ends, strict=True)):
            return start, start
        return start, _taken(self._woven(ends), present)

    def repeated(self, numbers: Sequence[int]) -> Sequence[int]:
        """A number for each record as one for each triple."""
        return numbers if len(self.triples) == 1 else self._woven([numbers] * len(self.triples))

    def _woven(self, columns: Sequence[Sequence[int]]) -> array[int]:
        made = {id(column): column if isinstance(column, array) else array("q", column) for column in columns}
        if len(columns) == 1:
            return made[id(columns[0])]
        woven = array("q", bytes(8 * len(columns) * self.records))
        for place, column in enumerate(columns):
            woven[place :: len(columns)] = made[id(column)]
        return woven


def _used(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """The values that stand in the column, in their places: none is unusable, in a triple none missing."""
    is_name = name in NAMES
    used = [value.__class__ is not UnusableError and (is_name or value is not None) for value in values]
    if all(used):
        return values
    other = None if is_name else next(compress(values, used), None)
    return [value if is_used else other for value, is_used in zip(values, used, strict=True)]


def _joined(columns: Sequence[Coded[Any]]) -> tuple[list[int], list[Any]]:
    """Where the values of each column begin, and all the values; those of one column stand there once."""
    places: dict[int, int] = {}
    values: list[Any] = []
    for column in columns:
        if id(column.values) not in places:
            places[id(column.values)] = len(values)
            values += column.values
    return [places[id(column.values)] for column in columns], values


def _shifted(codes: Sequence[int], by: int) -> array[int]:
    if not by:
        return codes if isinstance(codes, array) and codes.typecode == "i" else array("i", codes)
    if not any(codes):
        return array("i", [by]) * len(codes)
    return array("i", map(by.__add__, codes))  # to load Arrow takes longer than most files


def _taken(column: Any, present: array[int] | None) -> Any:
    if present is None:
        return column
    found = map(column.__getitem__, present)
    return array(column.typecode, found) if isinstance(column, array) else list(found)


def _or_else(ends: Sequence[int | None], starts: Sequence[int]) -> Sequence[int]:
    """The ends; where one is missing, the start."""
    if isinstance(ends, array):
        return ends
    return [first if last is None else last for first, last in zip(starts, ends, strict=True)]


def _unusable(column: Any, *, missing: bool = False) -> Iterator[tuple[int, Any]]:
    """The indices of values that are unusable, and why; with ``missing`` also of those that are None."""
    if not isinstance(column, Coded):
        return
    bad = {
        code: value
        for code, value in enumerate(column.values)
        if value.__class__ is UnusableError or (missing and value is None)
    }
    if bad:
        yield from (
            (index, bad[code]) for index, code in zip(count(), column.codes, strict=False) if code in bad
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"$({name})" for name in names)
