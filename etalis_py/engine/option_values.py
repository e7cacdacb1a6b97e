"""Values of options: what each may be, and how a command line says it.

A check takes the name of an option, as the caller knows it (``max_memory``, ``--max-memory``), and a
value; it returns the value as an engine takes it. What was returned passes the same check again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from etalis_py.core.errors import UsageError
from etalis_py.core.named_files import split_name
from etalis_py.core.times import SCALES, parse_duration, parse_time

__all__ = [
    "AtEnd",
    "Check",
    "Entailment",
    "FileNames",
    "GraphNames",
    "Lateness",
    "check_choice",
    "check_count",
    "check_delay",
    "check_files",
    "check_flag",
    "check_function",
    "check_graphs",
    "check_lateness",
    "check_memory",
    "check_query_text",
    "check_recall",
    "check_size",
    "check_text",
    "check_time_unit",
    "choice",
    "count",
    "optional",
    "parse_count",
    "parse_delay",
    "parse_graphs",
    "parse_lateness",
    "parse_moment",
]

Check: TypeAlias = Callable[[str, Any], Any]
"""From the name of an option and a value to the value that is kept; raises UsageError (EP505)."""

FileNames: TypeAlias = "str | PathLike[str] | Sequence[str | PathLike[str]]"
"""One path or several."""
GraphNames: TypeAlias = Mapping[str, FileNames]
"""One path or several by the IRI of the named graph they hold."""
AtEnd: TypeAlias = Literal["all", "stop"]
"""Whether what follows when nothing more comes is told at the end of the input."""
Entailment: TypeAlias = Literal["rdfs", "none"]
Lateness: TypeAlias = "Literal['error', 'drop'] | timedelta"
"""What becomes of late elements: an error, dropped and counted, or put back in order within a delay."""

_DELAYS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}
_SIZES: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_match_delay = re.compile(r"([0-9]{1,18})(us|ms|s|min|h|d)").fullmatch
_match_size = re.compile(r"(\d+(?:\.\d+)?) ?(|[kmg]i?)b?", re.IGNORECASE).fullmatch


def _wrong(name: str, value: object, wanted: str) -> UsageError:
    text = repr(value)
    text = text if len(text) <= 60 else f"{text[:60]}..."
    return UsageError("EP505", f"{name} cannot be {text}", hint=f"it is {wanted}")


# ---- checks -----------------------------------------------------------------------------------------------


def check_choice(name: str, value: object, choices: Iterable[str], more: str = "") -> Any:
    """One of some words."""
    if value not in (known := tuple(choices)):
        raise _wrong(name, value, " or ".join(map(repr, known)) + more)
    return value


def choice(*choices: str) -> Check:
    """The check for one of some words."""
    return lambda name, value: check_choice(name, value, choices)


def check_count(name: str, value: object, most: int | None = None) -> int:
    """A whole number above zero, and no more than ``most``."""
    if type(value) is not int or value < 1 or (most is not None and value > most):
        raise _wrong(name, value, "a whole number above 0" if most is None else f"a number from 1 to {most}")
    return value


def count(most: int) -> Check:
    """The check for a whole number from 1 to ``most``."""
    return lambda name, value: check_count(name, value, most)


def optional(check: Check) -> Check:
    """A check that lets None pass."""
    return lambda name, value: None if value is None else check(name, value)


def check_flag(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise _wrong(name, value, "True or False")
    return value


def check_text(name: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise _wrong(name, value, "a text")
    return value


def check_files(name: str, value: object) -> tuple[str, ...]:
    """One path or several."""
    files = [value] if isinstance(value, (str, PathLike)) else value
    if isinstance(files, Iterable):
        paths = tuple(fspath(each) if isinstance(each, (str, PathLike)) else None for each in files)
        if None not in paths:
            return cast("tuple[str, ...]", paths)
    raise _wrong(name, value, "the path of a file, or a list of paths")


def check_graphs(name: str, value: object) -> dict[str, tuple[str, ...]]:
    """Files by the IRI of their graph."""
    if not isinstance(value, Mapping):
        raise _wrong(name, value, "a mapping of IRIs to files")
    for iri in value:
        if not _is_iri(iri):
            hint = "a graph's name looks like urn:goods"
            raise UsageError("EP505", f"{name}: {iri!r} is not an absolute IRI", hint=hint)
    return {iri: check_files(f"{name} {iri}", files) for iri, files in value.items()}


def _is_iri(text: str) -> bool:
    from pyoxigraph import NamedNode

    try:
        NamedNode(text)
    except (TypeError, ValueError):
        return False
    return True


def check_lateness(name: str, value: object) -> Lateness:
    """``"error"``, ``"drop"`` or a delay."""
    if isinstance(value, timedelta):
        return value
    return cast("Lateness", check_choice(name, value, ("error", "drop"), " or a timedelta"))


def check_recall(name: str, value: object) -> bool | timedelta:
    """Whether, or how long, occurrences are kept."""
    if not isinstance(value, (bool, timedelta)):
        raise _wrong(name, value, "True, False or a timedelta")
    return value


def check_delay(name: str, value: object) -> timedelta:
    """A duration above zero."""
    if not isinstance(value, timedelta) or value <= timedelta(0):
        raise _wrong(name, value, "a timedelta above 0")
    return value


def check_memory(name: str, value: object) -> int:
    """A number of bytes that this process may have: see `check_size`.

    Raises:
        UsageError: EP505; EP506 where the system does not tell how much memory there is.
    """
    size = check_size(name, value)
    if not Path("/proc/self/statm").exists():
        raise UsageError("EP506", f"{name} needs /proc", hint="it exists on Linux")
    return size


def check_size(name: str, value: object) -> int:
    """A number of bytes above zero: as a number, or as text with a unit.

    Raises:
        UsageError: EP505.

    >>> [check_size("max_memory", each) for each in (5000, "1.5 GB", "2GiB")]
    [5000, 1500000000, 2147483648]
    """
    size = 0
    if type(value) is int:
        size = value
    elif isinstance(value, str) and (match := _match_size(value)):
        size = int(Fraction(match[1]) * _SIZES[match[2].lower()])
    if size <= 0:
        raise _wrong(name, value, "a size such as 500MB, 2GB or 2GiB")
    return size


# ---- other arguments --------------------------------------------------------------------------------------


def check_function(name: str, function: object) -> None:
    """Refuse what cannot be called; None means no function.

    Raises:
        UsageError: EP505.
    """
    if function is not None and not callable(function):
        raise UsageError("EP505", f"{name} is {function!r} and no function")


def check_query_text(query: str) -> None:
    """Refuse the name of a query file where its text is asked for.

    Raises:
        UsageError: EP505.
    """
    if not isinstance(query, str):
        raise UsageError(
            "EP505", f"query is a {type(query).__name__} and no text", hint="of a file: path.read_text()"
        )
    if query.strip().endswith((".rq", ".sparql", ".epsparql")) and len(query.split()) == 1:
        raise UsageError(
            "EP505",
            f"query is {query!r}, which is not the text of a query",
            hint=f"the text of the file: open({query!r}).read()",
        )


def check_time_unit(unit: str | None) -> None:
    """Refuse an unknown unit of time; None means no unit.

    Raises:
        UsageError: EP505.
    """
    if unit is not None:
        check_choice("time_unit", unit, SCALES)


# ---- words of a command line ------------------------------------------------------------------------------


def parse_count(text: str, option: str) -> int:
    """A whole number above zero.

    Raises:
        UsageError: EP505.
    """
    return check_count(option, int(text) if text.isascii() and text.isdecimal() else text)


def parse_delay(text: str, option: str) -> int:
    """A duration above zero in microseconds: ``5s``, ``100ms``, or an xsd:duration without months.

    Raises:
        UsageError: EP505.

    >>> parse_delay("5s", "--on-late"), parse_delay("PT1M30S", "--on-late")
    (5000000, 90000000)
    """
    short = _match_delay(text)
    if short is not None:
        months, delay = 0, int(short[1]) * _DELAYS[short[2]]
    else:
        try:
            months, delay = parse_duration(text)
        except ValueError:
            months, delay = 0, 0
    if months or delay <= 0:
        reason = "has months, which have no fixed length" if months else "is not a duration above zero"
        raise UsageError(
            "EP505", f"{option} {text}: {text!r} {reason}", hint="write 5s, 100ms, 2min, 1h, 1d or PT5S"
        )
    return delay


def parse_timedelta(text: str, option: str) -> timedelta:
    """As `parse_delay`."""
    return timedelta(microseconds=parse_delay(text, option))


def parse_lateness(text: str, option: str) -> Lateness:
    """``error``, ``drop`` or a duration.

    Raises:
        UsageError: EP505.
    """
    return cast("Lateness", text) if text in ("error", "drop") else parse_timedelta(text, option)


def parse_moment(text: str, option: str) -> int:
    """A time in microseconds since the epoch, UTC: an xsd:dateTime or whole microseconds.

    Raises:
        UsageError: EP505.
    """
    try:
        return parse_time(text)
    except ValueError as error:
        raise UsageError(
            "EP505",
            f"{option}: the time {text!r} {error}",
            hint="write 2011-03-11T05:46:23Z or whole microseconds since 1970",
        ) from error


def parse_graphs(texts: Sequence[str], option: str) -> dict[str, tuple[str, ...]]:
    """Files by the IRI of their graph, from words ``IRI=FILE``.

    Raises:
        UsageError: EP505.

    >>> parse_graphs(["urn:a=a.ttl", "urn:b?x=1=b.ttl", "<urn:a>=x=1.ttl"], "--graph")
    {'urn:a': ('a.ttl', 'x=1.ttl'), 'urn:b?x=1': ('b.ttl',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        named = split_name(text)
        if named is None:
            raise UsageError(
                "EP505",
                f"{option}: {text!r} is not IRI=FILE",
                hint="name the graph and its file, as in urn:goods=goods.ttl",
            )
        iri, file = named
        found[iri] = (*found.get(iri, ()), file)
    return found
