"""A query that finds nothing says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.core.errors import UsageError
from etalis_py.core.explanations import MESSAGES

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NUMBER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
STREAM = (
    "start,s,p,o\n1,<urn:a>,<urn:p>,<urn:b>\n"
    f"2,<urn:a>,<{TYPE}>,<urn:Oak>\n"
    '3,<urn:a>,<urn:heat>,"""35"""\n'
    f'4,<urn:b>,<urn:heat>,"""20""{NUMBER}"\n'
)


@pytest.fixture
def why(etalis, folder: Path):
    """The lines that say why a query has no answers."""

    def lines(where: str, *more: str) -> list[str]:
        (folder / "q.rq").write_text(f"PREFIX : <urn:>\nSELECT *\nWHERE {{ {where} }} # etalis: ignore\n")
        (folder / "s.csv").write_text(STREAM)
        (folder / "o.ttl").write_text(
            "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
            ":Oak rdfs:subClassOf :Tree . :a :home :wood ."
        )
        done = etalis(" ".join(["run q.rq --stream s.csv", *more]))
        assert done.code == 0
        return done.err.splitlines()

    return lines


def test_each_pattern_is_counted(why) -> None:
    assert why("{ ?x :p ?y } SEQ { ?x :haet ?z . ?x a :Elm }") == [
        "warning: EW20 q: no answers",
        "   line 3: ?x :p ?y: 1 time",
        "-> line 3: ?x :haet ?z: never; the stream has :heat 2 times",
        "   line 3: ?x a :Elm: never; the stream has :Oak 1 time",
    ]
    assert why("?x :haet ?y", "--quiet") == why("?x :haet ?y", "-W none") == []


def test_a_path_is_told_as_it_was_written(why) -> None:
    assert why("?x :p+ ?y . ?y :haet ?z")[1] == "   line 3: the path ?x :p+ ?y: 1 time"


def test_each_filter_is_counted(why) -> None:
    assert why("?x :heat ?y FILTER (?y > 30)")[1:] == [
        "   line 3: ?x :heat ?y: 2 times",
        (
            "-> line 3: FILTER (?y > 30): true never, false 1 time (?y = 20), an error 1 time: "
            '"35" (a string) is compared with 30 (a number)'
        ),
    ]
    assert why("?x :p ?y FILTER (?y = :c && ?x = :a)")[1:] == [
        "   line 3: ?x :p ?y: 1 time",
        "-> line 3: FILTER (?y = :c): true never, false 1 time (?y = :b)",
        "   line 3: FILTER (?x = :a): true 1 time",
    ]
    assert "xsd:integer(?y) has no value where ?y = :b" in why("?x :p ?y FILTER (xsd:integer(?y) > 3)")[-1]
    assert "?z has no value" in why("?x :p ?y OPTIONAL { ?x :q ?z } FILTER (STRLEN(?z) > 3)")[-1]
    assert why("?x :p ?y FILTER NOT EXISTS { ?x :p ?z }")[-1] == (
        "-> line 3: FILTER (NOT EXISTS { ?x :p ?z }): true never, false 1 time"
    )


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (
            '"2026-01-01Z"^^xsd:date',
            '"2026-01-01"^^xsd:date',
            (
                "the first has a time zone, the second has none, and they are so close that their order is "
                'unknown: give a zone to both ("...Z"), or to neither'
            ),
        ),
        (
            '"08:00:00"^^xsd:time',
            '"08:00:00+01:00"^^xsd:time',
            "the first has none, the second has a time zone",
        ),
        (
            '"P30D"^^xsd:duration',
            '"P1M"^^xsd:duration',
            "months and years have no fixed length: count in days",
        ),
        ("<urn:b>", "<urn:c>", "values of this kind have no order"),
    ],
)
def test_why_two_values_of_one_kind_have_no_order(why, left: str, right: str, reason: str) -> None:
    line = why(f"?x :p ?y BIND (IF(?y = :b, {left}, 0) AS ?v) FILTER (?v < {right})")[-1]
    assert "an error 1 time" in line
    assert f"; {reason}" in line


def test_a_filter_on_the_length_is_tried_on_what_is_longer(why) -> None:
    where = '{ ?x :p ?y } SEQ { ?x :heat ?z } FILTER (getDURATION() < "PT0.000001S"^^xsd:duration)'
    assert why(where)[-1] == (
        '-> line 3: FILTER (getDURATION() < "PT0.000001S"^^xsd:duration): true never, false 1 time '
        '(getDURATION() = "PT0.000002S"^^xsd:duration)'
    )


def test_what_does_not_fit_together_is_told(why) -> None:
    assert why("{ ?x a :Oak } SEQ { ?x :p ?y }")[-1] == (
        "-> line 3: 1 pair fit together, but never as SEQ asks: "
        "the left side ends before the right side starts"
    )
    assert why("?x a :Oak . ?y :p ?x")[-1] == "-> line 3: its two sides never have the same ?x"
    assert why("{ ?x :p ?y } EQUALS { ?x a ?z }")[-1] == (
        "-> line 3: 1 pair fit together, but never as EQUALS asks: both have the same start and end"
    )
    assert why("{ ?x :p ?y } SEQ NEXT EVERY PT1H")[-1] == (
        "-> line 3: EVERY 1 hour: no such point in time has come yet after what stands before it"
    )
    assert why("?x :p ?y MINUS { ?x :p ?z }")[-1] == "-> line 3: MINUS removes all of them"
    assert why("?x :p :c")[-1] == "-> line 3: ?x :p :c: never; the stream has :p 1 time, beside other terms"


