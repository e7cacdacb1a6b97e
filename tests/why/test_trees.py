"""What proofs look like, operator by operator: the whole tree as text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from etalis_py.engine.engine import Engine
from tests.engine.conftest import table


def why(query: str, rows: Iterable[tuple[Any, ...]], more: Iterable[str] = (), **options: Any) -> str:
    """The proof of the last answer of a query, without the years of the times."""
    with Engine(trace=True, **options) as engine:
        engine.register("PREFIX : <urn:> " + query, name="q")
        for number, text in enumerate(more):
            engine.register("PREFIX : <urn:> " + text, name=f"more{number}")
        engine.send_batch(table(rows))
        engine.finish()
        *_, match = engine.matches("q")
        return str(engine.why(match)).replace("1970-01-01T00:", "").replace("Z", "")


def test_sequence() -> None:
    assert why("SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } }", [(1, "a", "p", "b"), (2, "b", "q", "c")]) == (
        "q from 00:01 to 00:02: ?x = :a, ?y = :b, ?z = :c\n"
        "└─ SEQ (line 1)\n"
        "   ├─ :a :p :b at 00:01 matches ?x :p ?y (line 1)\n"
        "   └─ :b :q :c at 00:02 matches ?y :q ?z (line 1)"
    )


def test_a_side_that_gave_nothing() -> None:
    assert why("SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z } }", [(1, "a", "p", "b")]) == (
        "q at 00:01: ?x = :a, ?y = :b\n"
        "└─ OPTIONAL (line 1)\n"
        "   ├─ :a :p :b at 00:01 matches ?x :p ?y (line 1)\n"
        "   └─ nothing compatible matched { ?x :q ?z } up to 00:01"
    )


@pytest.mark.parametrize("test", ["MINUS { ?x :q ?z }", "FILTER NOT EXISTS { ?x :q ?z }"])
def test_what_did_not_happen(test: str) -> None:
    text = why(f"SELECT * {{ ?x :p ?y {test} }}", [(1, "a", "p", "b")])
    assert "└─ nothing compatible matched { ?x :q ?z } up to 00:01" in text


def test_a_gap() -> None:
    query = "SELECT ?x { { { ?x :p 1 } SEQ { ?x :p 2 } } EQUALSOPTIONAL { { ?x :p 1 } SEQ { ?x :q ?no } SEQ { ?x :p 2 } } FILTER (!BOUND(?no)) }"  # noqa: E501
    text = why(query, [(1, "a", "p", 1), (2, "a", "p", 2)])
    assert "nothing compatible matched" in text


def test_a_union_shows_the_side_that_matched() -> None:
    text = why("SELECT * { { ?x :p ?y } UNION { ?x :q ?y } }", [(1, "a", "q", "b")])
    assert ":q" in text
    assert "?x :p ?y" not in text


def test_a_derived_event() -> None:
    assert why(
        "SELECT ?x { ?x :late ?y }",
        [(1, "a", "p", "b")],
        ["CONSTRUCT { ?x :late true } WHERE { ?x :p ?y }"],
    ) == (
        "q at 00:01: ?x = :a\n"
        "└─ :a :late true at 00:01 matches ?x :late ?y (line 1)\n"
        "   └─ made by more0\n"
        "      └─ :a :p :b at 00:01 matches ?x :p ?y (line 1)"
    )


def test_a_recursion_ends_at_what_was_said() -> None:
    text = why(
        "CONSTRUCT { ?z :has :mould } WHERE { { ?x :has :mould } SEQ { ?z :beside ?x } }",
        [(1, "a", "has", "mould"), (2, "b", "beside", "a"), (3, "c", "beside", "b")],
    )
    assert text.count("SEQ") == 2
    assert text.count("made by q") == 1
    assert ":a :has :mould at 00:01" in text


def test_a_group_shows_its_members() -> None:
    text = why(
        "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x",
        [(1, "a", "p", "b"), (2, "a", "p", "c"), (4, "a", "p", "e")],
    )
    assert "3 of 3 members" in text
    assert text.count("matches ?x :p ?y") == 3


def test_many_members_are_cut_in_the_text_alone() -> None:
    with Engine(trace=True) as engine:
        engine.register("SELECT (COUNT(*) AS ?n) { ?x <urn:p> ?y }")
        engine.send_batch(table((second, "a", "p", second) for second in range(30)))
        engine.finish()
        *_, match = engine.matches()
        found = engine.why(match)
    assert "... 18 more" in str(found)
    assert len(found.events) == 30


def test_a_walk_shows_its_steps(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text("<urn:b> <urn:p> <urn:c> .")
    text = why(
        "SELECT * { :a :p+ :d }", [(1, "a", "p", "b"), (2, "c", "p", "d")], background=tmp_path / "b.ttl"
    )
    assert [line.split(" matches")[0].split("─ ")[1] for line in text.splitlines()[2:]] == [
        ":a :p :b at 00:01",
        ":b :p :c in the background",
        ":c :p :d at 00:02",
    ]


def test_entailment_tells_its_rules(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix : <urn:> .\n"
        ":frozen rdfs:subPropertyOf :cooled . :cooled rdfs:range :Cold . :Cold rdfs:subClassOf :Place ."
    )
    text = why("SELECT ?y { ?y a :Place }", [(1, "a", "frozen", "b")], background=tmp_path / "o.ttl")
    assert text.splitlines()[1:] == [
        "└─ :b a :Place at 00:01 matches ?y a :Place (line 1)",
        "   ├─ the stream says :a :frozen :b",
        "   ├─ rdfs7: :frozen rdfs:subPropertyOf :cooled, so :a :cooled :b",
        "   ├─ rdfs3: :cooled rdfs:range :Cold, so :b a :Cold",
        "   └─ rdfs9: :Cold rdfs:subClassOf :Place, so :b a :Place",
    ]


def test_a_window_of_triples_shows_the_one_that_it_counts(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text(
        "<urn:r> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:q> . "
        "<urn:q> <http://www.w3.org/2000/01/rdf-schema#domain> <urn:C> ."
    )
    text = why(
        "SELECT * FROM NAMED WINDOW :w ON <urn:etalis:default> [TRIPLES 1] { WINDOW :w { ?x :q ?y } }",
        [(1, "a", "q", "b"), (1, "a", "r", "b")],
        background=tmp_path / "b.ttl",
    )
    assert "the stream says :a :r :b" in text
    assert ":a :r :b at 00:01 in stream <urn:etalis:default> matches any triple sent" in text


def test_a_class_of_a_class_of_a_class(tmp_path: Path) -> None:
    """rdf:type has a range: what follows is of a node that the event does not name."""
    schema = tmp_path / "schema.ttl"
    schema.write_text(
        "@prefix : <urn:> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . rdf:type rdfs:range :C . :p rdfs:domain :d ."
    )
    text = why("SELECT * { ?x a :C FILTER (?x = :C) }", [(1, "a", "p", "b")], background=schema)
    assert text.splitlines()[-4:] == [
        "      ├─ the stream says :a :p :b",
        "      ├─ rdfs2: :p rdfs:domain :d, so :a a :d",
        "      ├─ rdfs3: rdf:type rdfs:range :C, so :d a :C",
        "      └─ rdfs3: rdf:type rdfs:range :C, so :C a :C",
    ]


def test_what_rdfs_itself_says(tmp_path: Path) -> None:
    """No file says what is above rdf:Bag, nor what of what is said here leads there."""
    (tmp_path / "schema.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . rdfs:Container rdfs:subClassOf <urn:Thing> ."
    )
    query = (
        "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
        "SELECT ?class { :a :p ?y . rdf:Bag rdfs:subClassOf ?class "
        "FILTER (?class IN (rdfs:Container, :Thing)) }"
    )
    with Engine(background=[tmp_path / "schema.ttl"], trace=True) as engine:
        engine.register("PREFIX : <urn:> " + query, name="q")
        engine.send_batch(table([(1, "a", "p", "b")]))
        engine.finish()
        container, thing = sorted(engine.matches(), key=str)
        texts = [str(engine.why(each)).splitlines() for each in (container, thing)]
    assert texts[0][-1:] == ["         └─ RDFS says rdf:Bag rdfs:subClassOf rdfs:Container"]
    assert texts[1][-2:] == [
        "         ├─ RDFS says rdf:Bag rdfs:subClassOf rdfs:Container",
        "         └─ rdfs11: rdfs:Container rdfs:subClassOf :Thing, so rdf:Bag rdfs:subClassOf :Thing",
    ]


def test_values_and_graphs(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text("<urn:a> <urn:in> <urn:g1> .")
    text = why(
        "SELECT * { ?x :p ?y . VALUES ?y { :b :c } GRAPH ?g { ?x :in ?where } BIND (1 + 1 AS ?two) }",
        [(1, "a", "p", "b")],
        graphs={"urn:graph": tmp_path / "g.ttl"},
    )
    assert "VALUES of 2 rows: ?y = :b" in text
    assert ":a :in :g1 in graph :graph matches ?x :in ?where" in text
    assert "BIND 1 + 1 AS ?two: 2" in text


def test_hostile_terms_are_shown_as_they_are() -> None:
    text = why("SELECT ?y { ?x :p ?y }", [(1, "a", "p", '"<b>&\\"\\\\ \\u0001\\n]"@en')])
    assert '?y = "<b>&\\"\\\\ \\u0001\\n]"@en' in text


def test_a_recursion_as_long_as_the_stream() -> None:
    """Each event is made of the one before it; nothing here is deep, and each is unfolded once."""
    with Engine(trace=True) as engine:
        engine.register(
            "CONSTRUCT { ?z <urn:has> ?m } WHERE { { ?x <urn:has> ?m } SEQ { ?z <urn:beside> ?x } }", name="q"
        )
        rows: list[tuple[Any, ...]] = [(0, "n0", "has", "mould")]
        rows += [(number, f"n{number}", "beside", f"n{number - 1}") for number in range(1, 2000)]
        engine.send_batch(table(rows))
        engine.finish()
        *_, match = engine.matches("q")
        found = engine.why(match)
    assert len(found.events) == 2000
    assert "which is not expanded here" in str(found)
    assert len(str(found).splitlines()) < 50
    assert found.svg().count("<rect") < 100
    derivations = found.as_json()["derivations"]
    assert isinstance(derivations, dict)
    assert len(derivations) == 1998


def test_what_two_parts_are_made_of_is_unfolded_once() -> None:
    text = why(
        "SELECT * { { ?x :late ?y } EQUALS { ?x :late ?z } }",
        [(1, "a", "p", "b")],
        ["CONSTRUCT { ?x :late true } WHERE { ?x :p ?y }"],
    )
    assert text.count("made by more0\n") == 1
    assert text.count("made by more0, as shown above") == 1


def test_callbacks_get_matches_that_can_be_explained() -> None:
    told: list[str] = []
    with Engine(trace=True, recall=True) as engine:
        engine.register(
            "CONSTRUCT { ?x <urn:late> true } WHERE { ?x <urn:p> ?y }",
            on_match=lambda match: told.append(str(engine.why(match))),
        )
        engine.send_batch(table([(1, "a", "p", "b"), (2, "c", "p", "d")]))
    assert [text.splitlines()[0] for text in told] == [
        "query at 1970-01-01T00:00:01Z: <urn:a> <urn:late> true",
        "query at 1970-01-01T00:00:02Z: <urn:c> <urn:late> true",
    ]


def test_a_filter_tells_of_what_it_is_true() -> None:
    text = why(
        "SELECT * { { ?x :p ?y } SEQ { ?x :p ?z } "
        "FILTER (?z < ?y - 1 && getDURATION() < 'PT1M'^^xsd:duration) }",
        [(1, "a", "p", 9), (4, "a", "p", 5)],
    )
    assert ", where getDURATION() is PT3S, ?y is 9, ?z is 5 (line 1)" in text


def test_what_exists_found() -> None:
    assert why(
        "SELECT ?x { ?x :p ?y FILTER EXISTS { ?x :q ?z } }", [(1, "a", "q", "c"), (2, "a", "p", "b")]
    ) == (
        "q at 00:02: ?x = :a\n"
        "└─ FILTER EXISTS (line 1)\n"
        "   ├─ :a :p :b at 00:02 matches ?x :p ?y (line 1)\n"
        "   └─ EXISTS found\n"
        "      └─ :a :q :c at 00:01 matches ?x :q ?z (line 1)"
    )


def test_what_was_found_of_each_part_of_an_exists() -> None:
    group = "{ { ?y :s ?z } UNION { ?y :n ?z FILTER (?w = :u) } } SEQ { ?y :t ?k } MINUS { ?y :m ?w }"
    assert why(
        f"SELECT ?x {{ ?x :q ?w FILTER EXISTS {{ {group} }} }}",
        [(0, "c", "n", "v"), (1, "c", "t", "v"), (3, "b", "q", "u")],
    ) == (
        "q at 00:03: ?x = :b\n"
        "└─ FILTER EXISTS (line 1)\n"
        "   ├─ :b :q :u at 00:03 matches ?x :q ?w (line 1)\n"
        "   ├─ EXISTS found\n"
        "   │  └─ :c :n :v at 00:00 matches ?y :n ?z (line 1)\n"
        "   └─ EXISTS found\n"
        "      └─ :c :t :v at 00:01 matches ?y :t ?k (line 1)"
    )


def test_what_an_exists_that_is_evaluated_looked_for() -> None:
    text = why(
        "SELECT ?x { ?x :q ?w FILTER NOT EXISTS { { ?y :s ?z } UNION { ?y :n ?z FILTER (?w = :u) } } }",
        [(3, "b", "q", "u")],
    )
    assert "nothing compatible matched { ?y :s ?z UNION ?y :n ?z FILTER ?w = :u } up to 00:03" in text


ON_HEATS_OFF = [
    (1, "m", "on", 0), (2, "m", "heat", 5), (3, "m", "heat", 4), (4, "m", "heat", 7), (5, "m", "off", 0),
]  # fmt: skip


def test_a_run_shows_what_each_iteration_saw() -> None:
    query = (
        "SELECT ?n ?top { { ?m :on ?x } SEQ REPEAT { ?m :heat ?h FILTER (?h > PREV(?h, 0)) }"
        " MEASURES (COUNT(*) AS ?n, MAX(?h) AS ?top) SEQ { ?m :off ?z } }"
    )
    assert why(query, ON_HEATS_OFF) == (
        "q from 00:01 to 00:05: ?n = 2, ?top = 7\n"
        "└─ REPEAT ALL, 2 times: ?n := COUNT(*) is 2, ?top := MAX(?h) is 7 (line 1)\n"
        "   ├─ :m :on 0 at 00:01 matches ?m :on ?x (line 1)\n"
        "   ├─ iteration 1: FILTER (?h > PREV(?h, 0)), where ?h is 5, PREV(?h) is unbound (line 1)\n"
        "   │  └─ :m :heat 5 at 00:02 matches ?m :heat ?h (line 1)\n"
        "   ├─ iteration 2: FILTER (?h > PREV(?h, 0)), where ?h is 7, PREV(?h) is 5 (line 1)\n"
        "   │  └─ :m :heat 7 at 00:04 matches ?m :heat ?h (line 1)\n"
        "   └─ :m :off 0 at 00:05 matches ?m :off ?z (line 1)"
    )


def test_running_aggregates_are_shown_as_they_were() -> None:
    query = (
        "SELECT ?all { REPEAT 2 NEXT PER ?m"
        " { ?m :heat ?h FILTER (COUNT(*) < 2 && COALESCE(SUM(?h), 0) < 20) } MEASURES (SUM(?h) AS ?all) }"
    )
    text = why(query, ON_HEATS_OFF)
    assert "REPEAT NEXT, 2 times: ?all := SUM(?h) is 11 (line 1)" in text
    assert "where COUNT(*) is 1, SUM(?h) is 4 (line 1)" in text


def test_a_longest_run_says_what_was_not_there() -> None:
    query = "SELECT ?n { REPEAT STRICT LONGEST PER ?m { ?m :heat ?h FILTER (?h > PREV(?h, 0)) } MEASURES (COUNT(*) AS ?n) }"  # noqa: E501
    text = why(query, ON_HEATS_OFF)
    assert "├─ nothing about :m between one iteration and the next\n" in text
    assert text.endswith("└─ no longer run: it was broken, or the input ended, at 00:05")


def test_long_runs_are_cut_before_their_last_iteration() -> None:
    rows = [(1, "m", "on", 0), *((2 + n, "m", "heat", n) for n in range(20)), (30, "m", "off", 0)]
    query = (
        "SELECT ?n { { ?m :on ?x } SEQ REPEAT { ?m :heat ?h } MEASURES (COUNT(*) AS ?n) SEQ { ?m :off ?z } }"
    )
    lines = why(query, rows).splitlines()
    assert [line.split("─ ")[1].split(" at ")[0] for line in lines[-4:]] == [
        ":m :heat 8", "... 10 more", ":m :heat 19", ":m :off 0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        ("{ ?m :on ?x } SEQ NOT { ?m :cold ?c } FOR PT2S", "after 00:01 up to 00:03"),
        ("{ ?m :on ?x } SEQ NOT { ?m :cold ?c } SEQ { ?m :off ?z }", "between 00:01 and 00:05"),
        ("{ ?m :on 0 } SEQ STRICT AMONG { ?m :cold ?c } { ?m :off ?z }", "between 00:01 and 00:05"),
    ],
)
def test_steps_say_what_was_not_there(steps: str, last: str) -> None:
    *_, line = why(f"SELECT * {{ {steps} }}", ON_HEATS_OFF).splitlines()
    assert line == f"   └─ nothing matched {{ ?m :cold ?c }} where ?m is :m {last}"


@pytest.mark.parametrize(
    ("steps", "last"),
    [
        (
            "{ ?m :heat 4 } SEQ STRICT { ?m :heat 7 }",
            "no event of the query's streams between 00:03 and 00:04",
        ),
        (
            "{ ?m :on 0 } SEQ STRICT PER ?m REPEAT 1 TO 1 STRICT PER ?m { ?m :heat ?h }",
            "nothing about :m between what is before and the first",
        ),
    ],
)
def test_strict_steps_say_what_was_not_between(steps: str, last: str) -> None:
    assert why(f"SELECT * {{ {steps} }}", ON_HEATS_OFF).splitlines()[-1] == f"   └─ {last}"


def test_a_point_of_time_of_the_other_way_has_no_share() -> None:
    text = why("SELECT ?m { { EVERY PT1S } UNION { ?m :on ?x } }", [(1, "m", "on", 0)])
    assert "EVERY" not in text
    assert ":m :on 0" in text
