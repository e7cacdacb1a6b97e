"""What the queries of CSRBench and CityBench do, in the words of each dialect, on streams worked out by hand.

The first stream: an observation a line, at a second, of a sensor; t is a temperature, h a humidity.

    1 a t 81    2 b t 79    3 a h 30    5 b t 85    6 a t 90    9 a h 60
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from rdflib import Literal, URIRef

from etalis_py import Engine
from tests.engine.test_windows_on_streams import PREFIX, SECOND, rows

OBSERVATIONS = [
    *((1, "a", "t", 81), (2, "b", "t", 79), (3, "a", "h", 30)),
    *((5, "b", "t", 85), (6, "a", "t", 90), (9, "a", "h", 60)),
]


def send(engine: Engine, observations: Iterable[tuple[int, str, str, int]], stream: str = "s") -> None:
    """Each is an element: an observation with its sensor and property, and a result with a value."""
    for time, sensor, kind, value in observations:
        made, result = URIRef(f"urn:{stream}{time}"), URIRef(f"urn:result-{stream}{time}")
        triples = [
            (made, URIRef("urn:by"), URIRef(f"urn:{sensor}")),
            (made, URIRef("urn:of"), URIRef(f"urn:{kind}")),
            (made, URIRef("urn:result"), result),
            (result, URIRef("urn:value"), Literal(value)),
        ]
        engine.send_element(triples, time * SECOND, stream=URIRef(f"urn:{stream}"))


def in_dialects(select: str, body: str, width: int, step: int) -> list[str]:
    """The same query in four dialects, which all close their windows as C-SPARQL does."""
    lengths = f"{width}s STEP {step}s"
    bounds = "PRAGMA window-bounds closed-open"
    register = "REGISTER RSTREAM :q REPORT CLOSE NONEMPTY AS SELECT"
    inline = f"STREAM :s [RANGE {width}s SLIDE {step}s]"
    return [
        f"{PREFIX} REGISTER QUERY q AS SELECT {select} FROM STREAM :s [RANGE {lengths}] {{ {body} }}",
        f"{PREFIX} SELECT {select} FROM NAMED STREAM :s [NOW - {width} S SLIDE {step} S] {{ {body} }}",
        f"""{bounds}
        {PREFIX} {register} {select} FROM NAMED WINDOW :w ON :s [RANGE {lengths}]
        {{ WINDOW :w {{ {body} }} }}""",
        f"""PRAGMA dialect csparql
        {PREFIX} SELECT {select} {{ {inline} {{ {body} }} }}""",
    ]


OF_TEMPERATURE = "?obs :of :t ; :by ?sensor ; :result ?res . ?res :value ?value"
HIGH = f"{OF_TEMPERATURE} FILTER (?value > 80)"
HUMID = OF_TEMPERATURE.replace(":t", ":h") + " FILTER (?value < 49) FILTER (?value > 24)"
FIRST_OF_TWO = "?ob1 :by ?sensor ; :of :t ; :result [ :value ?value1 ] ."
HIGHER = f"{FIRST_OF_TWO} ?obs :by ?sensor ; :of :t ; :result [ :value ?value ] . FILTER (?value1 > ?value)"
HIGHER_THAN_A = HIGHER.replace("?obs :by ?sensor", "?obs :by :a")


@pytest.mark.parametrize(
    ("select", "body", "width", "step", "expected"),
    [
        ("?sensor ?obs", HIGH, 10, 10, ["10 a s1", "10 a s6", "10 b s5"]),
        ("?sensor ?obs", HIGH, 1, 1, ["2 a s1", "6 b s5", "7 a s6"]),
        ("?sensor ?obs", HUMID, 4, 4, ["4 a s3"]),
        ("?sensor", HIGH, 5, 2, ["2 a", "4 a", "6 a", "6 b", "8 a", "8 b", "10 a", "10 b"]),
        ("?sensor ?ob1 ?obs", f"{HIGHER} FILTER (?value > 75)", 10, 10, ["10 a s6 s1", "10 b s5 s2"]),
        ("?sensor ?ob1", HIGHER_THAN_A, 8, 8, ["8 a s6", "8 b s5"]),
    ],
)
def test_queries_of_csrbench(select: str, body: str, width: int, step: int, expected: list[str]) -> None:
    for text in in_dialects(select, body, width, step):
        with Engine() as engine:
            engine.register(text, name="q")
            send(engine, OBSERVATIONS)
            engine.finish()
            given = sorted(rows(engine), key=lambda row: (int(row.split()[0]), row))
        assert given == expected, text


def test_the_mean_of_a_window() -> None:
    """Each has a row while the window holds something, and the mean of nothing is 0."""
    for text in in_dialects("(AVG(?value) AS ?mean)", HIGH, 4, 4):
        with Engine() as engine:
            engine.register(text, name="q")
            send(engine, OBSERVATIONS)
            engine.finish()
            means = [(m.end // SECOND, float(m["mean"])) for m in engine.matches()]
        assert means == [(4, 81.0), (8, 87.5), (12, 0.0)], text


@pytest.fixture
def sensors(tmp_path: Path) -> Path:
    file = tmp_path / "sensors.ttl"
    file.write_text(
        "@prefix : <urn:> . :t a :Level ; :place :p1 . :h a :Level ; :place :p2 . :p1 :lat 1 . :p2 :lat 3 .\n"
    )
    return file


BODY = "?p1 a :Level ; :place ?f1 . ?p2 a :Level ; :place ?f2 . ?f1 :lat ?lat1 . ?f2 :lat ?lat2 ."
FIRST = "?o1 a ?ob ; :of ?p1 ; :value ?v1 ; :by :a ."
SECOND_ONE = "?o2 a ?ob ; :of ?p2 ; :value ?v2 ; :by :b ."
NEAR = "FILTER ((?lat2 - ?lat1) * (?lat2 - ?lat1) < 5 || ?v1 > 100) BIND (?v1 + ?v2 AS ?sum)"
CSPARQL = f"""SELECT ?sum FROM <urn:g> FROM STREAM :x [RANGE 3s STEP 1s] FROM STREAM :y [RANGE 3s STEP 1s]
    WHERE {{ {BODY} {{ {FIRST} }} {{ {SECOND_ONE} }} {NEAR} }}"""
RSPQL = f"""REGISTER RSTREAM :out AS SELECT ?sum FROM <urn:g>
    FROM NAMED WINDOW :v ON :x [RANGE PT3S STEP PT1S] FROM NAMED WINDOW :w ON :y [RANGE PT3S STEP PT1S]
    WHERE {{ {BODY} WINDOW :v {{ {FIRST} }} WINDOW :w {{ {SECOND_ONE} }} {NEAR} }}"""
CQELS = f"""SELECT ?sum FROM <urn:g> WHERE {{ {BODY}
    STREAM :x [RANGE 3s] {{ {FIRST} }} STREAM :y [RANGE 3s] {{ {SECOND_ONE} }} {NEAR} }}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [(CSPARQL, ["3 12", "4 12"]), (RSPQL, ["2 12", "3 12"]), (CQELS, ["2 12"])],
)
def test_queries_of_citybench(sensors: Path, text: str, expected: list[str]) -> None:
    """Two streams, x read at 1 and y at 2, joined with what the background knows of their sensors."""
    with Engine(graphs={"urn:g": sensors}) as engine:
        engine.register(PREFIX + text, name="q")
        for time, stream, sensor, kind, value in (
            (1, "x", "a", "t", 5),
            (2, "y", "b", "h", 7),
            (6, "x", "a", "t", 9),
        ):
            made = URIRef(f"urn:o{time}")
            triples = [
                (made, URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), URIRef("urn:Observation")),
                (made, URIRef("urn:of"), URIRef(f"urn:{kind}")),
                (made, URIRef("urn:value"), Literal(value)),
                (made, URIRef("urn:by"), URIRef(f"urn:{sensor}")),
            ]
            engine.send_element(triples, time * SECOND, stream=URIRef(f"urn:{stream}"))
        engine.finish()
        given = [f"{match.end // SECOND} {int(match['sum'])}" for match in engine.matches()]
    assert given == expected