def test_a_forgotten_background_is_told(why) -> None:
    where = "?x :p ?y . ?x :home ?z . ?x a :Tree"
    assert [line.split(";")[0] for line in why(where)[2:]] == [
        "-> line 3: ?x :home ?z: never",
        "   line 3: ?x a :Tree: never",
    ]
    assert why(where, "--background o.ttl") == []
    assert why(f"{where} . ?z :p ?z", "--background o.ttl")[2] == (
        "   line 3: ?x :home ?z: matched only by the background"
    )


def test_what_need_not_match_stops_nothing(why) -> None:
    lines = why("{ ?y :p ?x FILTER (?x > 1) } UNION { ?x :none ?z }")
    assert [line[:2] for line in lines[1:]] == ["  ", "  "]
    assert why("?x :p ?y OPTIONAL { ?x :none ?z } FILTER (?y = :c)")[1:] == [
        "   line 3: ?x :p ?y: 1 time",
        "-> line 3: FILTER (?y = :c): true never, false 1 time (?y = :b)",
    ]


def test_what_other_queries_make_is_an_event(etalis, folder: Path) -> None:
    (folder / "s.csv").write_text(STREAM)
    (folder / "make.rq").write_text("PREFIX : <urn:> CONSTRUCT { ?x :is :warm } WHERE { ?x :heat ?y }")
    (folder / "q.rq").write_text("PREFIX : <urn:> SELECT ?x WHERE { ?x :is :warm FILTER (?x = :c) }")
    done = etalis("run q.rq make.rq --stream s.csv --why")
    assert done.err.splitlines()[1:] == [
        "   line 1: ?x :is :warm: 2 times",
        "-> line 1: FILTER (?x = :c): true never, false 2 times (?x = :a)",
    ]


def test_at_one_instant(etalis, folder: Path) -> None:
    (folder / "s.ttl").write_text("<urn:a> <urn:p> 5 .")
    (folder / "q.rq").write_text("SELECT * WHERE { ?x <urn:p> ?y FILTER (?y > 5) }")
    done = etalis("run q.rq --stream s.ttl --at 2026-03-02T08:00:00Z --results csv")
    assert done.err.splitlines()[-1] == ("-> line 1: FILTER (?y > 5): true never, false 1 time (?y = 5)")


def test_a_query_of_the_background_alone_is_told(why) -> None:
    told = ["warning: EW20 q: no answers, since no event can be in one; --at TIME asks at an instant"]
    assert why("VALUES ?x { :a :b }") == told
    assert why("VALUES ?x { :a } BIND (STR(?x) AS ?text)") == told


def test_only_so_many_events_are_looked_at(etalis, folder: Path) -> None:
    rows = "".join(f"{number},<urn:{number}>,<urn:p>,<urn:b>\n" for number in range(10_100))
    (folder / "s.csv").write_text(f"start,s,p,o\n{rows}")
    (folder / "q.rq").write_text("SELECT ?x WHERE { ?x <urn:p> <urn:c> }")
    assert etalis("run q.rq --stream s.csv").err.splitlines() == [
        "warning: EW20 q: no answers; of the first 10,000 events:",
        "-> line 1: ?x <urn:p> <urn:c>: never; the stream has <urn:p> 10,000 times, beside other terms",
    ]


def test_pairs_without_a_bound_do_not_take_for_ever(etalis, folder: Path) -> None:
    rows = "".join(f"{number},<urn:{number}>,<urn:p>,<urn:b>\n" for number in range(5_000))
    (folder / "s.csv").write_text(f"start,s,p,o\n{rows}")
    any_three = "{ ?x ?p ?b } SEQ { ?y ?q ?b } SEQ { ?z ?r ?b }"
    bound = 'getDURATION() < "PT0.000001S"^^xsd:duration'
    (folder / "q.rq").write_text(f"SELECT ?x WHERE {{ {any_three} FILTER ({bound}) }}")
    told = etalis("run q.rq --stream s.csv").err.splitlines()
    assert told[0].startswith("warning: EW20 q: no answers; of the first ")
    assert "true never" in told[-1]


def test_a_stream_that_cannot_be_read_again(start) -> None:
    process = start("run rise.rq --stream - --stream-format csv")
    row = "1,<urn:a>,<http://example.org/lwo>,<urn:b>\n"
    _, err = process.communicate(f"start,s,p,o\n{row}".encode())
    warned = err.decode().splitlines()
    assert warned[0].startswith("warning: EW30 rise.rq, line 2, column 19")
    (*_, where, hint) = warned
    missing = "?x ex:low ?a (line 2), nor ?x ex:high ?b (line 2)"
    assert where == f"warning: EW20 rise: no answers, since nothing matches {missing}"
    assert hint == "hint: the stream has ex:lwo"


def test_in_python() -> None:
    events = {"start": [1], "s": ["<urn:a>"], "p": ["<urn:heat>"], "o": ['"35"']}
    query = "SELECT ?x { ?x <urn:heat> ?y FILTER (?y > 30) }"
    with Engine() as engine, Engine(recall=True) as keeping:
        for each in (engine, keeping):
            each.register(query, name="hot")
            each.send_batch(events)
        found = engine.why_nothing("hot", events)
        assert str(found) == str(keeping.why_nothing("hot"))
        assert (found.name, found.events, found.cause) == ("hot", 1, found.lines[1])
        assert f"{found.warning()}\n" == (MESSAGES / "EW20.txt").read_text()
        with pytest.raises(UsageError) as caught:
            engine.why_nothing("hot")
        assert f"{caught.value}\n" == (MESSAGES / "EP513.txt").read_text()
        with pytest.raises(UsageError, match="EP505"):
            engine.why_nothing("cold")
