"""RSEP-QL's events in windows: each example of the paper, and the engine against the oracle at random."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from rdflib import URIRef

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import CompileError
from etalis_py.engine.engine import Engine
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.events import EventMapping, Mappings
from tests.oracle.examples import Example, Send
from tests.oracle.running import open_engine
from tests.oracle.test_windowed import FIGURE_1, found, us
from tests.oracle.test_windowed_agrees import LONG, check, expected_rows, given_by_engines
from tests.oracle.windowed_texts import make_events_example

DECLARED = f"""FROM NAMED :S WIN [LND 1] AS :w1
    FROM NAMED :S WIN [RANGE {us(5)} STARTING AT 0] AS :w2
    EVENT ON :w1 {{ ?x :p ?y . }} AS E1
    EVENT ON :w2 {{ ?y :q ?z . }} AS E2"""
AT_8 = f"REGISTER RSTREAM :o EVERY {us(2)} STARTING AT 8 AS"
SEQUENCE = "MATCH { E1 SEQ E2 }"
A1, A2 = "a1 b1 c1", "a2 b2 c2"


def rows(
    files: list[Path],
    match: str = SEQUENCE,
    *,
    declared: str = DECLARED,
    register: str = AT_8,
    pragma: str = "",
) -> dict[int, list[str]]:
    """The rows of the oracle on Figure 1, by instant; the engine has the same."""
    text = f"{register} SELECT ?x ?y ?z {declared} WHERE {{ {match} }}"
    query = f"{pragma}\nPREFIX : <urn:>\n{text}"
    order = sorted(FIGURE_1, key=lambda each: each.interval[1])
    sent = Send(
        tuple((each.triple, each.interval) for each in order), tuple((each.stream, None) for each in order)
    )
    check(Example((query,), (sent,), None, entails=False), files)
    return found(text, FIGURE_1, pragma=pragma)


def mappings(event: str, selection: str = "unrestricted") -> set[tuple[str, int, int]]:
    """The event mappings of Figure 1 at 8."""
    query = parse(f"PREFIX : <urn:> SELECT * {DECLARED} WHERE {{ MATCH {{ {event} }} }}")
    (match,) = query.form.where.elements

    def basic(written: object) -> list[EventMapping]:
        predicate, subject, target = ("p", "x", "y") if ":p" in text_of(written) else ("q", "y", "z")
        oldest = 1 if predicate == "p" else 4
        return [
            EventMapping(frozenset({(subject, each.triple[0]), (target, each.triple[2])}), each.interval)
            for each in FIGURE_1
            if each.triple[1] == f"urn:{predicate}" and oldest <= each.interval[1] <= 8
        ]

    def text_of(written: object) -> str:
        return query.text[written.span.start : written.span.end]

    return {
        (" ".join(str(value).removeprefix("urn:") for _, value in sorted(each.values)), *each.interval)
        for each in Mappings(basic, lambda *_: True, selection).of(match.event)
    }


def test_examples_2_and_6_windows_hold_what_ended_in_them(backgrounds: list[Path]) -> None:
    """At 8 the landmark has G1 to G4, the window of five G2 to G4; at 12 it has G4 and G5, three triples."""
    of_1, of_5 = "a1 b1 p", ["a2 b2 p", "a3 b3 p", "b1 c1 q", "b2 c2 q"]
    assert rows(backgrounds, "WINDOW :w1 { ?x ?z ?y }")[8] == [of_1, *of_5]
    declared = f"FROM NAMED :S WIN [RANGE {us(5)} STARTING AT 0] AS :w2"
    window = rows(backgrounds, "WINDOW :w2 { ?x ?z ?y }", declared=declared)
    assert window[8] == of_5
    assert window[12] == ["a3 b3 p", "b1 c1 q", "b2 c2 q"]


def test_example_7_a_basic_event_is_in_one_element() -> None:
    assert mappings("E2") == {("b1 c1", 6, 6), ("b2 c2", 6, 6), ("b2 c2", 8, 8)}


def test_example_8_a_sequence_begins_with_what_agrees_and_was_before() -> None:
    assert mappings("E1 SEQ E2") == {("a1 b1 c1", 2, 6), ("a2 b2 c2", 4, 6), ("a2 b2 c2", 4, 8)}


def test_example_9_a_match_gives_each_event_once(backgrounds: list[Path]) -> None:
    register = AT_8.replace("RSTREAM", "ISTREAM")
    assert rows(backgrounds, register=register) == {8: [A1, A2, A2], 10: [A1]}


@pytest.mark.parametrize(
    ("selection", "events", "expected"),
    [
        ("naive", {("a2 b2 c2", 4, 8)}, [A2]),
        ("chronological", {("a1 b1 c1", 2, 6), ("a2 b2 c2", 4, 6)}, [A1, A2]),
        ("recent", {("a1 b1 c1", 2, 6), ("a2 b2 c2", 4, 8)}, [A1, A2]),
    ],
)
def test_example_10_policies_select(
    backgrounds: list[Path], selection: str, events: set[tuple[str, int, int]], expected: list[str]
) -> None:
    assert mappings("E1 SEQ E2", selection) == events
    assert rows(backgrounds, pragma=f"PRAGMA selection {selection}")[8] == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("unrestricted", {8: [A1, A2, A2], 10: [A1]}),
        ("chronological", {8: [A1, A2]}),
        ("recent", {8: [A1, A2]}),
    ],
)
def test_example_11_policies_consume(
    backgrounds: list[Path], policy: str, expected: dict[int, list[str]]
) -> None:
    """And requirement 3.1: at 10 b1 q c1 comes again, and a1 p b1 has been used."""
    register = AT_8.replace("RSTREAM", "ISTREAM")
    assert rows(backgrounds, register=register, pragma=f"PRAGMA policy {policy}") == expected


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_evaluated_at_each_instant_a_policy_is_that_of_ep_sparql(
    backgrounds: list[Path], policy: str
) -> None:
    """What ends at 6 takes its partners then; b2 q c2 at 8 and b1 q c1 at 10 find them used."""
    register, pragma = "REGISTER RSTREAM :o REPORT ARRIVAL AS", f"PRAGMA policy {policy}"
    assert rows(backgrounds, register=register, pragma=pragma) == {6: [A1, A2]}
    ep_sparql = "SELECT ?x ?y ?z { { ?x :p ?y } SEQ { ?y :q ?z } }"
    with Engine(policy=policy) as engine:
        engine.register(f"PREFIX : <urn:> {ep_sparql}", name="q")
        for each in sorted(FIGURE_1, key=lambda each: each.interval[1]):
            engine.send(*map(URIRef, each.triple), each.interval[1])
        engine.finish()
        assert [match.end for match in engine.matches()] == [6, 6]


def test_whatever_is_selected_may_be_consumed(backgrounds: list[Path]) -> None:
    """All pairs at 8 use G1, G2 and all of q; only b1 q c1 at 10 is new, and what it needs is used."""
    assert rows(backgrounds, pragma="PRAGMA consumption on") == {8: [A1, A2, A2]}
    naive = "PRAGMA selection naive\nPRAGMA consumption on"
    assert rows(backgrounds, pragma=naive) == {8: [A2], 10: [A1]}


def test_any_number_of_choices(backgrounds: list[Path]) -> None:
    """The last E2 is (b2, c2) at 8, with a2 before it; of those at 6 and what is before them a1 is first."""
    first = "FIRST { LAST E1 SEQ FIRST E2 }"
    assert rows(backgrounds, f"MATCH {{ LAST {{ FIRST E1 SEQ {first} }} }}") == {}
    both = f"MATCH {{ LAST {{ FIRST E1 SEQ LAST E2 }} UNION {first} }}"
    assert rows(backgrounds, both)[8] == [A1, A2]


def test_requirement_3_2_c_sparql_compares_what_came_last(backgrounds: list[Path]) -> None:
    window = f"[RANGE {us(7)} STEP {us(1)} STARTING AT 0]"
    events = "EVENT ON :w { ?x :p ?y } AS E1 EVENT ON :w { ?y :q ?z } AS E2"
    declared = f"FROM NAMED :S WIN {window} AS :w {events}"
    given = rows(backgrounds, declared=declared, pragma="PRAGMA selection naive")
    assert given[8] == [A2]
    assert 10 not in given


def test_example_4_as_it_is_printed_finds_nothing(backgrounds: list[Path]) -> None:
    assert rows(backgrounds, declared=DECLARED.replace("LND 1", "LND 9")) == {}


def test_first_and_last_on_the_left_are_those_of_each_right_side(backgrounds: list[Path]) -> None:
    assert mappings("LAST E2") == {("b2 c2", 8, 8)}
    assert mappings("FIRST E2") == {("b1 c1", 6, 6), ("b2 c2", 6, 6)}
    assert mappings("LAST E1 SEQ FIRST E2") == {("a1 b1 c1", 2, 6), ("a2 b2 c2", 4, 6)}
    assert rows(backgrounds, "MATCH { LAST E1 SEQ FIRST E2 }")[8] == [A1, A2]
    assert rows(backgrounds, "MATCH { LAST { E1 SEQ E2 } }")[8] == [A2]


@pytest.mark.parametrize(
    ("match", "pragma", "code"),
    [
        ("MATCH { E1 SEQ E3 }", "", "EP217"),
        ("MATCH { E1 SEQ EVENT :w3 { ?y :q ?z } }", "", "EP217"),
        ("MATCH { E1 SEQ EVENT :w2 { ?y :q ?z OPTIONAL { ?z :r ?u } } }", "", "EP201"),
        (SEQUENCE, "PRAGMA policy recent\nPRAGMA selection naive", "EP204"),
        (SEQUENCE, "PRAGMA consumption maybe", "EP204"),
        ("WINDOW :w1 { ?x :p ?y }", "PRAGMA consumption on", "EP204"),
        (SEQUENCE, "PRAGMA selection oldest", "EP204"),
    ],
)
def test_what_cannot_be_run_is_refused(backgrounds: list[Path], match: str, pragma: str, code: str) -> None:
    text = f"{pragma}\nPREFIX : <urn:>\nSELECT * {DECLARED} WHERE {{ {match} }}"
    example = Example((text,), (), None, entails=False)
    with pytest.raises(CompileError) as refused, open_engine(example, backgrounds):
        pass
    assert refused.value.code == code


def test_engine_agrees_with_oracle(backgrounds: list[Path]) -> None:
    assert sum(check(each, backgrounds) for each in _examples("events", 100)) > 50


@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_oracle_at_length(backgrounds: list[Path]) -> None:
    for example in _examples("long events", LONG):
        try:
            check(example, backgrounds)
        except TooMuchError:
            continue
        except Exception as error:
            raise AssertionError(str(example)) from error


def test_answers_with_their_reasons_are_the_same(backgrounds: list[Path]) -> None:
    assert sum(check(each, backgrounds, trace=True) for each in _examples("traced", 20)) > 5


def test_any_step_may_be_done_by_another_engine(backgrounds: list[Path]) -> None:
    for example in _examples("restored", 10):
        expected = [expected_rows(example, text) for text in example.queries]
        assert given_by_engines(example, backgrounds) == expected, f"{example}"


def _examples(name: str, number: int) -> Iterator[Example]:
    for seed in range(number):
        yield make_events_example(Chooser(Random(f"{name} {seed}").randint))
