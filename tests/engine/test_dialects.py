"""Queries of C-SPARQL, CQELS and SPARQLstream at work, and what sets dialects apart.

The stream: seconds, a is on at 1 and 8, b at 3, and a is hot at 3.

    1     2     3     4     5     6     7     8
    a           b a!                          a
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from rdflib import URIRef

from etalis_py import Engine, cli
from etalis_py.core.errors import CompileError
from tests.engine.counting import steps_of
from tests.engine.test_windows_on_streams import EVENTS, PREFIX, SECOND, found, rows, send

CSPARQL = "FROM STREAM :s [RANGE 4s STEP 2s]"
WHEN = "f:timestamp(?x, :on, ?l)"
F = "PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#> "


def test_csparql_closes_before_its_end() -> None:
    """[0, 4) of 4 has a; b at 3, too; the event at 8 is in the windows of 10 and 12 only."""
    assert found(f"SELECT ?x {CSPARQL} {{ ?x :on ?l }}") == ["2 a", "4 a", "4 b", "6 b", "10 a", "12 a"]


def test_csparql_asks_all_its_windows_and_the_background_at_once(tmp_path: Path) -> None:
    """Heat comes in another stream, rooms from the background: a triple is in the graph once."""
    (tmp_path / "b.ttl").write_text("@prefix : <urn:> . :a :room :r . :b :room :r . :c :on :l .\n")
    text = f"""REGISTER QUERY hot COMPUTED EVERY 2s AS {PREFIX}
        SELECT ?x ?h {CSPARQL} FROM STREAM :t [RANGE 2s TUMBLING] {{ ?x :on ?l ; :room :r ; :heat ?h }}"""
    with Engine(background=[tmp_path / "b.ttl"]) as engine:
        engine.register(text, name="q")
        send(engine, EVENTS[:2])
        send(engine, [("a", "heat", "h", 3), ("b", "heat", "h", 5)], stream="t")
        engine.finish()
        assert list(rows(engine)) == ["4 a h", "6 b h"]
    counted = f"SELECT (COUNT(*) AS ?n) {CSPARQL} {{ ?x :on :l }}"
    with Engine(background=[tmp_path / "b.ttl"]) as engine:
        engine.register(PREFIX + counted, name="q")
        send(engine, [("c", "on", "l", 1), ("a", "on", "l", 1)])
        engine.finish()
        assert [(m.end // SECOND, int(m["n"])) for m in engine.matches()] == [(2, 2), (4, 2)]


def test_csparql_gives_nothing_while_its_windows_are_empty() -> None:
    counted = f"SELECT (COUNT(?x) AS ?n) {CSPARQL} {{ ?x :heat ?l }}"
    with Engine() as engine:
        engine.register(PREFIX + counted, name="q")
        send(engine, [*EVENTS[:2], ("a", "on", "l", 20)])
        engine.finish()
        counts = [(m.end // SECOND, int(m["n"])) for m in engine.matches()]
    assert counts == [(2, 0), (4, 0), (6, 0), (22, 0), (24, 0)]


def test_windows_may_begin_before_their_start() -> None:
    """STARTING AT 1: windows close at 3, and not first at 5; with full windows at 5 and 7."""
    text = f"PRAGMA starting-at 1970-01-01T00:00:01Z\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"
    assert given(text) == ["3 a", "5 a", "5 b", "7 b", "9 a", "11 a"]
    assert given(f"PRAGMA partial-windows off\n{text}") == ["5 a", "5 b", "7 b", "9 a", "11 a"]


def test_csparql_asks_when_a_triple_came_last() -> None:
    """Each window is [c-4, c). a is on at 1 and hot at 2, and on again at 5; b is hot first.

    0     1     2     3     4     5     6     7     8
          a     a! b! b           a
    """
    events = [("a", "on", "l", 1), ("a", "heat", "h", 2), ("b", "heat", "h", 2), ("b", "on", "l", 3)]
    events.append(("a", "on", "l", 5))
    body = "?x :on ?l ; :heat ?h"
    text = f"{F}SELECT ?x {CSPARQL} {{ {body} FILTER ({WHEN} < f:timestamp(?x, :heat, ?h)) }}"
    assert found(text, events) == ["4 a"]
    assert found(text, events, trace=True) == ["4 a"]
    with Engine() as engine:
        engine.register(f"{PREFIX}{F}SELECT ?x ({WHEN} AS ?t) {CSPARQL} {{ {body} }}", name="q")
        send(engine, events)
        engine.finish()
        shown = [(m.end // SECOND, str(m["x"])[-1], int(m["t"])) for m in engine.matches()]
    assert shown == [(4, "a", 1000), (4, "b", 3000), (6, "a", 5000), (6, "b", 3000)]
    in_window = text.replace("FROM STREAM :s", "FROM NAMED WINDOW :w ON :s").replace(
        "{ ?x", "{ WINDOW :w { ?x"
    )
    assert found(f"PRAGMA dialect csparql\n{PREFIX}{in_window} }}", events) == ["4 a"]


@pytest.mark.parametrize("seed", range(20))
def test_the_newest_time_is_that_of_the_window(seed: int) -> None:
    """At each even second c of [c-6, c): what is on and hot, and when it was on last."""
    random = Random(seed)
    times = sorted(random.randint(1, 24) for _ in range(30))
    events = [(random.choice("abc"), random.choice(("on", "heat")), "l", time) for time in times]
    text = f"{PREFIX}{F}SELECT ?x ({WHEN} AS ?t) FROM STREAM :s [RANGE 6s STEP 2s] {{ ?x :on ?l ; :heat ?l }}"
    with Engine() as engine:
        engine.register(text, name="q")
        send(engine, events)
        engine.finish()
        told = sorted((m.end // SECOND, str(m["x"])[-1], int(m["t"]) // 1000) for m in engine.matches())
    expected = []
    for close in range(0, 32, 2):
        held = [(x, p, time) for x, p, _, time in events if close - 6 <= time < close]
        on = {x: time for x, p, time in held if p == "on"}  # the newest comes last
        expected += [(close, x, on[x]) for x in {x for x, p, _ in held if p == "heat"} & on.keys()]
    assert told == sorted(expected)


def test_a_stream_of_csparql_may_be_named_by_a_word() -> None:
    first = f"REGISTER STREAM hot AS {PREFIX}CONSTRUCT {{ ?x :is :hot }} {CSPARQL} {{ ?x :heat ?h }}"
    with Engine() as engine:
        engine.register(first, name="first", base="urn:x:/")
        engine.register(f"{PREFIX}SELECT ?x {{ STREAM <urn:x:/hot> {{ ?x :is :hot }} }}", name="second")
        send(engine, EVENTS)
        engine.finish()
        assert [(m.end // SECOND, str(m["x"])) for m in engine.matches("second")] == [
            (4, "urn:a"),
            (6, "urn:a"),
        ]


def test_cqels_tells_what_is_new_when_something_arrives() -> None:
    """Each STREAM has a window of its own; outside of them is the background."""
    text = "SELECT ?x { STREAM :s [RANGE 2s] { ?x :on ?l } STREAM :s [RANGE 4s] { ?x :heat ?h } }"
    assert found(text, [*EVENTS[:3], ("a", "on", "l", 4), ("b", "off", "l", 5), EVENTS[3]]) == ["4 a"]
    assert found("SELECT ?x { STREAM :s [NOW] { ?x :on ?l } }") == ["1 a", "3 b", "8 a"]
    assert found("SELECT ?x { STREAM :s [ALL] { ?x :on ?l } }") == ["1 a", "3 b"]
    assert found("SELECT ?x { STREAM :s [RANGE 4s SLIDE 4s] { ?x :on ?l } }") == ["1 a", "3 b"]
    assert found("SELECT ?x { STREAM :s [RANGE 4s] { ?x :on ?l } ?x :heat ?h }") == []
    with Engine() as engine:
        engine.register(f"{PREFIX}SELECT ?s ?x {{ STREAM ?s [RANGE 3s] {{ ?x :on ?l }} }}", name="q")
        send(engine, EVENTS[:1])
        send(engine, [("b", "on", "l", 2)], stream="t")
        engine.finish()
        assert list(rows(engine)) == ["1 s a", "2 t b"]


def test_sparqlstream_looks_back_from_now() -> None:
    """[NOW-4 S] without a step changes whenever something comes or goes."""
    text = "SELECT {} ?x FROM NAMED STREAM :s [NOW-4 S{}] {{ ?x :on ?l }}"
    assert found(text.format("ISTREAM", "")) == ["1 a", "3 b", "8 a"]  # a microsecond later
    assert found(text.format("RSTREAM", " TO NOW SLIDE 2 S")) == [
        "2 a", "4 a", "4 b", "6 b", "10 a", "12 a",
    ]  # fmt: skip
    assert found(text.format("ISTREAM", " TO NOW-2s STEP 2 S")) == ["4 a", "6 b", "12 a"]


def test_sparqlstream_begins_when_it_is_said() -> None:
    """From 2 on: the first full window is [2, 6), then [4, 8), [6, 10), [8, 12); a at 1 is in none."""
    start = "PRAGMA starting-at 1970-01-01T00:00:02Z\n"
    text = f"{start}{PREFIX}SELECT ?x FROM NAMED STREAM :s [NOW-4 S{{}}] {{{{ ?x :on ?l }}}}"
    assert given(text.format(" SLIDE 2 S")) == ["6 b", "10 a", "12 a"]
    assert given(text.format(" TO NOW SLIDE 3 S")) == ["6 b", "9 a", "12 a"]
    assert given("PRAGMA partial-windows on\n" + text.format(" SLIDE 2 S")) == ["4 b", "6 b", "10 a", "12 a"]
    assert given(text.format("").replace("SELECT", "SELECT ISTREAM")) == ["3 b", "8 a"]


def given(text: str, events: list[tuple[str, str, str, int]] = EVENTS, **options: str) -> list[str]:
    with Engine() as engine:
        engine.register(text, name="q", **options)
        send(engine, events)
        engine.finish()
        return list(rows(engine))


def test_a_dialect_can_be_said() -> None:
    """The words are those of RSP-QL, what they leave unsaid is that of C-SPARQL or of CQELS."""
    text = f"{PREFIX}SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE 4s STEP 2s] {{ WINDOW :w {{ ?x :on ?l }} }}"
    as_rspql, as_csparql = (
        ["2 a", "4 a", "4 b", "6 b", "8 a", "10 a"],
        ["2 a", "4 a", "4 b", "6 b", "10 a", "12 a"],
    )
    assert given(text) == given(text, language="rspql") == as_rspql
    assert given(text, language="csparql") == given(f"PRAGMA dialect csparql\n{text}") == as_csparql
    assert given(f"PRAGMA window-bounds closed-open\n{text}") == as_csparql
    assert given(f"PRAGMA dialect rspql\n{text}", language="csparql") == as_rspql
    assert given(text, language="cqels") == ["1 a", "3 b"]


def test_a_number_has_the_unit_that_is_said() -> None:
    text = f"PRAGMA time-unit PT1S\n{PREFIX}SELECT ?x FROM WINDOW ON :s [RANGE 4 STEP 2] {{ ?x :on ?l }}"
    assert given(text) == ["2 a", "4 a", "4 b", "6 b", "8 a", "10 a"]


def test_the_command_line_says_a_dialect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text(f"{PREFIX}SELECT ?x FROM WINDOW ON :s [RANGE 4s STEP 2s] {{ ?x :on ?l }}")
    Path("e.csv").write_text("start,s,p,o\n1970-01-01T00:00:02Z,<urn:a>,<urn:on>,<urn:l>\n")
    words = ["run", "q.rq", "--stream", "urn:s=e.csv", "--results", "csv"]
    assert cli.main(words) == 0
    assert capfd.readouterr().out.count("urn:a") == 2
    assert cli.main([*words, "--dialect", "cqels"]) == 0
    assert capfd.readouterr().out.count("urn:a") == 1
    assert cli.main(["check", "q.rq", "--dialect", "csparql"]) == 0


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("EP220", f"SELECT ?x {CSPARQL} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP220", f"SELECT ?x {CSPARQL} {{ STREAM :s [NOW] {{ ?x :on ?l }} }}"),
        ("EP218", "SELECT ?x FROM STREAM :s [RANGE 4s] { ?x :on ?l }"),
        ("EP201", "SELECT ?x { STREAM ?s [TRIPLES 2] { ?x :on ?l } }"),
        ("EP201", f"{F}SELECT ?x {{ ?x :on ?l FILTER (f:timestamp(?x, :on, ?l) > 3) }}"),
        ("EP201", f"{F}SELECT ?x {CSPARQL} {{ ?x :on ?l FILTER (f:timestamp(?x, :on, ?z) > 3) }}"),
        (
            "EP201",
            f"{F}SELECT * {CSPARQL} {{ ?x :on ?l OPTIONAL {{ ?y :on ?l FILTER ({WHEN} > 3) }} }}",
        ),
        ("EP203", f"{F}SELECT ?x {CSPARQL} {{ ?x :on ?l FILTER (f:timestamp(?x, :on) > 3) }}"),
        ("EP203", f"{F}SELECT ?x {CSPARQL} {{ ?x :on ?l FILTER (f:timestamp(?x, :on, STR(?l)) > 3) }}"),
        ("EP201", "SELECT ?x { STREAM :s [NOW] { ?x :on ?l } STREAM :s { ?x :heat ?h } }"),
        ("EP204", f"PRAGMA dialect sql\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"),
        ("EP204", f"PRAGMA window-bounds open\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"),
        ("EP204", f"PRAGMA partial-windows yes\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"),
        ("EP204", f"PRAGMA time-unit PT0S\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"),
        ("EP204", f"PRAGMA starting-at noon\n{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}"),
        ("EP204", f"PRAGMA dialect rspql\n{PREFIX}SELECT ?x {{ ?x :on ?l }}"),
    ],
)
def test_what_cannot_be_run_is_refused(code: str, text: str) -> None:
    with pytest.raises(CompileError) as caught, Engine() as engine:
        engine.register(text if text.startswith("PRAGMA") else PREFIX + text, name="q")
    assert caught.value.code == code, str(caught.value)


def test_one_stream_of_several_is_seen() -> None:
    """A stream that no window is on is not seen, nor are events that name none."""
    with Engine() as engine:
        engine.register(f"{PREFIX}SELECT ?x {CSPARQL} {{ ?x :on ?l }}", name="q")
        send(engine, [("a", "on", "l", 1)], stream="t")
        engine.send(URIRef("urn:b"), URIRef("urn:on"), URIRef("urn:l"), SECOND)
        engine.finish()
        assert list(rows(engine)) == []


def test_the_default_graph_costs_an_event_as_much_as_a_window_with_a_name() -> None:
    """Where no background matches, a pattern of the default graph is one of its windows."""

    def inferences(text: str) -> int:
        with Engine() as engine:
            engine.register(PREFIX + text, name="q")
            events = [(f"x{n // 2}", "on" if n % 2 else "heat", "l", n) for n in range(1, 1000)]
            send(engine, events[:500])
            engine.advance(500 * SECOND)

            def second_half() -> None:
                send(engine, events[500:])
                engine.advance(1000 * SECOND)

            return steps_of(second_half)

    extent, body = "[RANGE 100s STEP 400s]", "{ ?x :on ?l . ?x :heat ?h }"
    named = inferences(f"SELECT ?x FROM NAMED WINDOW :w ON :s {extent} {{ WINDOW :w {body} }}")
    assert inferences(f"SELECT ?x FROM STREAM :s {extent} {body}") < 1.05 * named
