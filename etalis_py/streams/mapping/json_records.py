"""Records of JSON: an object a line, or those of one document; ``$(a.b[0])`` is a value within."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import Any, Final

from etalis_py.core.collection import without_collection
from etalis_py.core.errors import DataError, Place
from etalis_py.core.times import SCALES
from etalis_py.streams.columns import shown
from etalis_py.streams.lines import read_bytes, read_text
from etalis_py.streams.mapping.plain_columns import PlainColumns
from etalis_py.streams.mapping.records import Records, Wanted, coded_by_value, no_column, unit_check
from etalis_py.streams.problems import empty, refuse
from etalis_py.streams.source import Source

__all__ = ["records", "steps_of"]

_log = logging.getLogger(__name__)
_WHITE: Final = " \t\r\n"
_STEP: Final = re.compile(r"\[(\d+|'[^']*'|\"[^\"]*\")\]|\.?([^.\[\]]+)")


def records(source: Source, wanted: Wanted) -> Iterator[Records]:
    """As `RecordReader.records`; a key that an object has not is missing.

    Raises:
        DataError: EP401, EP402, EP403, EP406; EP435, where the first records have none of the keys.
    """
    found = _of_document(source, wanted) if source.format == "json" else _of_lines(source, wanted)
    is_first = True
    for each in found:
        if is_first and len(each) > len(each.wrong):
            _check_names(source.name, each, wanted.names)
            is_first = False
        yield each


def _of_lines(source: Source, wanted: Wanted) -> Iterator[Records]:
    plain = PlainColumns(wanted.names, wanted, {name: steps_of(name) for name in wanted.names})
    scale = SCALES[source.unit or "us"]
    number = 1
    for text in read_text(source.name, source.opened, source.on_read, None, source.on_bad):
        plain.begin(text.text, scale)
        while found := plain.next(number, text.line, source.batch_rows, unit_check(source, number)):
            if number == 1 and any(_is_absent(found, name) for name in wanted.names):
                plain.take_back()  # more records may have it
                break
            yield found
            number += len(found)
        line = text.line + plain.lines
        lines = plain.text_left().split("\n")
        if not text.unfinished:
            lines.pop()
        for first in range(0, len(lines), source.batch_rows):
            some = [
                (line + place, each)
                for place, each in enumerate(lines[first : first + source.batch_rows], first)
                if each.strip(_WHITE)
            ]
            at_end = text.unfinished and first + source.batch_rows >= len(lines)
            with without_collection():  # of all the objects that are made here, none is garbage yet
                found = _read_lines(source, some, wanted.names, number, unfinished=at_end)
            yield found
            number += len(some)


def _read_lines(
    source: Source, lines: list[tuple[int, str]], wanted: Collection[str], first: int, *, unfinished: bool
) -> Records:
    # What json.loads calls, without what it does around; types of the library do not tell of it.
    scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
    objects: list[Any] = []
    wrong: dict[int, DataError] = {}
    for index, (line, text) in enumerate(lines):
        try:
            found, end = scan(text, 0)
        except (StopIteration, ValueError, RecursionError):
            found, end = None, -1
        if end != len(text) or found.__class__ is not dict:
            try:
                found = _object(source.name, text, line, first + index)
            except DataError as error:
                wrong[index] = error
                found = {}
        objects.append(found)
    return Records(
        _columns(objects, wanted),
        range(first, first + len(objects)),
        [line for line, _ in lines],
        wrong=wrong,
        unfinished=unfinished,
        text=lambda index: lines[index][1],
    )


def _object(source: str, text: str, line: int, row: int) -> Any:
    """The object on a line. Raises DataError (EP406), if there is none."""
    try:
        found = json.loads(text)  # takes white space around it too, and tells the column
    except (ValueError, RecursionError) as error:
        place = Place(source, line, getattr(error, "pos", 0) + 1, row, shown(text))
        hint = "each line is an object of its own; a document of several lines is --stream-format json"
        raise DataError("EP406", "the line is not one JSON object", place=place, hint=hint) from error
    if not isinstance(found, dict):
        message = f"the line is not a JSON object but {type(found).__name__}"
        raise DataError("EP406", message, place=Place(source, line, None, row, shown(text)))
    return found


def _of_document(source: Source, wanted: Wanted) -> Iterator[Records]:
    data = b"".join(read_bytes(source.name, source.opened, source.on_read))
    if not data.strip():
        raise empty(source.name)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        place = Place(source.name, getattr(error, "lineno", None), getattr(error, "colno", None))
        hint = "a file with an object on each line is --stream-format ndjson"
        refuse(source.on_bad, DataError("EP406", f"this is not JSON: {error}", place=place, hint=hint), None)
        return
    for step in wanted.path:
        if not isinstance(found, dict) or step not in found:
            names = list(found) if isinstance(found, dict) else []
            raise no_column(source.name, step, names, "key")
        found = found[step]
    items = found if isinstance(found, list) else [found]
    for first in range(0, len(items), source.batch_rows):
        some = items[first : first + source.batch_rows]
        wrong = {
            index: DataError(
                "EP406",
                f"the item is not a JSON object but {type(each).__name__}",
                place=Place(source.name, row=first + index + 1, excerpt=shown(json.dumps(each))),
            )
            for index, each in enumerate(some)
            if not isinstance(each, dict)
        }
        objects = [{} if index in wrong else each for index, each in enumerate(some)]
        yield Records(
            _columns(objects, wanted.names),
            range(first + 1, first + 1 + len(objects)),
            wrong=wrong,
            text=lambda index, some=some: json.dumps(some[index], ensure_ascii=False),  # type: ignore[misc]
        )


def _columns(objects: list[Any], wanted: Collection[str]) -> dict[str, Any]:
    return {name: coded_by_value(_values(objects, name)) for name in wanted}


def _values(objects: list[Any], reference: str) -> list[Any]:
    """What a reference leads to in each object; a key that is written like it comes first."""
    values = [each.get(reference) for each in objects]
    steps = steps_of(reference)
    if len(steps) == 1 and steps[0] == reference:
        return values
    within: list[Any] = objects
    for step in steps:
        if isinstance(step, str) and set(map(type, within)) == {dict}:
            within = [each.get(step) for each in within]
        else:
            within = [_step(each, step) for each in within]
    return [other if value is None else value for value, other in zip(values, within, strict=True)]


def _step(found: Any, step: str | int) -> Any:
    try:
        return found[step]
    except (KeyError, IndexError, TypeError):
        return None


def _check_names(source: str, records: Records, wanted: Collection[str]) -> None:
    """Warn of keys that the first records have not; raise DataError (EP435), if they have none of them."""
    absent = [name for name in wanted if _is_absent(records, name)]
    if not absent:
        return
    index = next(index for index in range(len(records)) if index not in records.wrong)
    names = sorted(_names(json.loads("{}" if records.text is None else records.text(index))))
    if len(absent) == len(wanted):
        raise no_column(source, absent[0], names, "key")
    for name in absent:
        if name not in names:
            _log.warning(
                "%s: the first %s records have no %r: keys are %s", source, len(records), name, names
            )


def _is_absent(records: Records, name: str) -> bool:
    """Whether no record has it. (Where no end is told, starts stand for them.)"""
    if name in records.times:
        first = next(iter(records.times))
        return name != first and records.times[name] is records.times[first]
    return all(value is None for value in records.columns[name].values)


def _names(found: Any, before: str = "") -> Iterator[str]:
    """The references to the values of an object."""
    for key, value in found.items():
        if isinstance(value, dict):
            yield from _names(value, f"{before}{key}.")
        elif isinstance(value, list):
            yield f"{before}{key}[0]"
        else:
            yield before + key


@cache
def steps_of(reference: str) -> tuple[str | int, ...]:
    """The keys and places that lead to a value.

    >>> steps_of("a.b[0]['c d']")
    ('a', 'b', 0, 'c d')
    """
    steps: list[str | int] = []
    for inside, key in _STEP.findall(reference):
        steps.append(int(inside) if inside.isdigit() else inside[1:-1] if inside else key)
    return tuple(steps)
