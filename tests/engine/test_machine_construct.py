"""Programs of CONSTRUCT queries that run without Prolog give what Prolog gives."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from rdflib import Literal, URIRef

from etalis_py import CompileError, Engine
from tests.engine.counting import in_prolog
from tests.engine.test_machine import PREFIX, TAXONOMY, batch, is_native, outcome, placed

PREDICATES = (":p", ":q", ":r", ":made", ":more", "a")
WINDOW = 'FILTER(getDURATION() < "PT0.00001S"^^xsd:dayTimeDuration)'
TEMPLATES = (
    "?x {0} ?y",
    "?y {0} ?x",
    "?x {0} ?z",
    "?x {0} ?y . ?x {1} ?z",
    "?x {0} ?n . ?n {1} ?y",
    "_:b {0} ?y . ?x {1} _:b",
    "?x {0} [ {1} ?y ]",
    "?x ?y ?z",
    "?x a :C",
)
BODIES = (
    "?x {0} ?y",
    "?x {0} ?y . ?x {1} ?z " + WINDOW,
    "{{ ?x {0} ?y }} SEQ {{ ?y {1} ?z }} " + WINDOW,
    "{{ ?x {0} ?y }} SEQ {{ ?x {1} ?z }} " + WINDOW,
    "{{ ?x {0} ?y }} EQUALS {{ ?x {1} ?z }}",
    "{{ ?x {0} ?y }} UNION {{ ?z {1} ?x }}",
    "?x {0} ?y OPTIONAL {{ ?x {1} ?z }} " + WINDOW,
    "{{ ?x {0} ?y }} OPTIONALSEQ {{ ?x {1} ?z }} " + WINDOW,
    "?x {0} ?y MINUS {{ ?x {1} ?z }}",
    "?x {0} ?y BIND(?y + 1 AS ?n) FILTER(?y < 9)",
    "?x {0} ?y BIND(?y / 3 AS ?n)",
    "?x {0} ?y BIND(STR(?y) AS ?n) FILTER(ISIRI(?y))",
)


def program(chance: random.Random, length: int, *, streams: bool = False) -> list[str]:
    """Queries that feed one another; those that would not be stratified are refused later."""

    def where(body: str) -> str:
        within = chance.choice(["", "STREAM :s ", "STREAM ?t ", "EVENT "]) if streams else ""
        return f"WHERE {{ {within}{{ {body} }} }}"

    def into() -> str:
        return chance.choice(["", "STREAM :s ", "STREAM :out "]) if streams else ""

    made = ["CONSTRUCT { ?x :made ?y } WHERE { ?x :p ?y }", "CONSTRUCT { ?x :more ?y } WHERE { ?y :q ?x }"]
    while len(made) < length:
        template, body = (
            chance.choice(texts).format(*(chance.choice(PREDICATES) for _ in range(2)))
            for texts in (TEMPLATES, BODIES)
        )
        if all(each in body for each in ("?y", "?z", "?n") if each in template):
            made.append(f"CONSTRUCT {into()}{{ {template} }} {where(body)}")
    return [
        *made,
        "SELECT * " + where("?x :made ?y"),
        "SELECT * { { ?x :more ?y } SEQ { ?x ?p ?z } " + WINDOW + " }",
    ]


def answers(queries: list[str], batches: list[Any], **options: Any) -> tuple[list[str], str]:
    with Engine(on_late="drop", blank_node_prefix="n", **options) as engine:
        for number, query in enumerate(queries):
            with suppress(CompileError):
                engine.register(PREFIX + query, name=str(number))
        return outcome(engine, batches)


def compare(queries: list[str], batches: list[Any], entails: bool, folder: Path) -> None:
    options: dict[str, Any] = {"max_derivations": 300}
    if entails:
        (folder / "t.ttl").write_text(TAXONOMY)
        options["background"] = [folder / "t.ttl"]
    found = answers(queries, batches, **options)
    with in_prolog():
        assert answers(queries, batches, **options) == found
    assert any(found)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("entails", [False, True])
def test_random_programs(seed: int, entails: bool, tmp_path: Path) -> None:
    chance = random.Random(seed)
    queries = program(chance, 8)
    batches = [batch(chance, first, 30) for first in range(0, 90, 30)]
    compare(queries, batches, entails, tmp_path)


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.parametrize("entails", [False, True])
def test_random_programs_of_streams(seed: int, entails: bool, tmp_path: Path) -> None:
    chance = random.Random(seed)
    queries = program(chance, 8, streams=True)
    batches = [placed(chance, batch(chance, first, 30)) for first in range(0, 90, 30)]
    compare(queries, batches, entails, tmp_path)


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_comes_once_comes_once_in_all_portions(
    one_by_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Triples that many solutions give, and an ASK, of an instant that leaves in parts."""
    queries = [
        "CONSTRUCT { ?x :made ?n } WHERE { ?x :p ?y . ?z :q ?y BIND(?y * 2 AS ?n) }",
        "ASK { ?x :made ?y }",
    ]
    monkeypatch.setattr("etalis_py.engine.feeding.MOST_ANSWERS_AT_ONCE", 5)
    with Engine() as engine:
        for query in queries:
            engine.register(PREFIX + query)
        rows = [
            (URIRef(f"urn:{x}"), URIRef(f"urn:{p}"), Literal(y))
            for x in range(6)
            for p in "pq"
            for y in range(4)
        ]
        if one_by_one:
            for row in rows:
                engine.send(*row, 7)
        else:
            s, p, o = ([each.n3() for each in column] for column in zip(*rows, strict=True))
            engine.send_batch({"start": [7] * len(rows), "s": s, "p": p, "o": o})
        with pytest.warns(match="EW65"):
            engine.finish()
        found = list(map(repr, engine.matches()))
    assert len(found) == len(set(found)) == 6 * 4 + 1


def test_they_run_without_prolog() -> None:
    with Engine() as engine:
        for template in TEMPLATES:
            engine.register(
                f"{PREFIX} CONSTRUCT {{ {template.format(':made', ':more')} }} WHERE {{ ?x :p ?y }}"
            )
        assert is_native(engine)
