"""Programs of several stages, and of slices of time, on Spark: what the local engine answers, in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.oracle.windowed_texts import us
from tests.spark.conftest import Done, random_csv

pytestmark = pytest.mark.spark
Both = Callable[[str], tuple[Done, Done]]

SOON = "FILTER(getDURATION() < 'PT0.00001S'^^xsd:duration)"
ONE_PART = "no common join key"
PROGRAMS = {
    "key changes": ["SELECT * { { ?x :p ?y . ?x :q ?z } SEQ { ?u :r ?y . ?u :q ?w } }"],
    "one predicate both ways": [f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?y :p ?z }} {SOON} }}"],
    "equal solutions": ["SELECT ?y { { ?y :q ?a . ?a :p ?b } EQUALS { SELECT ?y { ?y :q ?c . ?c :r ?d } } }"],
    "optional": ["SELECT * { { ?x :p ?y . ?x :q ?z } OPTIONAL { ?u :r ?y . ?u :q ?w } }"],
    "minus": ["SELECT * { ?x :p ?y . ?x :q ?z MINUS { ?u :r ?y . ?u :p ?w } }"],
    "any predicate": ["SELECT * { { ?x :p ?y . ?x :q ?z } EQUALS { ?u ?v ?y . ?u :r ?w } }"],
    "construct": [
        "CONSTRUCT { ?x :made ?y . ?y :by _:b } { { ?x :p ?y } SEQ { ?x :q ?z } }",
        "SELECT * { { ?x :made ?y } SEQ { ?y :q ?z } }",
        "SELECT * { ?y :by ?b . ?x :made ?y }",
    ],
    "two keys": ["SELECT * { ?x :p ?y . ?x :q ?z }", "SELECT * { { ?x :p ?y } SEQ { ?z :r ?y } }"],
    "slices": [f"SELECT * {{ {{ ?x :p :1 }} SEQ {{ ?z :q ?u }} {SOON} }}"],
    "slices of solutions": [f"SELECT * {{ {{ ?x :p ?y . ?x :q ?n }} SEQ {{ ?z :q ?u . ?z :r ?v }} {SOON} }}"],
    "slices of windows": [
        f"SELECT {each} ?x ?z FROM NAMED WINDOW :w ON <urn:etalis:default> [RANGE {us(8)} STEP {us(3)}] "
        "{ WINDOW :w { ?x :p :1 . ?z :q ?u } }"
        for each in ("RSTREAM", "DSTREAM")
    ],
    "by instant": [
        "SELECT ?x ?y { ?x :p ?y } ORDER BY DESC(?y) LIMIT 2",
        "SELECT ?x { ?x :p ?y . ?x :q ?z }",
    ],
    "ordered after a join": ["SELECT ?x ?z { ?x :p ?y . ?y :q ?z . ?z :r ?w } ORDER BY ?z LIMIT 3"],
    "window": ["SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT0.00001S]"],
    "path": [f"SELECT ?x ?y {{ {{ ?x (:p|:q)+ ?y }} {SOON} }}"],
    "one part": ["SELECT * { { ?x :p ?y . ?x :q ?z } SEQ { ?u :r ?v . ?u :p 2 } }"],
}


def compare(texts: list[str], both: Both, folder: Path) -> tuple[Done, Done]:
    """The run on Spark gives what the local one gives."""
    for number, text in enumerate(texts):
        (folder / f"q{number}.rq").write_text(f"PREFIX : <urn:>\n{text}")
    (folder / "s.csv").write_text(random_csv(11, 120, predicates="pqr"))
    names = " ".join(f"q{number}.rq" for number in range(len(texts)))
    local, spark = both(f"run {names} --stream s.csv")
    assert (spark.code, spark.out) == (local.code, local.out) == (0, local.out)
    return local, spark


def test_programs_that_share_their_stages(both: Both, tmp_path: Path) -> None:
    texts = [text for own in PROGRAMS.values() for text in own]
    local, spark = compare(texts, both, tmp_path)
    for number, text in enumerate(texts):
        assert f'"query": "q{number}"' in local.out, text
    assert spark.err.count(ONE_PART) == 1


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_by_itself(name: str, both: Both, tmp_path: Path) -> None:
    _, spark = compare(PROGRAMS[name], both, tmp_path)
    assert (ONE_PART in spark.err) is (name == "one part")
