"""Proposes a mapping for columns whose first values are known: what is the time, the subject, which types.

It is a beginning, to be read and changed: nothing in the data says what it means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from etalis_py.core.times import likely_unit, parse_time

__all__ = ["proposed_mapping"]

_FORMATS: Final = (
    *("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S"),
    *("%m/%d/%Y %H:%M", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%m/%d/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M %p"),
    *("%Y%m%d%H%M%S", "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%a %b %d %H:%M:%S %Y"),
)
"""Ways in which times are often written; ISO 8601 needs none."""
_TIME_NAMES: Final = re.compile(
    r"time|date|when|stamp|^ts$|^t$|^at$|begin|start|end$|stop|until", re.IGNORECASE
)
_END_NAMES: Final = re.compile(r"end|stop|until|finish|^to$", re.IGNORECASE)
_KEY_NAMES: Final = re.compile(
    r"(^|[_.\s-])(id|key|code|uuid|sensor|device|station|vehicle|user|account|card|machine|host|symbol|name)$|Id$",
    re.IGNORECASE,
)
_INTEGER: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)").fullmatch
_DECIMAL: Final = re.compile(r"[+-]?[0-9]*\.?[0-9]+").fullmatch
_DOUBLE: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+").fullmatch
_IRI: Final = re.compile(r"(https?://|urn:)[^\s<>\"{}|\\^`]+").fullmatch
_WORD: Final = re.compile(r"[\w.:/@-]{1,60}").fullmatch


@dataclass(frozen=True, slots=True)
class _Column:
    """A column, and its values that are there."""

    name: str
    values: Sequence[Any]
    rows: int

    @property
    def different(self) -> int:
        """How many values differ."""
        return len(set(map(str, self.values)))

    @property
    def reference(self) -> str:
        """The reference to it in a template."""
        return "$(" + re.sub(r"([()\\])", r"\\\1", self.name) + ")"

    @property
    def local_name(self) -> str:
        """Its name behind a prefix."""
        words = re.sub(r"[^\w-]+", "_", self.name).strip("_")
        return words or "value"

    def time(self) -> dict[str, str] | None:
        """How its times are written, as keys of ``time``; None, if it has no times, or not in all rows."""
        if len(self.values) < self.rows or not self.values:
            return None
        if all(isinstance(value, datetime) for value in self.values):
            return {}
        units = {likely_unit(value, None) for value in self.values if not isinstance(value, (bool, float))}
        if len(units) == 1 and (unit := units.pop()) in ("s", "ms"):
            return {"unit": str(unit)}
        if not all(isinstance(value, str) for value in self.values):
            return None
        if all(map(_is_moment, self.values)):
            return {}
        layouts = [layout for layout in _FORMATS if _in_order(self.values, layout) is not None]
        layouts.sort(key=lambda layout: not _in_order(self.values, layout))
        return {"format": layouts[0]} if layouts else None

    def datatype(self) -> str | None:
        """The datatype of its values; None for text."""
        kinds = {type(value) for value in self.values}
        natives = {bool: "xsd:boolean", int: "xsd:integer", float: "xsd:double", Decimal: "xsd:decimal"}
        natives |= {datetime: "xsd:dateTime", date: "xsd:date"}
        if len(kinds) == 1 and (kind := kinds.pop()) in natives:
            return natives[kind]
        texts = list(map(str, self.values))
        tests = {"xsd:integer": _INTEGER, "xsd:decimal": _DECIMAL}
        for name, test in tests.items():
            if texts and all(map(test, texts)):
                return name
        if texts and all(_DOUBLE(text) or _DECIMAL(text) for text in texts):
            return "xsd:double"
        return "xsd:boolean" if texts and set(texts) <= {"true", "false"} else None


def proposed_mapping(name: str, columns: Mapping[str, Sequence[Any]], rows: int) -> str:
    """A file in YARRRML for columns of so many rows; comments say what each has.

    >>> print(proposed_mapping("room", {"sensor": ["a", "a"], "heat": ["20.5", "21"], "when": ["1", "2"]}, 2))
    # A proposal from the first 2 rows: read it, and change it.
    prefixes:
      ex: "http://example.org/"
    mappings:
      room:
        s: ex:sensor/$(sensor)  # 1 different value, such as a
        po:
          - [ex:heat, $(heat), xsd:decimal]  # 2 different values, such as 20.5
          - [ex:when, $(when), xsd:integer]  # 2 different values, such as 1
        time: {start: $(COLUMN)}  # no column has times: name one, with its format, unit or zone
    """
    found = [
        _Column(each, [value for value in values if value is not None], rows)
        for each, values in columns.items()
    ]
    times = sorted(_times(found), key=lambda pair: not _TIME_NAMES.search(pair[0].name))
    start, end = _start_and_end(times)
    used = {each.name for each, _ in (start, end) if each is not None}
    rest = [each for each in found if each.name not in used]
    subject = max(rest, key=_as_subject, default=None)
    lines = [f"# A proposal from the first {rows} rows: read it, and change it.", "prefixes:"]
    lines += ['  ex: "http://example.org/"', "mappings:", f"  {_plain(name)}:"]
    if subject is None:
        lines.append(f"    s: ex:{_plain(name)}")
    else:
        kind = re.sub(r"(?i)_?id$", "", subject.local_name) or _plain(name)
        lines.append(f"    s: {_quoted(f'ex:{kind}/{subject.reference}')}{_about(subject)}")
    lines.append("    po:")
    pairs = [_pair(each) + _about(each) for each in rest if each is not subject and each.values]
    lines += pairs or [f"      - [a, ex:{_plain(name)}]"]
    lines.append(f"    time: {_time(start, end)}")
    return "\n".join(lines)


def _times(columns: Sequence[_Column]) -> Iterator[tuple[_Column, dict[str, str]]]:
    for each in columns:
        if (layout := each.time()) is not None:
            yield each, layout


_Time = tuple["_Column | None", dict[str, str]]


def _start_and_end(times: Sequence[tuple[_Column, dict[str, str]]]) -> tuple[_Time, _Time]:
    """The columns of the start and of the end; an end is written as the start."""
    if not times:
        return (None, {}), (None, {})
    starts = [each for each in times if not _END_NAMES.search(each[0].name)] or list(times)
    start = starts[0]
    ends = [each for each in times if _END_NAMES.search(each[0].name) and each[0] is not start[0]]
    end = next((each for each in ends if each[1] == start[1]), None)
    return start, end or (None, {})


def _as_subject(column: _Column) -> tuple[int, int, int]:
    """How likely rows are about what the column names: it is there, has a telling name, and comes again."""
    is_there = bool(column.values) and len(column.values) == column.rows
    kind = column.datatype()
    is_name = kind in (None, "xsd:integer") and all(_WORD(str(value)) for value in column.values)
    repeats = column.rows > 1 and column.different < column.rows
    return int(is_there and is_name), int(bool(_KEY_NAMES.search(column.name))), int(repeats and kind is None)


def _pair(column: _Column) -> str:
    predicate = f"ex:{column.local_name}"
    kind = column.datatype()
    if kind is not None:
        return f"      - [{predicate}, {_quoted(column.reference)}, {kind}]"
    texts = list(map(str, column.values))
    if all(map(_IRI, texts)):
        return f"      - [{predicate}, {_quoted(column.reference + '~iri')}]"
    if all(map(_WORD, texts)) and 2 * column.different <= len(texts):
        return f"      - [{predicate}, {_quoted(f'ex:{column.local_name}/{column.reference}')}]"
    return f"      - [{predicate}, {_quoted(column.reference)}]"


def _about(column: _Column) -> str:
    first = " ".join(str(column.values[0]).split())[:30] if column.values else ""
    many = "value" if column.different == 1 else "values"
    return f"  # {column.different} different {many}, such as {first}" if column.values else "  # no values"


def _time(start: _Time, end: _Time) -> str:
    column, layout = start
    if column is None:
        return "{start: $(COLUMN)}  # no column has times: name one, with its format, unit or zone"
    keys = {"start": column.reference} | ({"end": end[0].reference} if end[0] is not None else {}) | layout
    if len(keys) == 1:
        return _quoted(column.reference) + _about(column)
    return "{" + ", ".join(f"{key}: {_quoted(value)}" for key, value in keys.items()) + "}" + _about(column)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_") or "row"


def _quoted(text: str) -> str:
    """A text within [ ] of YAML, in quotes where it must be."""
    return text if re.fullmatch(r"[A-Za-z$][\w$()./:~-]*", text) else json.dumps(text, ensure_ascii=False)


def _is_moment(text: str) -> bool:
    if re.fullmatch(r"[+-]?[0-9.]+", text):
        return False
    try:
        parse_time(text)
    except ValueError:
        return False
    return True


def _in_order(texts: Sequence[str], layout: str) -> bool | None:
    """Whether times in a format come in their order; None, if one is none."""
    try:
        moments = [datetime.strptime(text, layout) for text in texts]  # noqa: DTZ007 - only their order matters
    except ValueError:
        return None
    return all(first <= last for first, last in pairwise(moments))
