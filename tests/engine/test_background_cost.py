"""What background costs an event: nothing for classes that no pattern names, or triples that do not join."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import pytest

from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine
from tests.engine.conftest import XSD, seconds, table

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
EVENTS = 200


def inferences() -> int:
    return int(prolog.call("system", "statistics", "inferences"))


def events(round_: int, predicate: str, object_: str, subject: str = "x{}") -> dict[str, list[Any]]:
    """One occurrence a second; ``{}`` is its number."""
    numbers = range(EVENTS)
    return table((round_ * EVENTS + n, subject.format(n), predicate, object_.format(n)) for n in numbers)


def cost(
    background: Path,
    query: str,
    *event: str,
    entailment: Literal["rdfs", "none"] = "rdfs",
    matches: int = EVENTS,
) -> int:
    """The inferences for one round of events in the steady state, with what is kept of the schema at hand."""
    with Engine(background=[background], entailment=entailment) as engine:
        engine.register(query)
        for round_ in range(2):
            before = inferences()
            engine.send_batch(events(round_, *event))
            engine.advance((round_ + 1) * EVENTS * 1_000_000)
            after = inferences()
            assert sum(1 for _ in engine.matches()) == matches
    return after - before


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """1000 classes, each below the one before it."""
    path = tmp_path / "chain.nt"
    below = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
    path.write_text("".join(f"<urn:c{n}> <{below}> <urn:c{n - 1}> .\n" for n in range(1, 1000)))
    return path


def test_an_event_pays_for_the_classes_that_are_asked_for(chain: Path) -> None:
    asked = "SELECT ?x { ?x a <urn:c1> }"
    shallow, deep = (cost(chain, asked, TYPE, name) for name in ("c2", "c999"))
    assert deep == shallow
    plain = cost(chain, asked, TYPE, "c1", entailment="none")
    assert shallow - plain <= 15 * EVENTS


def test_an_event_that_no_pattern_hears_costs_no_more_than_without_reasoning(chain: Path) -> None:
    asked = "SELECT ?x { ?x a <urn:elsewhere> }"
    reasoned, plain = (cost(chain, asked, TYPE, "c999", entailment=each, matches=0) for each in KINDS)
    assert reasoned - plain <= 10 * EVENTS


KINDS: tuple[Literal["rdfs", "none"], ...] = ("rdfs", "none")


def test_a_query_that_comes_later_hears_what_none_did_before(chain: Path) -> None:
    with Engine(background=[chain]) as engine:
        engine.register("SELECT ?x { ?x a <urn:c9> }", name="first")
        engine.send_batch(table([(1, "a", TYPE, "c50"), (1, "a", "likes", "b")]))
        engine.advance(2_000_000)
        assert len(seconds(engine, "first")) == 1
        engine.register("SELECT ?x { ?x a <urn:c7> }", name="second")
        engine.register("SELECT ?x { ?x <urn:likes> ?y }", name="third")
        engine.send_batch(table([(3, "a", TYPE, "c50"), (3, "a", "likes", "b")]))
        engine.finish()
        assert [len(seconds(engine, name)) for name in ("first", "second", "third")] == [1, 1, 1]


def rooms(folder: Path, triples: int) -> Path:
    """Sensors in rooms, one a triple; of each room ten, but for room 0."""
    path = folder / f"rooms{triples}.nt"
    path.write_text("".join(f"<urn:x{n}> <urn:in> <urn:room{n // 10}> .\n" for n in range(triples)))
    return path


@pytest.mark.parametrize(
    ("query", "event", "matches"),
    [
        ("SELECT ?r { ?x <urn:seen> ?y . ?x <urn:in> ?r }", ("seen", "on"), EVENTS),
        ("SELECT ?z { ?y <urn:seen> ?r . ?z <urn:in> ?r }", ("seen", "room{}"), 10 * EVENTS),
        ("SELECT ?x { ?x <urn:seen> ?r . ?x <urn:in> ?r }", ("seen", "room0"), 10),
    ],
    ids=["subject", "object", "both"],
)
@pytest.mark.parametrize("entailment", KINDS)
def test_a_join_costs_the_same_however_much_background_there_is(
    tmp_path: Path, entailment: Any, query: str, event: tuple[str, str], matches: int
) -> None:
    few, many = (
        cost(rooms(tmp_path, triples), query, *event, entailment=entailment, matches=matches)
        for triples in (2_000, 10_000)
    )
    assert many == few


@pytest.mark.parametrize("entailment", KINDS)
def test_what_was_asked_before_is_known(tmp_path: Path, entailment: Any) -> None:
    background = rooms(tmp_path, 2_000)
    plain, joined = (
        cost(background, f"SELECT * {{ ?x <urn:seen> ?y {join} }}", "seen", "on", entailment=entailment)
        for join in ("", ". ?x <urn:in> ?r")
    )
    assert joined - plain < EVENTS // 10


def test_what_was_asked_is_forgotten_where_it_is_much(tmp_path: Path) -> None:
    """600,000 questions, most of which are about nothing that is there, and then those of the beginning."""
    everything, at_once = 600_000, 100_000
    with Engine(background=[rooms(tmp_path, 1_000)]) as engine:
        engine.register("SELECT * { ?x <urn:seen> ?y . ?x <urn:in> ?r }")
        for first in (*range(0, everything, at_once), everything):
            numbers = range(first, first + at_once)
            rows = ((n, f"x{n % everything}", "seen", "on") for n in numbers)
            engine.send_batch(table(rows))
        engine.finish()
        places = [str(match.bindings["r"]) for match in engine.matches()]
    assert places == 2 * [f"urn:room{n // 10}" for n in range(1_000)]


def objects(folder: Path, triples: int, literal: str) -> Path:
    path = folder / f"objects{triples}.nt"
    path.write_text("".join(f"<urn:x{n}> <urn:is> {literal.format(n)} .\n" for n in range(triples)))
    return path


def seconds_for_objects(background: Path, literal: str, triples: int) -> float:
    """The least processor time of a few rounds in which events look for subjects by their objects."""
    with Engine(background=[background]) as engine:
        engine.register("SELECT ?x { ?e <urn:seen> ?y . ?x <urn:is> ?y }")
        spent = []
        for round_ in range(5):
            rows = events(round_, "seen", "on")
            rows["o"] = [literal.format(n * (triples // EVENTS)) for n in range(EVENTS)]
            before = time.process_time()
            engine.send_batch(rows)
            engine.advance((round_ + 1) * EVENTS * 1_000_000)
            spent.append(time.process_time() - before)
            assert sum(1 for _ in engine.matches()) == EVENTS
    return min(spent)


@pytest.mark.parametrize(
    "literal",
    [
        "<urn:object{}>",
        '"short {}"',
        '"text {} in the middle of what is the same for all of them"',
        '"word {}"@en',
        f'"{{}}"^^<{XSD}integer>',
        f'"{{}}.5"^^<{XSD}decimal>',
        f'"{{}}.5E0"^^<{XSD}double>',
        f'"{{}}.50"^^<{XSD}decimal>',
        f'"PT{{}}S"^^<{XSD}duration>',
    ],
)
def test_a_subject_is_found_by_its_object_and_not_by_trying_all(tmp_path: Path, literal: str) -> None:
    few, many = (
        seconds_for_objects(objects(tmp_path, triples, literal), literal, triples)
        for triples in (1_000, 12_000)
    )
    assert many < 4 * few  # to try all takes twelve times as long
