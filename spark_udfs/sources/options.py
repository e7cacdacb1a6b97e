"""What a user says to ``rdf-stream`` with ``.option(...)``, checked before anything is read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, get_args
from urllib.parse import unquote, urlsplit

from etalis_py.core.errors import UsageError
from etalis_py.core.formats import MAPPED_FORMATS, TIMED_FORMATS
from etalis_py.core.times import TimeUnit
from etalis_py.streams.mapping.yarrrml import StreamMap, read_mapping

__all__ = ["ReadOptions", "local_path", "read_options"]

_MODES: Final = ("fail", "putAside")
_KNOWN: Final = (
    "path",
    "paths",
    "streamFormat",
    "mode",
    "badRecordsPath",
    "maxFilesPerTrigger",
    "speed",
    "timeUnit",
    "map",
)
_OF_SPARK: Final = frozenset({"checkpointlocation"})
"""Options of Spark's own, which it hands to sources and sinks as well."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Options of reading.

    ``aside`` is the folder for bad records, None where the first one is an error. ``files_a_batch`` bounds
    the files of a micro-batch. ``speed``, seconds of the stream a second, makes it a replay. ``time_unit`` is
    that of times that are numbers. With a ``mapping`` files have records of any names.
    """

    paths: tuple[str, ...]
    format: str | None = None
    aside: str | None = None
    files_a_batch: int | None = None
    speed: float | None = None
    time_unit: TimeUnit | None = None
    mapping: StreamMap | None = None


def read_options(options: Mapping[str, str]) -> ReadOptions:
    """The options, whose names Spark does not keep in their case.

    Raises:
        UsageError: EP601 an unknown option or an invalid value.
        DataError: EP431 to EP434, the mapping cannot be used.

    >>> read_options({"path": "/data", "maxfilespertrigger": "5"}).files_a_batch
    5
    """
    names = {name.lower(): name for name in _KNOWN}
    given: dict[str, str] = {}
    for name, value in options.items():
        if name.lower() in _OF_SPARK:
            continue
        known = names.get(name.lower())
        if known is None:
            near = [names[each] for each in get_close_matches(name.lower(), names, n=1)]
            raise UsageError(
                "EP601",
                f"rdf-stream has no option {name!r}",
                hint=f"{near[0]!r}?" if near else f"there is {', '.join(_KNOWN)}",
            )
        given[known] = value
    wanted = given.get("streamFormat")
    mapping = read_mapping(local_path(given["map"])) if "map" in given else None
    formats = TIMED_FORMATS if mapping is None else MAPPED_FORMATS
    if wanted is not None and wanted not in formats:
        raise _wrong("streamFormat", wanted, f"one of {', '.join(formats)}")
    return ReadOptions(
        _paths(given),
        wanted,
        _aside(given),
        _whole(given.get("maxFilesPerTrigger")),
        _speed(given.get("speed")),
        _time_unit(given.get("timeUnit")),
        mapping,
    )


def local_path(text: str) -> str:
    """A path as Python takes it, of a path or a ``file:`` URI.

    Raises:
        UsageError: EP601, it is on another file system.

    >>> local_path("file:///data/a%20b"), local_path("/data")
    ('/data/a b', '/data')
    """
    scheme, _, rest = text.partition(":")
    if not rest or len(scheme) < 2 or "/" in scheme or Path(text).exists():
        return text
    if scheme.lower() != "file":
        raise UsageError(
            "EP601",
            f"rdf-stream cannot go to {text}",
            hint="name a folder that driver and workers see under one path, a mounted one for example",
        )
    return unquote(urlsplit(text).path)


def _paths(given: Mapping[str, str]) -> tuple[str, ...]:
    found: list[Any] = json.loads(given["paths"]) if "paths" in given else []
    found += [given["path"]] if "path" in given else []
    if not found:
        raise UsageError("EP601", "rdf-stream has no path", hint="name the folder: .load('/data/events')")
    return tuple(local_path(str(path)) for path in found)


def _aside(given: Mapping[str, str]) -> str | None:
    mode = {name.lower(): name for name in _MODES}.get(given.get("mode", "fail").lower())
    folder = given.get("badRecordsPath")
    if mode is None:
        raise _wrong("mode", given["mode"], " or ".join(_MODES))
    if (mode == "putAside") != (folder is not None):
        raise UsageError(
            "EP601",
            f"the mode {mode!r} {'without a' if folder is None else 'with a'} badRecordsPath",
            hint="to put bad records aside: .option('mode', 'putAside').option('badRecordsPath', FOLDER)",
        )
    return None if folder is None else str(Path(local_path(folder)).absolute())


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise _wrong("maxFilesPerTrigger", text, "a whole number from 1 on")
    return int(text)


def _speed(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = math.nan
    if not 0 < speed < math.inf:
        raise _wrong("speed", text, "a number above 0: 60 replays a minute a second")
    return speed


def _time_unit(text: str | None) -> TimeUnit | None:
    found = {name: name for name in get_args(TimeUnit)}.get(text or "")
    if text is not None and found is None:
        raise _wrong("timeUnit", text, "s, ms or us")
    return found


def _wrong(name: str, value: str, expected: str) -> UsageError:
    return UsageError("EP601", f"the option {name} is {value!r}", hint=f"it is to be {expected}")
