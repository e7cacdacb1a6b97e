"""``etalis run`` prints the same on Spark as here: answers, order, warnings, errors and exit codes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from etalis_py.cli import main
from tests.spark.conftest import Done, random_csv

pytestmark = pytest.mark.spark
Both = Callable[[str], tuple[Done, Done]]

ONTOLOGY = """
@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:D rdfs:subClassOf :C . :q rdfs:domain :C . :r rdfs:range :C . :p rdfs:subPropertyOf :over .
:1 a :C . :2 :over :3 . :3 :in :here .
"""
SOON = "FILTER(getDURATION() < 'PT0.00001S'^^xsd:duration)"
WITHOUT_KEY = "no common join key"
PROGRAMS = {
    "chain": [f"SELECT * {{ {{ ?x :p ?y }} SEQ {{ ?y :q ?z }} SEQ {{ ?y :r ?u }} {SOON} }}"],
    "join": ["SELECT ?x ?n (?n + 1 AS ?m) { ?x :p ?y . ?x :q ?n FILTER(isLITERAL(?n)) }"],
    "equals": ["SELECT * { { ?x :p ?y } EQUALS { ?x :q ?z } }"],
    "optional": ["SELECT * { { ?x :p ?y } OPTIONAL { ?x :q ?z . ?x :r ?z } }"],
    "optionalseq": ["SELECT * { { ?x :p ?y } OPTIONALSEQ { ?x :q ?z } FILTER(!BOUND(?y)) }"],
    "equalsoptional": ["SELECT * { { ?x :p ?y } EQUALSOPTIONAL { ?x :r ?z } }"],
    "intervals": [
        f"SELECT * {{ {{ ?x :p ?y }} MEETS {{ ?x :q ?z }} {SOON} }}",
        "SELECT * { { ?x :p ?y } STARTS { ?x :q ?z } FINISHES { ?x :r ?u } }",
        "SELECT * { { ?x :p ?y } OVERLAPS { ?x :q ?z } PAR { ?x :r ?u } }",
        f"SELECT * {{ {{ ?x :p ?y }} DURING {{ ?z :q ?u }} {SOON} }}",
    ],
    "distinct": ["SELECT DISTINCT ?y { { ?x :p ?y } EQUALS { ?x :q ?z } }", "SELECT ?x { ?x :p ?y }"],
    "union": ["SELECT * { { ?x :p ?y . ?x :p ?z } UNION { ?a :q ?c . ?b :q ?c } }"],
    "construct": [
        f"CONSTRUCT {{ ?x :made ?y . _:b :of ?y }} {{ {{ ?x :p ?y }} SEQ {{ ?x :q ?z }} {SOON} }}",
        "CONSTRUCT { ?x :again ?y } { { ?x :made ?y } EQUALS { ?x :q ?z } }",
        "SELECT * { { ?x :made ?y } OPTIONAL { ?x :again ?y . ?x :q ?z } }",
    ],
    "merged": ["CONSTRUCT { ?y :seen 1 } { ?x :p ?y . ?x :q ?z }"],
    "entailed": [f"SELECT * {{ {{ ?x a :C }} SEQ {{ ?x :over ?y }} {SOON} }}"],
    "minus": ["SELECT * { ?x :p ?y MINUS { ?x :q ?z } }"],
    "exists": ["SELECT ?x { ?x :p ?y FILTER EXISTS { ?x :r ?z } }"],
    "exists asked": [
        """SELECT * { ?x :p ?y FILTER EXISTS {
        ?x :r ?z OPTIONAL { ?x :q ?w FILTER(?w != ?y) } FILTER(!BOUND(?w)) } }"""
    ],
    "exists asked of all": [
        "SELECT * { ?x :p ?y FILTER EXISTS { { ?x :r ?z } UNION { ?u :q ?w FILTER(?w = ?y) } } }"
    ],
    "ask": ["ASK { ?x :p ?y . ?x :q ?y }", "SELECT * { ?x :p ?y VALUES ?y { :1 :2 } }"],
    "describe": ["DESCRIBE ?x { ?x :p ?y . ?x :q ?y }"],
    "ordered": ["SELECT ?x ?y { ?x :p ?y } ORDER BY DESC(?y) LIMIT 2", "SELECT ?x { ?x :q ?z }"],
    "groups": [
        "SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT0.00001S]",
        "SELECT (COUNT(*) AS ?n) { ?x :p ?y } WINDOW [RANGE PT0.00001S STEP PT0.000003S]",
    ],
    "paths": [f"SELECT ?y {{ {{ :1 (:p|:q)+ ?y }} {SOON} }}"],
    "policies": ["PRAGMA policy recent SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } }"],
    "everything": ["SELECT * { ?x ?p ?y . ?x :q ?z }"],
    "no key": ["SELECT * { { ?x :p ?y } EQUALS { ?z :q ?u } }"],
    "nothing": ["SELECT * { ?x :nothing ?y }"],
    "nothing entailed": ["SELECT * { ?x a :Nothing . ?x :over ?y }", "SELECT * { ?x :in :here . ?x :s ?y }"],
}  # fmt: skip

CODE = re.compile(r"EW\d\d")
ALL_TOGETHER = ("groups", "exists asked of all")
"""Programs that look at events of all keys, and of all times."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_random_streams(name: str, both: Both, tmp_path: Path) -> None:
    for number, text in enumerate(PROGRAMS[name]):
        (tmp_path / f"q{number}.rq").write_text(f"PREFIX : <urn:>\n{text}")
    (tmp_path / "s.csv").write_text(random_csv(7, 250))
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    names = " ".join(f"q{number}.rq" for number in range(len(PROGRAMS[name])))
    line = f"run {names} --stream s.csv{' --background o.ttl' if 'entailed' in name else ''}"
    local, spark = both(line)
    assert (spark.code, spark.out) == (local.code, local.out) == (0, local.out)
    assert bool(local.out) is (not name.startswith("nothing"))
    assert (WITHOUT_KEY in spark.err) is (name in ALL_TOGETHER)
    assert set(CODE.findall(spark.err)) <= set(CODE.findall(local.err)), "Spark explains less, at the most"
    assert ("EW20" in spark.err) is name.startswith("nothing")


