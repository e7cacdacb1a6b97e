"""Reads the times of records: ISO 8601, numbers of a unit, or a format; with a zone if need be."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from etalis_py.core.coded import Coded
from etalis_py.core.times import TimeCache, TimeUnit, parse_time_column, why_no_datetime
from etalis_py.streams.arrow import integers
from etalis_py.streams.mapping.made_terms import UnusableError, combined, text_of
from etalis_py.streams.mapping.templates import Template

__all__ = ["TimeMaker"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND: Final = timedelta(microseconds=1)
_ISO: Final = "%Y-%m-%dT%H:%M:%S"
_FAR: Final = 1 << 63
"""Microseconds that a column cannot hold."""
_match_zone = re.compile(r".*T?.*[0-9](?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)").fullmatch
_DIGITS: Final = {"Y": "[0-9]{4}", **dict.fromkeys("mdHMS", "[0-9]{1,2}"), "f": "[0-9]{1,6}"}
"""Directives that Arrow reads a column at once."""


class TimeMaker:
    """Reads the times that one template says."""

    def __init__(
        self, template: Template, layout: str | None, unit: TimeUnit | None, zone: str | None
    ) -> None:
        self.template = template
        self._format = layout
        self._zone_name = zone
        self._zone = _zone(zone)
        self._cache = TimeCache(unit or "us")

    @property
    def is_plain(self) -> bool:
        """Whether it is a column whose times are read as those of any stream."""
        return self.template.is_reference and self._format is None and self._zone_name in (None, "UTC", "Z")

    def times(self, columns: Mapping[str, Coded[Any]]) -> Coded[int | UnusableError | None]:
        """Microseconds for each record, None where a value is missing, or why there is no time."""
        values = combined([columns[name] for name in self.template.references])
        if self.template.is_reference:
            different: list[Any] = [None if each[0] == "" else each[0] for each in values.values]
        else:
            different = [self._filled(each) for each in values.values]
        found = self._read(different)
        return Coded(found if isinstance(found, array) else list(map(_in_range, found)), values.codes)

    def _filled(self, values: tuple[Any, ...]) -> str | UnusableError | None:
        try:
            return None if None in values else self.template.filled(tuple(map(text_of, values)))
        except UnusableError as error:
            return error

    def _read(self, values: list[Any]) -> Sequence[int | UnusableError | None]:
        if len(self._cache) > self._cache.limit:
            self._cache.clear()
        try:
            if self.is_plain or (self._format is None and self._zone_name is None):
                return parse_time_column(values, self._cache)
            if (
                all(value.__class__ is str for value in values)
                and (found := self._at_once(values)) is not None
            ):
                return found
        except (ValueError, TypeError):
            pass
        return list(map(self._one_or_why, values))

    def _one_or_why(self, value: Any) -> int | UnusableError | None:
        if value is None or isinstance(value, UnusableError):
            return value
        try:
            return self._one(value)
        except (ValueError, OverflowError) as error:
            return UnusableError(str(error))
        except TypeError:  # what cannot be looked up
            return UnusableError(f"is a {type(value).__name__}")

    def _one(self, value: Any) -> int:
        if isinstance(value, datetime):
            return self._moment(value)
        if self._format is not None:
            text = text_of(value).strip()
            try:
                return self._moment(datetime.strptime(text, self._format))  # noqa: DTZ007 - it has the zone's
            except ValueError as error:
                if "does not match" in str(error) or "unconverted" in str(error):
                    raise UnusableError(f"is not a time in the format {self._format!r}") from None
                raise
        if isinstance(value, str) and self._zone is not timezone.utc and not _match_zone(value.strip()):
            value = value.strip()
            if why_no_datetime(value) is None and not re.fullmatch(r"[+-]?[0-9.]+", value):
                utc = self._cache[value]
                return self._moment((_EPOCH + utc * _MICROSECOND).replace(tzinfo=None))
        return self._cache[value.strip() if isinstance(value, str) else value]

    def _moment(self, time: datetime) -> int:
        if time.tzinfo is None:
            time = time.replace(tzinfo=self._zone)
            if time.astimezone(timezone.utc).astimezone(self._zone).replace(fold=0) != time.replace(fold=0):
                raise UnusableError(f"does not exist in {self._zone_name}: clocks were set forward")
        return (time - _EPOCH) // _MICROSECOND

    def _at_once(self, texts: list[str]) -> Sequence[int] | None:
        """All the times, by Arrow; None, if one of them wants a closer look."""
        pattern = _pattern(self._format or _ISO)
        if pattern is None:
            return None
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            found = pc.extract_regex(pa.array(texts, pa.string()), pattern)
            if found.null_count:
                return None
            names = [field.name for field in found.type]
            parts = {name: pc.struct_field(found, name) for name in names}
            padded = {
                name: pc.utf8_lpad(parts[name], 2, "0") if name in parts else "00"
                for name in ("m", "d", "H", "M", "S")
            }
            day = pc.binary_join_element_wise(parts["Y"], padded["m"], padded["d"], "-")
            clock = pc.binary_join_element_wise(padded["H"], padded["M"], padded["S"], ":")
            fraction = pc.utf8_rpad(parts["f"], 6, "0") if "f" in parts else "000000"
            stamps = pc.binary_join_element_wise(day, "T", clock, ".", fraction, "").cast(pa.timestamp("us"))
            zone = self._zone_name or "UTC"
            zoned = pc.assume_timezone(
                stamps, "UTC" if zone == "Z" else zone, ambiguous="earliest", nonexistent="raise"
            )
            return integers(zoned.cast(pa.int64()))
        except (pa.ArrowException, ValueError):
            return None


def _in_range(value: int | UnusableError | None) -> int | UnusableError | None:
    if isinstance(value, int) and not -_FAR <= value < _FAR:
        return UnusableError("is more than 292,000 years from 1970")
    return value


def _zone(name: str | None) -> tzinfo:
    if name in (None, "UTC", "Z"):
        return timezone.utc
    if re.fullmatch(r"[+-][0-9]{2}:[0-9]{2}", name):
        offset = timedelta(hours=int(name[1:3]), minutes=int(name[4:6]))
        return timezone(-offset if name[0] == "-" else offset)
    return ZoneInfo(name)


def _pattern(layout: str) -> str | None:
    """The format as a regular expression of Arrow; None, if it has more than digits."""
    pieces, seen = [], set()
    for plain, directive in re.findall(r"([^%]+)|%(.)", layout):
        if plain:
            pieces.append("".join(each if each.isalnum() or each == " " else f"\\{each}" for each in plain))
        elif directive in _DIGITS and directive not in seen:
            seen.add(directive)
            pieces.append(f"(?P<{directive}>{_DIGITS[directive]})")
        else:
            return None
    return f"^{''.join(pieces)}$" if {"Y", "m", "d"} <= seen else None
