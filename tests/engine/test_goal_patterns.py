"""Prolog goals as patterns: each answer is a solution, whatever operator is above; the oracle agrees."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.cli import main
from etalis_py.compiler.parse.names import PROLOG_NAMESPACE
from etalis_py.compiler.parse.parser import parse_program
from etalis_py.core.errors import CompileError, EtalisWarning, QuerySyntaxError, RunTimeError
from etalis_py.core.vocabulary import XSD_INTEGER
from tests.oracle.program import World, answers
from tests.oracle.running import batch_of, tally
from tests.oracle.solutions import Occurrence

RULES = """\
:- prefix(c, 'urn:').
kind(c:x, 1).
kind(c:x, 2).
kind(c:y, 2).
kind(c:z, 5).
near(c:x, c:y).
near(c:y, c:z).
near(c:y, c:z).
next(N, M) :- M is N + 1.
next(N, M) :- M is N + 10.
big(N) :- N > 1.
loop :- loop.
shaped(_, point(1, 2)).
shaped(X, X).
"""
GOALS = {
    "kind": [("x", 1), ("x", 2), ("y", 2), ("z", 5)],
    "near": [("x", "y"), ("y", "z"), ("y", "z")],
}
HEAD = "PREFIX : <urn:>\n"
QUERIES = {
    "joined": "SELECT * { ?x :a ?v . prolog:kind(?x, ?k) }",
    "before the event": "SELECT * { prolog:near(?x, ?y) . ?x :a ?v }",
    "one after the other": "SELECT * { ?x :a ?v prolog:near(?x, ?y) prolog:kind(?y, ?k) }",
    "a constant": "SELECT * { ?x :a ?v . prolog:kind(:x, ?k) }",
    "all are known": "SELECT * { ?x :a ?v . prolog:kind(?x, 2) }",
    "one variable twice": "SELECT * { ?x :a ?v . prolog:near(?x, ?x) }",
    "on the right of SEQ": "SELECT * { { ?x :a ?v } SEQ { ?y :b ?w . prolog:near(?x, ?y) } }",
    "on the left of SEQ": "SELECT * { { ?x :a ?v . prolog:near(?x, ?y) } SEQ { ?y :b ?w } }",
    "OPTIONAL": "SELECT * { ?x :a ?v OPTIONAL { prolog:near(?x, ?y) prolog:kind(?y, 5) } }",
    "under OPTIONAL": "SELECT * { { ?x :a ?v } OPTIONAL { ?x :b ?w . prolog:kind(?x, ?k) } }",
    "UNION": "SELECT * { ?x :a ?v . { prolog:kind(?x, ?k) } UNION { prolog:near(?x, ?k) } }",
    "MINUS": "SELECT * { ?x :a ?v MINUS { prolog:kind(?x, 1) } }",
    "EXISTS": "SELECT * { ?x :a ?v FILTER NOT EXISTS { prolog:near(?x, ?y) . prolog:kind(?y, 5) } }",
    "filtered": "SELECT * { ?x :a ?v . prolog:kind(?x, ?k) FILTER (?k > 1) }",
    "counted": "SELECT ?x (COUNT(?k) AS ?n) { ?x :a ?v . prolog:kind(?x, ?k) } GROUP BY ?x",
    "repeated": "SELECT ?x ?n { { ?x :a ?v } SEQ REPEAT { ?x :b ?w . prolog:kind(?x, ?k) } "
    "MEASURES (COUNT(*) AS ?n) }",
    "none between": "SELECT * { { ?x :a ?v } SEQ NOT { ?y :b ?w . prolog:near(?x, ?y) } SEQ { ?x :c ?u } }",
    "makes triples": "CONSTRUCT { ?x :near ?y } { ?x :a ?v . prolog:near(?x, ?y) }",
}


@pytest.fixture
def rules(tmp_path: Path) -> str:
    file = tmp_path / "rules.pl"
    file.write_text(RULES, encoding="utf-8")
    return str(file)


def encoded(value: str | int) -> Any:
    return (value, XSD_INTEGER) if isinstance(value, int) else f"urn:{value}"


WORLD = {
    PROLOG_NAMESPACE + name: [tuple(map(encoded, answer)) for answer in found]
    for name, found in GOALS.items()
}


def stream(seed: object) -> list[Occurrence]:
    draw = random.Random(str(seed))
    times = sorted(draw.choices(range(1, 9), k=9))
    triples = [
        (f"urn:{draw.choice('xyz')}", f"urn:{draw.choice('aabbc')}", encoded(draw.randint(0, 2)))
        for _ in times
    ]
    return list(dict.fromkeys((triple, (end, end)) for triple, end in zip(triples, times, strict=True)))


def of_engine(query: str, rules: str, occurrences: list[Occurrence], *, cuts: bool = False) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EtalisWarning)
        engine = Engine(rules=rules)
        engine.register(HEAD + query, name="0")
        found = []
        for part in [[each] for each in occurrences] if cuts else [occurrences]:
            engine.send_encoded(batch_of(part))
            found += engine.matches()
            if cuts:
                state = engine.snapshot()
                engine.discard()
                engine = Engine(rules=rules)
                engine.register(HEAD + query, name="0")
                engine.restore([state])
        engine.finish()
        found += engine.matches()
        engine.discard()
    return tally(found, 1)[0]


@pytest.mark.parametrize("name", QUERIES)
def test_the_oracle_agrees(name: str, rules: str) -> None:
    total = 0
    for seed in range(6):
        occurrences = stream((name, seed))
        times = [interval[1] for _, interval in occurrences]
        world = World(frozenset(occurrences), clock=(min(times), max(times)), goals=WORLD)
        [expected] = answers(parse_program(HEAD + QUERIES[name]), world)
        found = of_engine(QUERIES[name], rules, occurrences)
        assert Counter(found) == Counter(expected), seed
        if seed == 0:
            assert Counter(of_engine(QUERIES[name], rules, occurrences, cuts=True)) == Counter(expected)
        total += len(found)
    assert total or name == "one variable twice"


def test_a_goal_computes_from_what_the_event_says(rules: str) -> None:
    query = "SELECT ?w { prolog:next(?v, ?w) . ?x :a ?v FILTER (prolog:big(?w)) }"
    found = of_engine(query, rules, [(("urn:x", "urn:a", encoded(1)), (1, 1))])
    assert sorted(dict(each[0])["w"][0] for each in found) == [2, 11]


def test_a_goal_comes_behind_background_that_it_asks_about(rules: str, tmp_path: Path) -> None:
    """Wherever it stands among what is joined, also where nothing happens but the background is there."""
    known = tmp_path / "known.nt"
    known.write_text("<urn:x> <urn:size> 4 .".replace("4", f'"4"^^<{XSD_INTEGER}>'), encoding="utf-8")
    found = []
    for pattern in ("prolog:next(?v, ?w) . ?x :size ?v", "?x :size ?v . prolog:next(?v, ?w)"):
        with Engine(rules=rules, background=known) as engine:
            engine.register(f"{HEAD}SELECT ?w {{ {pattern} . ?x :a ?u }}", name="0")
            engine.send_encoded(batch_of([(("urn:x", "urn:a", encoded(1)), (1, 1))]))
            engine.finish()
            found.append(sorted(match.encoded["w"][0] for match in engine.matches()))
    assert found == [[5, 14], [5, 14]]


def test_answers_that_are_no_terms_are_left_out(rules: str) -> None:
    found = of_engine(
        "SELECT ?w { ?x :a ?v . prolog:shaped(?v, ?w) }", rules, [(("urn:x", "urn:a", encoded(1)), (1, 1))]
    )
    assert [dict(each[0])["w"] for each in found] == [encoded(1)]


def test_inputs_without_values_are_an_error_of_the_predicate(rules: str) -> None:
    with pytest.raises(RunTimeError, match=r"EP301.*next/2") as raised:
        of_engine(
            "SELECT * { prolog:next(?w, ?z) . ?x :a ?v }", rules, [(("urn:x", "urn:a", encoded(1)), (1, 1))]
        )
    assert raised.value.place is not None


def test_refusals(rules: str) -> None:
    with Engine(rules=rules) as engine:
        with pytest.raises(CompileError, match="EP207"):
            engine.register("SELECT * { ?x <urn:a> ?v . prolog:kind(?x) }")
        with pytest.raises(CompileError, match="EP213"):
            engine.register("SELECT * { EVENT { ?x <urn:a> ?v . prolog:kind(?x, ?k) } }")
        with pytest.raises(CompileError, match="EP202"):
            engine.register("PREFIX prolog: <urn:other:> SELECT * { ?x <urn:a> ?v . prolog:kind(?x, ?k) }")
        with pytest.raises(QuerySyntaxError, match="EP101"):
            engine.register("SELECT * { ?x <urn:a> ?v . prolog:kind(?x, ?v + 1) }")


def test_functions_are_as_before(rules: str) -> None:
    query = "SELECT (prolog:next(?v) AS ?w) { ?x :a ?v FILTER prolog:kind(?x, 1) } ORDER BY prolog:next(?v)"
    found = of_engine(query, rules, [(("urn:x", "urn:a", encoded(1)), (1, 1))])
    assert [dict(each[0])["w"] for each in found] == [encoded(2)]


def test_proofs_and_plans_name_the_goal(
    rules: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    query = HEAD + QUERIES["joined"]
    with Engine(rules=rules, trace=True) as engine:
        engine.register(query, name="q")
        engine.send_encoded(batch_of([(("urn:y", "urn:a", encoded(1)), (1, 1))]))
        engine.finish()
        [match] = engine.matches()
        assert "prolog:kind(?x, ?k): ?x = :y, ?k = 2" in str(engine.why(match))
    file = tmp_path / "q.rq"
    file.write_text(query, encoding="utf-8")
    for stage, shown in (("algebra", "Goal prolog:kind(?x, ?k)"), ("rules", "user_solution(kind")):
        assert main(["explain", str(file), "--rules", rules, "-W", "none", "--stage", stage]) == 0
        assert shown in capfd.readouterr().out
    assert main(["check", str(file), "--rules", rules]) == 0