@pytest.mark.parametrize("results", ["table", "csv", "nquads"])
def test_all_forms_of_results(results: str, both: Both, tmp_path: Path) -> None:
    form = "CONSTRUCT { ?x :r ?y }" if results == "nquads" else "SELECT *"
    (tmp_path / "q.rq").write_text(f"PREFIX : <urn:> {form} {{ ?x :p ?y . ?x :q ?y }}")
    (tmp_path / "s.csv").write_text(random_csv(3, 150))
    local, spark = both(f"run q.rq --stream s.csv --results {results}")
    assert spark == local
    assert len(local.out.splitlines()) > 5


def test_parquet(both: Both, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text("SELECT * { ?x <urn:p> ?y . ?x <urn:q> ?y }")
    (tmp_path / "s.csv").write_text(random_csv(3, 150))
    tables = []
    for engine in ("local", "spark"):
        assert main(f"run q.rq --stream s.csv --engine {engine} --output {engine}.parquet".split()) == 0
        tables.append(pq.read_table(f"{engine}.parquet"))
    assert tables[0].equals(tables[1])
    assert tables[0].num_rows


ZERO = '"""0""^^<http://www.w3.org/2001/XMLSchema#integer>"'
COUNT = "CONSTRUCT { ?x :n ?m } { ?x :n ?n FILTER(?n < 3 || ?x = :loop) BIND(?n + 1 AS ?m) }"
ANY = "SELECT * { { ?x ?p ?y } OPTIONAL { ?x :q ?y } }"
ROWS = f"""start,s,p,o
1,<urn:a>,<urn:n>,{ZERO}
5,<urn:a>,<urn:p>,<urn:b>
5,<urn:b>,<urn:q>,<urn:b>
"""
LATE = ROWS + "3,<urn:a>,<urn:p>,<urn:c>\n4,<urn:a>,<urn:p>,<urn:c>\n9,<urn:a>,<urn:p>,<urn:d>\n"


@pytest.mark.parametrize(
    ("query", "stream", "options", "code"),
    [
        (ANY, f"{ROWS}7,<urn:a>,<urn:p>,<urn:c>\n7,<urn:a>,<urn:p>,oops\n", "", "EP407"),
        (ANY, "start,s,p,o\n1,<urn:a>,<urn:p>,oops\n", "", "EP407"),
        (ANY, LATE, "", "EP413"),
        (ANY, LATE, "--on-late drop", "2 elements"),
        (ANY, LATE, "--on-late 2us", ""),
        (ANY, LATE + "8,<urn:a>,<urn:p>,<urn:c>\n2,<urn:a>,<urn:p>,<urn:c>\n", "--on-late 2us", "EP413"),
        ("SELECT * { ?x :p }", ROWS, "", "EP101"),
        (ANY, ROWS, "--background none.ttl", "EP421"),
        ("SELECT * { ?x :p ?y FILTER(prolog:near(?x)) }", ROWS, "--rules far.pl", "EP207"),
        ("SELECT * { ?x :p ?y FILTER(prolog:far(?x)) }", ROWS, "--rules far.pl", ""),
        (ANY, ROWS, "--results nquads", "EP526"),
        (ANY, ROWS, "--results ndjson --output q.rq", "EP507"),
        (ANY, "", "", "EP402"),
    ],
)  # fmt: skip
def test_what_goes_wrong(
    query: str, stream: str, options: str, code: str, both: Both, tmp_path: Path
) -> None:
    (tmp_path / "q.rq").write_text(f"PREFIX : <urn:>\n{query}")
    (tmp_path / "s.csv").write_text(stream)
    (tmp_path / "far.pl").write_text("far(_).\n")
    local, spark = both(f"run q.rq --stream s.csv {options}")
    assert spark == local
    assert local.err.startswith(code) or code in local.err


@pytest.mark.parametrize("query", [COUNT, "SELECT * { ?x :n ?y . ?x :n ?z FILTER(prolog:odd(?x)) }"])
def test_what_goes_wrong_in_an_engine(query: str, both: Both, tmp_path: Path) -> None:
    (tmp_path / "q.rq").write_text(f"PREFIX : <urn:>\n{query}")
    (tmp_path / "odd.pl").write_text("odd(X) :- X \\== 'urn:loop'.\nodd('urn:loop') :- 1 is a + 1.\n")
    things = ("a", "b", "loop", "a", "a", "loop")
    rows = (f"{time},<urn:{thing}>,<urn:n>,{ZERO}\n" for time, thing in enumerate(things))
    (tmp_path / "s.csv").write_text("".join(["start,s,p,o\n", *rows]))
    local, spark = both("run q.rq --stream s.csv --rules odd.pl --max-derivations 100")
    assert (spark.code, spark.out) == (local.code, local.out) == (4, local.out)
    assert len(local.out.splitlines()) > 1
    lines = spark.err.splitlines()
    lines.remove("    queries: q; instant: 1970-01-01T00:00:00.000002Z; key: <urn:loop>")
    assert lines == local.err.splitlines()
