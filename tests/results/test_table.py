"""The table for readers: aligned, short, one block a query, nothing in it steers a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from etalis_py.core.vocabulary import XSD_DATETIME, XSD_INTEGER, XSD_STRING
from etalis_py.engine.matches import Match
from etalis_py.results import QueryHead, open_writer

FALL = QueryHead("fall", "select", ("x", "y"), {"ex": "http://example.org/", "e": "http://example.org/er/"})
MATCHES = [
    Match("fall", 2_000_000, 2_000_000, ("x", "y"), ("http://example.org/a", (5, XSD_INTEGER))),
    Match("fall", 2_000_000, 9_500_000, ("x", "y"), ("http://example.org/er/日本", (5, "05", XSD_INTEGER))),
    Match("fall", 9_500_000, 9_500_000, ("x", "y"), ("http://example.org/a b", None)),
]
EXPECTED = """\
fall
start                   end                     x                              y
----------------------  ----------------------  -----------------------------  -----------------
1970-01-01T00:00:02Z    1970-01-01T00:00:02Z    ex:a                           5
1970-01-01T00:00:02Z    1970-01-01T00:00:09.5Z  e:日本                         "05"^^xsd:integer
1970-01-01T00:00:09.5Z  1970-01-01T00:00:09.5Z  <http://example.org/a\\u0020b>
3 answers
"""


def table(matches: Sequence[Match], **options: Any) -> str:
    with open_writer("table", out := io.BytesIO(), **options) as writer:
        writer.write_all(matches)
    return out.getvalue().decode()


def test_one_query() -> None:
    assert table(MATCHES, heads=[FALL]) == EXPECTED


def test_several_queries_and_triples() -> None:
    made = Match("make", 1, 2, encoded_triples=(("urn:a", "urn:p", "urn:b"), ("urn:a", "urn:q", "_:c")))
    heads = [FALL, QueryHead("make", "construct"), QueryHead("none")]
    assert table([made, *MATCHES], heads=heads, at_mode=True) == (
        "fall\n"
        "x                              y\n"
        "-----------------------------  -----------------\n"
        "ex:a                           5\n"
        'e:日本                         "05"^^xsd:integer\n'
        "<http://example.org/a\\u0020b>\n"
        "fall: 3 answers\n"
        "\n"
        "make\n"
        "s        p        o\n"
        "-------  -------  -------\n"
        "<urn:a>  <urn:p>  <urn:b>\n"
        "<urn:a>  <urn:q>  _:c\n"
        "make: 1 answer\n"
        "\n"
        "none: no answers\n"
    )


def test_an_ask_at_one_instant_stands_in_its_place() -> None:
    heads = [QueryHead("any", "ask"), QueryHead("x", "select", ("x",))]
    found = [Match("x", 1, 1, ("x",), ("urn:a",)), Match("any", 1, 1, boolean=True)]
    assert table(found, heads=heads, at_mode=True).splitlines()[:3] == ["any: yes", "", "x"]


def test_live_rows_are_written_at_once() -> None:
    writer = open_writer("table", out := io.BytesIO(), heads=[FALL], live=True)
    for count, match in enumerate(MATCHES, 1):
        writer.write(match)
        assert out.getvalue().count(b"\n") == 3 + count


def test_nothing_steers_the_terminal() -> None:
    text = table([Match("fall", 1, 1, ("x", "y"), (("\x1b[2J\u202e\x9b", XSD_STRING), ("\n", "@en")))])
    assert text.isascii()
    assert '"\\u001B[2J\\u202E\\u009B"  "\\n"@en' in text


def test_times_are_bare_and_ill_typed_ones_not() -> None:
    text = table([Match("fall", 1, 1, ("x", "y"), ((0, XSD_DATETIME), ("now", XSD_DATETIME)))])
    assert '1970-01-01T00:00:00Z  "now"^^xsd:dateTime' in text
