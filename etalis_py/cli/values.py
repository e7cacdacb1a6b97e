"""Values of options: delays, times, positive numbers."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Final

from etalis_py.core.errors import UsageError
from etalis_py.core.times import SCALES, parse_duration, parse_time
from etalis_py.engine.options import graph_files

__all__ = ["add_time_unit", "parse_count", "parse_delay", "parse_graphs", "parse_moment"]

_UNITS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": 1_000_000,
    "min": 60_000_000,
    "h": 3_600_000_000,
    "d": 86_400_000_000,
}
_match_short = re.compile(r"([0-9]{1,18})(us|ms|s|min|h|d)").fullmatch


def add_time_unit(group: argparse._ActionsContainer) -> None:
    """The option that says what times count that are numbers."""
    group.add_argument(
        "--time-unit", choices=tuple(SCALES), metavar="s|ms|us",
        help="what the times of the streams count since 1970 where they are numbers (default: us, and an "
        "error where they look like something else)",
    )  # fmt: skip


def parse_delay(text: str, option: str) -> int:
    """A duration above zero in microseconds: ``5s``, ``100ms``, or an xsd:duration without months.

    Raises:
        UsageError: EP505.

    >>> parse_delay("5s", "--on-late"), parse_delay("PT1M30S", "--on-late")
    (5000000, 90000000)
    """
    short = _match_short(text)
    if short is not None:
        months, delay = 0, int(short[1]) * _UNITS[short[2]]
    else:
        try:
            months, delay = parse_duration(text)
        except ValueError:
            months, delay = 0, 0
    if months or delay <= 0:
        reason = "has months, which are of no fixed length" if months else "is no duration above zero"
        raise UsageError(
            "EP505", f"{option} {text}: {text!r} {reason}", hint="write 5s, 100ms, 2min, 1h, 1d or PT5S"
        )
    return delay


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


def parse_count(text: str, option: str) -> int:
    """A whole number above zero.

    Raises:
        UsageError: EP505.
    """
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise UsageError("EP505", f"{option}: {text!r} is no whole number above zero")
    return int(text)


def parse_graphs(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Files by the IRI of their graph, from words ``IRI=FILE``.

    The last ``=`` stands between the two; ``<IRI>=FILE`` allows one in the name of the file.

    Raises:
        UsageError: EP505.

    >>> parse_graphs(["urn:a=a.ttl", "urn:b?x=1=b.ttl", "<urn:a>=x=1.ttl"])
    {'urn:a': ('a.ttl', 'x=1.ttl'), 'urn:b?x=1': ('b.ttl',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        iri, equals, file = text.partition(">=") if text.startswith("<") else text.rpartition("=")
        if not (iri and equals and file):
            raise UsageError(
                "EP505",
                f"--graph: {text!r} is not IRI=FILE",
                hint="name the graph and its file, such as urn:goods=goods.ttl",
            )
        iri = iri.removeprefix("<")
        found[iri] = (*found.get(iri, ()), file)
    graph_files(found, "--graph")
    return found
