"""Engines are independent, give everything back, and fail as a whole or not at all."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import CompileError, DataError, QuerySyntaxError, RunTimeError, UsageError
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.engine.conftest import seconds, table

ROOT = Path(__file__).parents[2]
SEQ = "PREFIX : <urn:> SELECT ?x ?y { { ?x :p ?y } SEQ { ?y :q ?z } }"
ROWS = [(1, "a", "p", "b"), (2, "b", "q", "c")]


def test_closing_closes_the_last_instant_but_not_after_an_error() -> None:
    with Engine() as engine:
        engine.register("SELECT * { ?x <urn:p> ?y }")
        engine.send_batch(table([(1, "a", "p", 1)]))
    assert seconds(engine) == [(1, 1, {"x": "a", "y": 1})]
    with suppress(ValueError), Engine() as engine:
        engine.register("SELECT * { ?x <urn:p> ?y }")
        engine.send_batch(table([(1, "a", "p", 1)]))
        raise ValueError
    assert seconds(engine) == []


def test_an_engine_that_is_discarded_leaves_its_last_instant_open() -> None:
    engine = Engine()
    engine.register("SELECT * { ?x <urn:p> ?y }")
    engine.send_batch(table([(1, "a", "p", 1), (2, "b", "p", 2)]))
    engine.discard()
    engine.discard()
    assert engine.failure == ""
    assert seconds(engine) == [(1, 1, {"x": "a", "y": 1})]


def test_prolog_questions(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . <urn:Oak> rdfs:subClassOf <urn:Tree> ."
    )
    (tmp_path / "r.pl").write_text("double(X, Y) :- Y is 2 * X.\nloop :- loop.\n")
    with Engine(background=tmp_path / "o.ttl", rules=[tmp_path / "r.pl"]) as engine:
        [answer] = engine.prolog("rdfs_subclass(X, 'urn:Tree'), X \\== 'urn:Tree'")
        assert str(answer["X"]) == "urn:Oak"
        assert [answer["Y"].toPython() for answer in engine.prolog("double(4, Y)")] == [8]
        [odd] = engine.prolog("X = f(a, _Y), Z = z")
        assert str(odd["X"]).startswith("f(a,")
        assert list(engine.prolog("double(1, 3)")) == []
        assert list(engine.prolog("double(1, 2)")) == [{}]
        for wrong in ("double(1,", "nothing(1)", "atom_length(_, X)", "loop"):
            with pytest.raises(RunTimeError, match="EP301"):
                engine.prolog(wrong)
        engine.finish()


def test_two_engines_share_nothing() -> None:
    with Engine() as first, Engine() as second:
        first.register(SEQ)
        second.register(SEQ)
        first.send_batch(table(ROWS[:1]))
        second.send_batch(table(ROWS[1:]))
        first.finish()
        second.finish()
        assert seconds(first) == seconds(second) == []


@pytest.mark.slow
def test_a_thousand_engines_leave_memory_where_it_was() -> None:
    command = [sys.executable, "-m", "tests.engine.many_engines"]
    left = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    in_c_and_prolog, in_python = map(int, left.split())
    assert in_c_and_prolog < 500_000
    assert in_python < 1_000


def test_a_closed_engine_says_so() -> None:
    engine = Engine()
    engine.close()
    engine.close()
    with pytest.raises(RunTimeError, match="EP303"):
        engine.send_batch(table(ROWS))


def test_matches_are_given_once_and_by_query(engine: Engine) -> None:
    engine.register(SEQ, name="one")
    engine.register(SEQ, name="two")
    engine.send_batch(table(ROWS))
    engine.finish()
    assert len(seconds(engine, "one")) == 1
    assert len(seconds(engine)) == 1
    assert seconds(engine) == []
    with pytest.raises(KeyError):
        engine.matches("three")


def test_a_callback_gets_each_match(engine: Engine) -> None:
    got: list[Match] = []
    engine.register(SEQ, on_match=got.append)
    engine.send_batch(table(ROWS))
    engine.finish()
    assert [dict(match.encoded) for match in got] == [{"x": "urn:a", "y": "urn:b"}]
    assert seconds(engine) == []


def test_a_callback_that_raises_loses_no_other_match(engine: Engine) -> None:
    got: list[int] = []

    def refuse_one(match: Match) -> None:
        if match.start == 2_000_000:
            raise ValueError("not this one")
        got.append(match.start // 1_000_000)

    engine.register("SELECT * { ?x <urn:p> ?y }", on_match=refuse_one)
    with pytest.raises(ValueError, match="not this one"):
        engine.send_batch(table([(time, "a", "p", 1) for time in (1, 2, 3, 4)]))
    engine.finish()
    assert got == [1, 3, 4]


def test_a_callback_may_use_the_engine(engine: Engine) -> None:
    def send_on(match: Match) -> None:
        engine.send_batch(table([(9, "x", "q", 1)]))

    engine.register("SELECT * { ?x <urn:p> ?y }", on_match=send_on)
    engine.register("SELECT * { ?x <urn:q> ?y }", name="second")
    engine.send_batch(table([(1, "a", "p", 1), (2, "b", "r", 1)]))
    engine.finish()
    assert seconds(engine, "second") == [(9, 9, {"x": "x", "y": 1})]


def test_a_query_sees_what_comes_after_it(engine: Engine) -> None:
    engine.send_batch(table([(1, "a", "p", "b")]))
    engine.advance(2_000_000)
    engine.register(SEQ)
    engine.send_batch(table([(2, "b", "q", "c"), (3, "d", "p", "b"), (4, "b", "q", "c")]))
    engine.finish()
    assert seconds(engine) == [(3, 4, {"x": "d", "y": "b"})]


def test_a_text_with_an_error_registers_nothing(engine: Engine) -> None:
    with pytest.raises(QuerySyntaxError):
        engine.register(SEQ + " ;; SELECT * { ?x :p }")
    engine.register(SEQ, name="q")
    with pytest.raises(CompileError, match="EP206"):
        engine.register(SEQ, name="q")


def test_rows_before_a_bad_one_are_taken(engine: Engine) -> None:
    engine.register(SEQ)
    bad = table([*ROWS, (3, "x", "p", "<no iri>"), (4, "x", "p", "b")])
    with pytest.raises(DataError) as raised:
        engine.send_batch(bad)
    assert raised.value.place is not None
    assert raised.value.place.row == 3
    engine.finish()
    assert len(seconds(engine)) == 1


def test_rdflib_terms_in_and_out(engine: Engine) -> None:
    from rdflib import Literal, URIRef

    engine.register("SELECT ?x ?o { ?x <urn:p> ?o }")
    engine.send(URIRef("urn:a"), URIRef("urn:p"), Literal("où", lang="fr"), 5)
    engine.finish()
    [match] = engine.matches()
    assert match.bindings == {"x": URIRef("urn:a"), "o": Literal("où", lang="fr")}
    assert (match["x"], match.start, match.end) == (URIRef("urn:a"), 5, 5)


def test_an_engine_can_be_used_from_another_thread(engine: Engine) -> None:
    def work() -> None:
        engine.register(SEQ)
        engine.send_batch(table(ROWS))
        engine.finish()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(seconds(engine)) == 1


def test_derivations_without_end_are_cut() -> None:
    query = "PREFIX : <urn:> CONSTRUCT { ?y :next [] } { ?x :next ?y }"
    with Engine(max_derivations=1000) as engine:
        engine.register(query)
        engine.send_batch(table([(1, "a", "next", "b")]))
        with pytest.raises(RunTimeError, match="EP302"):
            engine.finish()
        with pytest.raises(RunTimeError, match="EP303"):
            engine.finish()


def test_answers_before_a_failure_are_kept() -> None:
    with Engine(max_derivations=1000) as engine:
        engine.register("PREFIX : <urn:> CONSTRUCT { ?y :next [] } { ?x :next ?y }")
        engine.register(SEQ, name="seq")
        with pytest.raises(RunTimeError, match="EP302"):
            engine.send_batch(table([*ROWS, (3, "a", "next", "b"), (4, "a", "p", "b")]))
        assert len(seconds(engine, "seq")) == 1


def test_a_great_many_answers_in_one_batch() -> None:
    rows = [(1, "a", "p", number) for number in range(250)]
    rows += [(time, "a", "q", number) for time in (2, 3) for number in range(250)]
    with Engine() as engine:
        engine.register("PREFIX : <urn:> SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }")
        engine.send_batch(table(rows))
        engine.finish()
        assert len(seconds(engine)) == 125_000


@pytest.mark.parametrize("options", [{"entailment": "owl"}, {"on_late": "5s"}, {"policy": "newest"}])
def test_an_option_that_an_engine_does_not_have_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="EP50"):
        Engine(**options)


def test_times_are_microseconds_or_datetimes(engine: Engine) -> None:
    from rdflib import Literal, URIRef

    engine.register("SELECT * { ?x <urn:p> ?o }")
    engine.send(URIRef("urn:a"), URIRef("urn:p"), Literal(1), datetime(1970, 1, 1, 0, 0, 7))  # noqa: DTZ001
    for wrong in (1.5, "7", True, None):
        with pytest.raises(DataError, match="EP409"):
            engine.send(URIRef("urn:a"), URIRef("urn:p"), Literal(1), wrong)  # type: ignore[arg-type]
        with pytest.raises(DataError, match="EP409"):
            engine.advance(wrong)  # type: ignore[arg-type]
    engine.advance(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))))
    engine.finish()
    assert seconds(engine) == [(7, 7, {"x": "a", "o": 1})]
