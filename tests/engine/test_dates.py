"""Dates, times of day and parts of dates: some are written with a zone, some without.

The first four cases are W3C's SPARQL 1.0 test open-world/date-1 to date-4.
"""

from __future__ import annotations

import pytest

from etalis_py.engine.engine import Engine
from tests.engine.conftest import XSD, table

DAYS = ("2006-08-23", "2006-08-23Z", "2006-08-23+00:00", "2001-01-01", "2001-01-01Z", "2007-01-01Z")
LAST = '"2006-08-23"^^xsd:date'


def rows(query: str, values: tuple[str, ...] = DAYS, datatype: str = "date") -> list[dict[str, object]]:
    with Engine(at=0) as engine:
        engine.register(f"PREFIX : <urn:> SELECT {query}")
        terms = [f'"{each}"^^<{XSD}{datatype}>' for each in values]
        engine.send_batch(table((0, f"n{number}", "p", term) for number, term in enumerate(terms)))
        engine.finish()
        return [
            {name: term if isinstance(term, str) else term[0] for name, term in match.encoded.items()}
            for match in engine.matches()
        ]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (f"?v = {LAST}", {"2006-08-23"}),
        (f"?v != {LAST}", {"2001-01-01", "2001-01-01Z", "2007-01-01Z"}),
        (f"?v > {LAST}", {"2007-01-01Z"}),
        (f"?v < {LAST}", {"2001-01-01", "2001-01-01Z"}),
        (f"?v <= {LAST}", {"2006-08-23", "2001-01-01", "2001-01-01Z"}),
        ('?v = "2006-08-23Z"^^xsd:date', {"2006-08-23Z", "2006-08-23+00:00"}),
        (f"?v IN ({LAST})", {"2006-08-23"}),
        (f"?v NOT IN ({LAST})", {"2001-01-01", "2001-01-01Z", "2007-01-01Z"}),
        (f"COALESCE(?v = {LAST}, true)", {"2006-08-23", "2006-08-23Z", "2006-08-23+00:00"}),
    ],
)
def test_a_zone_that_is_missing_is_an_error_where_it_decides(condition: str, expected: set[str]) -> None:
    assert {row["v"] for row in rows(f"?v {{ ?s :p ?v FILTER({condition}) }}")} == expected


@pytest.mark.parametrize(
    ("datatype", "value", "nearby", "far"),
    [
        ("time", "12:00:00", "12:00:00Z", "02:59:59+05:00"),
        ("gYear", "2005", "2005Z", "2006Z"),
        ("gYearMonth", "2005-01", "2005-01+02:00", "2005-02Z"),
        ("gMonthDay", "--02-28", "--02-28Z", "--02-29Z"),
        ("gMonth", "--05", "--05-05:00", "--06Z"),
        ("gDay", "---05", "---05Z", "---06Z"),
    ],
)
def test_parts_of_dates_are_compared_alike(datatype: str, value: str, nearby: str, far: str) -> None:
    for operator in ("=", "!=", "<", ">=" if value != "12:00:00" else "<="):
        query = f'* {{ ?s :p ?v FILTER(?v {operator} "{value}"^^xsd:{datatype}) }}'
        assert rows(query, (nearby,), datatype) == []
    unequal = f'* {{ ?s :p ?v FILTER(?v != "{value}"^^xsd:{datatype}) }}'
    assert [row["v"] for row in rows(unequal, (far,), datatype)] == [far]
    equal = f'* {{ ?s :p ?v FILTER(?v = "{value}"^^xsd:{datatype}) }}'
    assert [row["v"] for row in rows(equal, (value,), datatype)] == [value]


def test_a_date_time_without_a_zone_is_in_utc() -> None:
    query = '* { ?s :p ?v FILTER(?v = "2006-08-23T00:00:00Z"^^xsd:dateTime) }'
    assert len(rows(query, ("2006-08-23T00:00:00",), "dateTime")) == 1


def test_terms_are_told_apart_and_put_in_order() -> None:
    """A term is the same as itself; ORDER BY, MIN and MAX have a place for each."""
    order = [row["v"] for row in rows("?v { ?s :p ?v } ORDER BY ?v")]
    assert order[:3] == ["2001-01-01", "2001-01-01Z", "2006-08-23"]
    assert set(order[3:5]) == {"2006-08-23Z", "2006-08-23+00:00"}
    assert order[5] == "2007-01-01Z"
    assert len(rows("DISTINCT ?v { ?s :p ?v }", (*DAYS, *DAYS))) == 6
    assert len(rows("?v (COUNT(*) AS ?n) { ?s :p ?v } GROUP BY ?v")) == 6
    assert len(rows("* { ?s :p ?v . ?t :p ?v }")) == 6
    [ends] = rows("(MIN(?v) AS ?first) (MAX(?v) AS ?last) { ?s :p ?v }")
    assert ends == {"first": "2001-01-01", "last": "2007-01-01Z"}
