"""Queries with windows on streams at work: what windows hold, what is given when, snapshots, what is refused.

Seconds; RANGE 4, STEP 2: an event at 3 is in the windows that close at 4 and 6.

    0     2     4     6     8
             3
       (0 ....... 4]
             (2 ....... 6]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from rdflib import URIRef

from etalis_py import Engine, Match
from etalis_py.core.errors import CompileError
from tests.engine.counting import in_prolog, steps_of

SECOND = 1_000_000
PREFIX = "PREFIX : <urn:>\n"
WINDOW = "FROM NAMED WINDOW :w ON :s [RANGE PT4S STEP PT2S]"
EVENT = "EVENT ON :w { ?x :on ?l } AS A"
EVENTS = [("a", "on", "l", 1), ("b", "on", "l", 3), ("a", "heat", "h", 3), ("a", "on", "l", 8)]


def send(engine: Engine, events: Iterable[tuple[str, str, str, int]], stream: str = "s") -> None:
    for s, p, o, time in events:
        engine.send(
            URIRef(f"urn:{s}"), URIRef(f"urn:{p}"), URIRef(f"urn:{o}"), time * SECOND,
            stream=URIRef(f"urn:{stream}"),
        )  # fmt: skip


def rows(engine: Engine) -> Iterator[str]:
    """Each answer: the second at which it is given, and its values."""
    for match in engine.matches():
        assert match.start == match.end
        values = " ".join(str(value).removeprefix("urn:") for value in match.values)
        yield f"{match.end // SECOND} {values}"


def found(text: str, events: Iterable[tuple[str, str, str, int]] = EVENTS, **options: object) -> list[str]:
    with Engine(**options) as engine:
        engine.register(PREFIX + text, name="q")
        send(engine, events)
        engine.finish()
        return list(rows(engine))


def test_each_closing_gives_what_the_window_holds() -> None:
    text = f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"
    assert found(text) == ["2 a", "4 a", "4 b", "6 b", "8 a", "10 a"]


@pytest.mark.parametrize(
    "pattern",
    [
        "BIND (SECONDS(getWINDOWEND(:w)) AS ?end) WINDOW :w { ?x :heat ?h }",
        "WINDOW :w { ?x :heat ?h } { :a :b :c BIND (SECONDS(getWINDOWEND(:w)) AS ?end) }",
        "WINDOW :w { ?x :heat ?h } { SELECT (SECONDS(MAX(?e)) AS ?end) { BIND (getWINDOWEND(:w) AS ?e) } }",
        "WINDOW :w { ?x :heat ?h } OPTIONAL { VALUES ?end { 4 6 } FILTER (SECONDS(NOW()) = ?end) }",
    ],
)
def test_ends_of_windows_beside_what_is_known(pattern: str, tmp_path: Path) -> None:
    known = tmp_path / "known.ttl"
    known.write_text("<urn:a> <urn:b> <urn:c> .")
    text = f"SELECT (IF(?end = 4, :first, :second) AS ?which) ?x {WINDOW} {{ {pattern} }}"
    assert found(text, background=[str(known)]) == ["4 first a", "6 second a"]


def test_new_and_gone() -> None:
    text = f"SELECT ISTREAM ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"
    assert found(text) == ["2 a", "4 b", "8 a"]
    assert found(text.replace("ISTREAM", "DSTREAM")) == ["6 a", "8 b", "12 a"]


def test_lives_that_touch_are_one() -> None:
    """The same triple at 1 and at 4: in the windows of 2, 4 and 6, 8, so never new in between."""
    events = [("a", "on", "l", 1), ("a", "on", "l", 4)]
    text = f"SELECT ISTREAM ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"
    assert found(text, events) == ["2 a"]
    assert found(text.replace("ISTREAM", "DSTREAM"), events) == ["8 a"]


def test_windows_of_several_widths_and_streams() -> None:
    """Heat of the last second beside what is on for four: only at 4 are both there."""
    text = f"""SELECT ?x {WINDOW} FROM NAMED WINDOW :v ON :t [RANGE PT1S STEP PT1S]
        {{ WINDOW :w {{ ?x :on ?l }} WINDOW :v {{ ?x :heat ?h }} }}"""
    with Engine() as engine:
        engine.register(PREFIX + text, name="q")
        send(engine, EVENTS[:1])
        send(engine, [("a", "heat", "h", 2)], stream="t")
        engine.finish()
        assert list(rows(engine)) == ["2 a"]


def test_a_window_between_two_steps_is_in_none() -> None:
    """RANGE 1 STEP 4: (3, 4] and (7, 8]."""
    text = "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE PT1S STEP PT4S] { WINDOW :w { ?x :on ?l } }"
    assert found(text) == ["8 a"]


def test_without_steps_every_says_when() -> None:
    """STARTING AT in the REGISTER line is that of the windows, too: what ended at 1 or before is in none."""
    text = """REGISTER RSTREAM :out EVERY PT3S STARTING AT 1000000 AS
        SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE PT4S] { WINDOW :w { ?x :on ?l } }"""
    assert found(text) == ["4 b", "10 a"]


def test_when_a_window_begins_and_ends() -> None:
    window = WINDOW.replace("]", ' STARTING AT "1970-01-01T00:00:01Z"]')
    text = f"""SELECT ?x (SECONDS(getWINDOWSTART(:w)) AS ?from) (SECONDS(getWINDOWEND(:w)) AS ?to)
        {window} {{ WINDOW :w {{ ?x :on ?l }} FILTER (SECONDS(getWINDOWEND(:w)) > 5) }}"""
    with Engine() as engine:
        engine.register(PREFIX + text, name="q")
        send(engine, EVENTS)
        engine.finish()
        shown = [(str(m["x"]), int(m["from"]), int(m["to"])) for m in engine.matches()]
    assert shown == [("urn:a", 5, 9), ("urn:a", 7, 11)]


def test_what_is_not_there_at_an_instant() -> None:
    """Beside what is on: heat at 3 is in the windows of 4 and 6."""
    heat = "{ WINDOW :w { ?x :heat ?h } }"
    on = f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }}"
    assert found(f"{on} OPTIONAL {heat} }}".replace("?x FROM", "?x ?h FROM")) == [
        "2 a None", "4 a h", "4 b None", "6 b None", "8 a None", "10 a None",
    ]  # fmt: skip
    without = ["2 a", "4 b", "6 b", "8 a", "10 a"]
    assert found(f"{on} MINUS {heat} }}") == without
    assert found(f"{on} FILTER NOT EXISTS {heat} }}") == without
    assert found(f"{on} FILTER EXISTS {heat} }}") == ["4 a"]


def test_silence_by_windows_of_the_past() -> None:
    """On five to four seconds ago, and no heat since: b is told at 7, though nothing happens then."""
    text = """REGISTER ISTREAM :late EVERY 1s AS SELECT ?x
        FROM NAMED WINDOW :due ON :s [NOW-PT5S TO NOW-PT4S] FROM NAMED WINDOW :near ON :s [RANGE PT5S]
        { WINDOW :due { ?x :on ?l } FILTER NOT EXISTS { WINDOW :near { ?x :heat ?h } } }"""
    assert found(text, EVENTS[:3]) == ["7 b"]


def test_aggregates_of_an_instant() -> None:
    text = f"SELECT ?l (COUNT(?x) AS ?n) {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }} GROUP BY ?l"
    counts = [(m.end // SECOND, int(m["n"])) for m in _matches(text)]
    assert counts == [(2, 1), (4, 2), (6, 1), (8, 1), (10, 1)]


def test_a_row_for_nothing() -> None:
    """From the first event on, to the first instant at which all windows are empty; also in silence."""
    counted = f"(COUNT(?x) AS ?n) {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"

    def counts(text: str) -> list[tuple[int, int]]:
        return [(m.end // SECOND, int(m["n"])) for m in _matches(text)]

    every = [(2, 1), (4, 2), (6, 1), (8, 1), (10, 1), (12, 0)]
    assert counts(f"SELECT {counted}") == every
    assert counts(f"REGISTER RSTREAM :o REPORT NONEMPTY AS SELECT {counted}") == every[:-1]
    assert counts(f"SELECT ISTREAM {counted}") == [(2, 1), (4, 2), (6, 1), (12, 0)]
    later = [("a", "heat", "h", 4), ("a", "on", "l", 11)]
    with Engine() as engine:
        engine.register(PREFIX + f"SELECT {counted}", name="q")
        send(engine, later)
        engine.finish()
        assert [(m.end // SECOND, int(m["n"])) for m in engine.matches()] == [
            (4, 0), (6, 0), (8, 0), (10, 0), (12, 1), (14, 1), (16, 0),
        ]  # fmt: skip


def test_instants_at_which_all_windows_are_empty_may_not_count() -> None:
    """The windows of 4 and 20 have a, and none between holds anything: nothing is new, nothing is gone."""
    events = [("a", "on", "l", 1), ("a", "on", "l", 20), ("b", "on", "l", 21)]
    text = f"REGISTER {{}} :o{{}} AS SELECT ?x {WINDOW} {{{{ WINDOW :w {{{{ ?x :on ?l }}}} }}}}"
    assert found(text.format("ISTREAM", ""), events) == ["2 a", "20 a", "22 b"]
    assert found(text.format("ISTREAM", " REPORT NONEMPTY"), events) == ["2 a", "22 b"]
    assert found(text.format("DSTREAM", ""), events) == ["6 a", "24 a", "26 b"]
    assert found(text.format("DSTREAM", " REPORT NONEMPTY"), events) == ["24 a"]


def test_background_alone_is_there_at_each_evaluation(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text("@prefix : <urn:> . :a :kind :k . :b :kind :k .\n")
    text = f"SELECT ?x ?l {WINDOW} {{ ?x :kind :k OPTIONAL {{ WINDOW :w {{ ?x :on ?l }} }} }}"
    assert found(text, EVENTS[:1], background=[tmp_path / "b.ttl"]) == [
        "2 a l", "2 b None", "4 a l", "4 b None", "6 a None", "6 b None",
    ]  # fmt: skip


def test_what_changes_is_known_when_it_comes_and_when_it_goes() -> None:
    """RANGE 4 without steps: a is there from 1 to 5, b from 3 to 7, a again from 8 to 12."""
    text = "SELECT ISTREAM ?x FROM NAMED WINDOW :w ON :s [RANGE PT4S] { WINDOW :w { ?x :on ?l } }"
    assert found(text) == ["1 a", "3 b", "8 a"]
    assert found(text.replace("ISTREAM", "DSTREAM")) == ["5 a", "7 b", "12 a"]
    assert found(text.replace("ISTREAM", "RSTREAM")) == ["1 a", "3 a", "3 b", "5 b", "8 a"]
    arrival = f"REGISTER RSTREAM :o REPORT ARRIVAL AS {text.replace('ISTREAM', '')}"
    assert found(arrival) == ["1 a", "3 a", "3 b", "8 a"]


def test_a_window_with_steps_is_looked_at_before_it_closes() -> None:
    """RANGE 4 STEP 4, (0, 4] and (4, 8]: what came so far in the one that is open."""
    window = WINDOW.replace("STEP PT2S", "STEP PT4S")
    text = f"REGISTER RSTREAM :o REPORT CHANGE AS SELECT ?x {window} {{ WINDOW :w {{ ?x :on ?l }} }}"
    assert found(text) == ["1 a", "3 a", "3 b", "8 a"]


def test_windows_that_are_never_empty_again() -> None:
    """After the last event there is one more evaluation."""
    text = """REGISTER RSTREAM :o EVERY 3s AS SELECT ?x FROM NAMED WINDOW :w ON :s [{}]
        {{ WINDOW :w {{ ?x :on ?l }} }}"""
    assert found(text.format("RANGE UNBOUNDED")) == ["3 a", "3 b", "6 a", "6 b", "9 a", "9 b"]
    assert found(text.format("LND 2000000")) == ["3 b", "6 b", "9 a", "9 b"]
    assert found(text.format("NOW")) == ["3 b"]


def test_windows_of_so_many_elements_or_triples() -> None:
    """Elements end at 1, 3 (two triples) and 8."""
    text = "SELECT RSTREAM ?x FROM NAMED WINDOW :w ON :s [{}] {{ WINDOW :w {{ ?x :on ?l }} }}"
    assert found(text.format("ELEMENTS 1")) == ["1 a", "3 b", "8 a"]
    assert found(text.format("ROWS 2")) == ["1 a", "3 a", "3 b", "8 a", "8 b"]
    assert found(text.format("TRIPLES 1")) == ["1 a", "3 b", "8 a"]
    assert found(text.format("TRIPLES 2")) == ["1 a", "3 b", "8 a", "8 b"]
    heat = "SELECT ?x FROM WINDOW ON :s [ELEMENTS 2] { ?x :on ?l ; :heat ?h }"
    assert found(heat) == ["3 a", "8 a"]
    every = (
        "REGISTER RSTREAM :o EVERY 2s AS SELECT (COUNT(?x) AS ?n) FROM WINDOW ON :s [TRIPLES 3] { ?x ?p ?l }"
    )
    assert [(m.end // SECOND, int(m["n"])) for m in _matches(every)] == [(2, 1), (4, 3), (6, 3), (8, 3)]


def test_samples_and_joined_texts_go_by_the_order_of_terms() -> None:
    """However the matches came: those that leave are taken out wherever they are in it."""
    aggregates = "(SAMPLE(?l) AS ?one) (GROUP_CONCAT(?l ; SEPARATOR='+') AS ?all)"
    text = f"SELECT ISTREAM {aggregates} FROM WINDOW ON :s [RANGE 4s] {{ ?x :on ?l }} GROUP BY ?p"
    events = [("a", "on", "m", 1), ("b", "on", "k", 2), ("c", "on", "n", 3), ("d", "on", "m", 4)]
    given = [(m.end // SECOND, str(m["one"]), str(m["all"])) for m in _matches(text, events)]
    assert [(time, one[4:], joined.replace("urn:", "")) for time, one, joined in given] == [
        (1, "m", "m"), (2, "k", "k+m"), (3, "k", "k+m+n"), (4, "k", "k+m+m+n"),
        (5, "k", "k+m+n"), (6, "m", "m+n"), (7, "m", "m"),
    ]  # fmt: skip


def test_what_is_new_at_an_instant_comes_in_order() -> None:
    events = [("b", "on", "l", 1), ("c", "on", "l", 1), ("a", "on", "l", 1), ("d", "on", "l", 3)]
    text = f"SELECT ISTREAM ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }} ORDER BY DESC(?x)"
    assert found(text, events) == ["2 c", "2 b", "2 a", "4 d"]
    assert found(text.replace("DESC(?x)", "DESC(STR(?x))"), events) == ["2 c", "2 b", "2 a", "4 d"]


def test_a_variable_stands_for_each_window() -> None:
    two = f"{WINDOW} FROM NAMED WINDOW :v ON :s [RANGE PT2S STEP PT2S]"
    assert found(f"SELECT ?w ?x {two} {{ WINDOW ?w {{ ?x :on ?l }} }}", EVENTS[:2]) == [
        "2 v a", "2 w a", "4 v b", "4 w a", "4 w b", "6 w b",
    ]  # fmt: skip


def test_a_graph_in_a_window_is_an_element() -> None:
    """Both triples of g come at 1, those of h at 1 and 3: never in one element."""
    text = f"SELECT ?g ?x {WINDOW} {{ WINDOW :w {{ GRAPH ?g {{ ?x :on ?l ; :heat ?h }} }} }}"
    with Engine() as engine:
        engine.register(PREFIX + text, name="q")
        for graph, predicate, time in (("g", "on", 1), ("g", "heat", 1), ("h", "on", 1), ("h", "heat", 3)):
            triple = (URIRef("urn:a"), URIRef(f"urn:{predicate}"), URIRef("urn:l"))
            engine.send(*triple, time * SECOND, stream=URIRef("urn:s"), graph=URIRef(f"urn:{graph}"))
        engine.finish()
        assert list(rows(engine)) == ["2 g a", "4 g a"]


def test_an_evaluation_says_yes_or_no() -> None:
    text = f"ASK {WINDOW} {{ WINDOW :w {{ ?x :heat ?h }} }}"
    told = [(m.end // SECOND, m["boolean"].toPython()) for m in _matches(text)]
    assert told == [(2, False), (4, True), (6, True), (8, False), (10, False), (12, False)]
    told = [(m.end // SECOND, m["boolean"].toPython()) for m in _matches(f"REGISTER ISTREAM :o AS {text}")]
    assert told == [(2, False), (4, True), (8, False)]


def test_paths_are_walked_at_each_instant() -> None:
    """(2, 6] has b c d, and the step from a is gone."""
    events = [("a", "on", "b", 1), ("b", "on", "c", 3), ("c", "on", "d", 5)]
    text = f"SELECT ?x ?y {WINDOW} {{ WINDOW :w {{ ?x :on+ ?y }} }}"
    assert found(text, events) == ["2 a b", "4 a b", "4 a c", "4 b c", "6 b c", "6 b d", "6 c d", "8 c d"]


@pytest.mark.parametrize("way", [nullcontext, in_prolog])
def test_a_walk_is_new_where_there_was_none_just_before(
    way: Callable[[], AbstractContextManager[None]],
) -> None:
    """Lives of steps, and what is told: the step from a touches itself at 5, the one from b has a gap.

    ::

        a on b   [1 ... 5 ... 9)
        b on c    [2 .. 6) [7 ... 11)
    """
    events = [("a", "on", "b", 1), ("b", "on", "c", 2), ("a", "on", "b", 5), ("b", "on", "c", 7)]
    text = "SELECT ISTREAM ?x ?y FROM NAMED WINDOW :w ON :s [RANGE PT4S] WHERE { WINDOW :w { ?x :on+ ?y } }"
    with way():
        assert found(text, events) == ["1 a b", "2 a c", "2 b c", "7 a c", "7 b c"]
        one = text.replace("?x :on+", ":a :on+").replace("?x ?y", "?y")
        assert found(one, events) == ["1 b", "2 c", "7 c"]


@pytest.mark.parametrize("way", [nullcontext, in_prolog])
def test_a_walk_of_which_another_way_goes_on_is_not_new(
    way: Callable[[], AbstractContextManager[None]],
) -> None:
    """From a to c by b in [2, 5) and by d in [4, 7), and again by b from 6 on; then it is there until 10."""
    events = [
        *(("a", "on", "b", 1), ("b", "on", "c", 2), ("a", "on", "d", 3), ("d", "on", "c", 4)),
        *(("a", "on", "b", 6), ("b", "on", "c", 6), ("d", "on", "a", 9)),
    ]
    text = "SELECT ISTREAM ?y FROM NAMED WINDOW :w ON :s [RANGE PT4S] WHERE { WINDOW :w { :a :on+ ?y } }"
    with way():
        assert found(text, events) == ["1 b", "2 c", "3 d", "6 b"]


def test_paths_of_no_step_stay_at_what_the_window_holds() -> None:
    """(0, 4] has a, b and c, (2, 6] b, c and d, (4, 8] c and d."""
    events = [("a", "on", "b", 1), ("b", "on", "c", 3), ("c", "on", "d", 5)]
    text = f"SELECT ?x ?y {WINDOW} {{ WINDOW :w {{ ?x :on? ?y }} }}"
    assert found(text, events)[:8] == [
        *("2 a a", "2 a b", "2 b b"),
        *("4 a a", "4 a b", "4 b b", "4 b c", "4 c c"),
    ]
    text = f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on* :d }} }}"
    assert found(text, events) == ["2 d", "4 d", "6 b", "6 c", "6 d", "8 c", "8 d", "10 d"]
    text = f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on* ?x }} }}"
    assert found(text, events) == ["2 a", "2 b", "4 a", "4 b", "4 c", "6 b", "6 c", "6 d", "8 c", "8 d"]


def _matches(text: str, events: Iterable[tuple[str, str, str, int]] = EVENTS) -> list[Match]:
    with Engine() as engine:
        engine.register(PREFIX + text, name="q")
        send(engine, events)
        engine.finish()
        return list(engine.matches())


def test_background_is_joined_with_what_it_entails(tmp_path: Path) -> None:
    (tmp_path / "b.ttl").write_text(
        "@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":on rdfs:subPropertyOf :is . :a :kind :k . :b :on :l .\n"
    )
    text = f"SELECT ?x {WINDOW} {{ ?x :kind :k . WINDOW :w {{ ?x :is ?l }} }}"
    assert found(text, background=[tmp_path / "b.ttl"]) == ["2 a", "4 a", "8 a", "10 a"]


def test_what_a_registered_construct_gives_is_a_stream_for_others() -> None:
    """At 4 both queries are evaluated, and the second sees what the first gives at that instant."""
    first = f"REGISTER RSTREAM :out AS CONSTRUCT {{ ?x :warm ?l }} {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"
    second = """SELECT ?x FROM NAMED WINDOW :v ON :out [RANGE PT1S STEP PT4S] { WINDOW :v { ?x :warm ?l } }"""
    plain = "SELECT ?x { STREAM :out { ?x :warm ?l } }"
    into = first.replace("REGISTER RSTREAM :out AS CONSTRUCT", "CONSTRUCT STREAM :out")
    for made in (first, into):
        with Engine() as engine:
            for name, text in (("first", made), ("second", second), ("plain", plain)):
                engine.register(PREFIX + text, name=name)
            send(engine, EVENTS[:2])
            engine.finish()
            given = [(m.query, m.end // SECOND, str(m["x"])) for m in engine.matches() if m.query != "first"]
        assert [(end, x) for name, end, x in given if name == "second"] == [(4, "urn:a"), (4, "urn:b")]
        assert [end for name, end, _ in given if name == "plain"] == [2, 4, 4, 6]


def test_a_stream_is_seen_through_windows_only() -> None:
    """Patterns outside of WINDOW are of the background."""
    assert found(f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} ?x :heat ?h }}") == []


def test_silence_is_evaluated_when_time_passes() -> None:
    with Engine() as engine:
        engine.register(PREFIX + f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}", name="q")
        send(engine, EVENTS[:1])
        assert list(rows(engine)) == []
        engine.advance(2 * SECOND + 1)
        assert list(rows(engine)) == ["2 a"]
        engine.advance(10**9 * SECOND)  # nothing is kept any more, and nothing is looked at
        assert list(rows(engine)) == ["4 a"]


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("kind", ["RSTREAM", "ISTREAM", "DSTREAM"])
def test_the_state_goes_on_in_another_engine(kind: str, changes: bool) -> None:
    window = WINDOW.replace(" STEP PT2S", "") if changes else WINDOW
    text = f"SELECT {kind} ?x {window} {{ WINDOW :w {{ ?x :on ?l . ?l :near ?m }} }}"
    goes_on(text, [("a", "on", "l", 1), ("l", "near", "m", 2), ("b", "on", "l", 3), ("l", "near", "n", 6)])


@pytest.mark.parametrize("kind", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize("window", ["ELEMENTS 2", "TRIPLES 2", "RANGE 3s"])
@pytest.mark.parametrize("when", ["EVERY 2s", "REPORT ARRIVAL NONEMPTY"])
def test_samples_and_the_newest_go_on_in_another_engine(kind: str, window: str, when: str) -> None:
    text = f"""REGISTER {kind} :o {when} AS
        SELECT (SAMPLE(?l) AS ?one) (GROUP_CONCAT(?l) AS ?all) (MAX(?x) AS ?m)
        FROM NAMED WINDOW :w ON :s [{window}] {{ WINDOW :w {{ ?x :on ?l }} }} GROUP BY ?p"""
    rest = [("a", "on", "k", 3), ("c", "on", "n", 4), ("a", "on", "n", 8)]
    events = [("a", "on", "m", 1), ("b", "on", "k", 3), *rest]
    goes_on(text, events)


def goes_on(text: str, events: list[tuple[str, str, str, int]]) -> None:
    expected = found(text, events)
    assert len(expected) > 1
    for cut in range(len(events) + 1):
        with Engine() as first, Engine() as second:
            for engine in (first, second):
                engine.register(PREFIX + text, name="q")
            send(first, events[:cut])
            before = list(rows(first))
            second.restore([first.snapshot()])
            first.discard()
            send(second, events[cut:])
            second.finish()
            assert before + list(rows(second)) == expected


def test_a_query_that_leaves_is_evaluated_no_more() -> None:
    with Engine() as engine:
        engine.register(PREFIX + f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}", name="first")
        engine.register(PREFIX + f"SELECT ISTREAM ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}", name="second")
        send(engine, EVENTS[:2])
        engine.unregister("first")
        send(engine, EVENTS[2:])
        engine.finish()
        assert [(m.query, m.end // SECOND) for m in engine.matches()] == [
            ("first", 2), ("second", 2), ("second", 4), ("second", 8),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "step"),
    [("", "STEP 100000s"), ("ISTREAM", "STEP 1s"), ("DSTREAM", "STEP 1s"), ("ISTREAM", ""), ("DSTREAM", "")],
)
def test_an_event_costs_the_same_whatever_the_length_of_the_window(given: str, step: str) -> None:
    """A thousand elements in the window, or ten: a join by key, and what changes, cost as many inferences."""
    text = f"""SELECT {given} ?x FROM NAMED WINDOW :w ON :s [RANGE 10s {step}]
        {{ WINDOW :w {{ ?x :on ?l . ?x :heat ?h }} }}"""
    assert inferences(text.replace("10s", "1000s")) < 1.2 * inferences(text)


def inferences(text: str) -> int:
    """Those of two thousand events, when as many have come."""
    with Engine() as engine:
        engine.register(PREFIX + text, name="q")
        events = [(f"x{n // 2}", "on" if n % 2 else "heat", "l", n) for n in range(4000)]
        send(engine, events[:2000])
        engine.advance(2000 * SECOND)

        def second_half() -> None:
            send(engine, events[2000:])
            engine.advance(4000 * SECOND)

        return steps_of(second_half)


@pytest.mark.parametrize(
    ("window", "shows"),
    [
        ("ELEMENTS 10", "?x ?l"),
        ("TRIPLES 10", "?x"),
        ("ELEMENTS 10", "(COUNT(*) AS ?n)"),
        ("RANGE 10s", "?x (SAMPLE(?l) AS ?a)"),
        ("RANGE 10s", "?x (GROUP_CONCAT(?l) AS ?a)"),
    ],
)
@pytest.mark.parametrize("report", ["CHANGE", "CHANGE NONEMPTY"])
def test_what_changes_costs_the_same_however_much_is_held(window: str, shows: str, report: str) -> None:
    grouped = "GROUP BY ?x" if "?x (" in shows else ""
    text = f"""REGISTER ISTREAM :o REPORT {report} AS SELECT {shows} FROM NAMED WINDOW :w ON :s [{window}]
        {{ WINDOW :w {{ ?x :on ?l }} }} {grouped}"""
    assert inferences(text.replace("10", "1000")) < 1.2 * inferences(text)


S = "FROM STREAM :s [RANGE 4s STEP 2s]"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("EP217", f"SELECT ?x {WINDOW} {{ WINDOW :v {{ ?x :on ?l }} }}"),
        ("EP217", f"SELECT ?x {WINDOW} {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP217", f"SELECT (getWINDOWEND(:v) AS ?e) {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP217", f"SELECT (getWINDOWEND(?x) AS ?e) {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP218", "REGISTER RSTREAM :o REPORT CLOSE AS SELECT * FROM NAMED WINDOW :w ON :s [RANGE 4s] {}"),
        ("EP210", f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}".replace("PT2S", "PT0S")),
        ("EP210", f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}".replace("PT4S", "4")),
        ("EP213", f"SELECT ?x {WINDOW} {{ WINDOW :w {{ WINDOW :w {{ ?x :on ?l }} }} }}"),
        ("EP212", f"PRAGMA policy recent {PREFIX} SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP201", f"SELECT ?x {WINDOW} {{ {{ WINDOW :w {{ ?x :on ?l }} }} SEQ {{ ?x :heat ?h }} }}"),
        ("EP201", f"REGISTER STREAM :o AS CONSTRUCT STREAM :p {{}} {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP213", f"SELECT ?x {WINDOW} {{ WINDOW :w {{ GRAPH ?g {{ ?x :on+ ?l }} }} }}"),
        ("EP201", f"SELECT ?x {WINDOW} {{ STREAM :s {{ ?x :on ?l }} }}"),
        ("EP217", "SELECT ?x FROM WINDOW ON :s [RANGE 4s] { WINDOW ?w { ?x :on ?l } }"),
        ("EP217", "SELECT ISTREAM ?x { ?x :on ?l }"),
        ("EP217", "SELECT ?x { WINDOW :w { ?x :on ?l } }"),
        ("EP217", f"SELECT ?x {WINDOW} {{ GRAPH :w {{ ?x :on ?l }} }}"),
        ("EP217", f"SELECT ?x {WINDOW} {EVENT} {EVENT} {{ MATCH {{ A }} }}"),
        ("EP217", "SELECT ?x { STREAM s { ?x :on ?l } }"),
        ("EP217", f"SELECT ?x {S} FROM STREAM :s [RANGE 9s STEP 2s] {{ STREAM :s {{ ?x :on ?l }} }}"),
        ("EP201", f"SELECT ?x {S} {{ STREAM :t {{ ?x :on ?l }} }}"),
        ("EP218", "SELECT ?x FROM STREAM :s [RANGE 4s] { STREAM :s { ?x :on ?l } }"),
        ("EP201", f"REGISTER ISTREAM :o AS SELECT DSTREAM ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} }}"),
        ("EP213", f"SELECT ?x {WINDOW} {{ WINDOW :w {{ ?x :on ?l }} WITHIN PT3S }}"),
        ("EP201", f"REGISTER RSTREAM :o EVERY 1s REPORT CLOSE AS SELECT * {WINDOW} {{}}"),
        ("EP201", "SELECT * FROM NAMED WINDOW :w ON :s [TRIPLES 4] { WINDOW :w { GRAPH ?g { ?x :on ?l } } }"),
        ("EP210", "SELECT * FROM NAMED WINDOW :w ON :s [NOW-PT1S TO NOW-PT2S] { WINDOW :w { ?x :on ?l } }"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_refused(code: str, text: str) -> None:
    with pytest.raises(CompileError) as caught, Engine() as engine:
        engine.register(text if text.startswith("PRAGMA") else PREFIX + text, name="q")
    assert caught.value.code == code, str(caught.value)


@pytest.mark.parametrize("to_stream", ["RSTREAM", "ISTREAM", "DSTREAM"])
@pytest.mark.parametrize("chosen", ["?x ?l", "?x"])
def test_what_a_row_is_made_of(to_stream: str, chosen: str) -> None:
    """A trace changes no answer, and leads to the events, also where changes are told."""
    text = f"{PREFIX}SELECT {to_stream} {chosen} {WINDOW} {{ WINDOW :w {{ ?x :on ?l FILTER (?x != :b) }} }}"
    assert found(text[len(PREFIX) :], trace=True) == found(text[len(PREFIX) :])
    with Engine(trace=True) as engine:
        engine.register(text, name="q")
        send(engine, EVENTS)
        engine.finish()
        for match in engine.matches():
            [event] = engine.why(match).events
            assert event.triple is not None
            assert event.triple[0] == match.values[0]
