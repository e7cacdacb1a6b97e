"""Rules that run without Prolog give what Prolog gives with the same rules."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from etalis_py import DataError, Engine, RunTimeError
from etalis_py.embedding import prolog
from tests.engine.counting import in_prolog

PREFIX = "PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
WINDOW = 'FILTER(getDURATION() < "PT0.00002S"^^xsd:dayTimeDuration)'
GROUPS = {
    "mean": "SELECT ?x (AVG(?y) AS ?z) { ?x :p ?y } GROUP BY ?x WINDOW [RANGE PT0.00002S]",
    "own": """SELECT ?x ?y ?z { { ?x :p ?y } EQUALS { SELECT ?x (SUM(?w) AS ?z)
        { ?x :p ?w FILTER(ISNUMERIC(?w)) } GROUP BY ?x WINDOW [RANGE PT0.00003S] } }""",
    "late": """SELECT ?x ?y ?z ?m { { { ?x :p ?y } EQUALSOPTIONAL { ?x :q ?z } } EQUALS {
        SELECT ?x (AVG(?n) AS ?m) { ?x :p ?w BIND(STRLEN(STR(?w)) AS ?n) } GROUP BY ?x
        WINDOW [RANGE PT0.00003S] } }""",
    "late-optional": """SELECT ?x ?y ?z ?m { { { ?x :p ?y } EQUALSOPTIONAL { ?x :q ?z } } EQUALSOPTIONAL {
        SELECT ?x (COUNT(?w) AS ?m) { ?x :p ?w } GROUP BY ?x HAVING (COUNT(?w) > 1)
        WINDOW [RANGE PT0.00004S] } }""",
    "all": """SELECT (COUNT(*) AS ?a) (COUNT(?x) AS ?b) (SUM(?n) AS ?c) (AVG(?n) AS ?d)
        (MIN(?y) AS ?e) (MAX(?y) AS ?f) (SAMPLE(?y) AS ?g) (GROUP_CONCAT(STR(?n)) AS ?h)
        { ?x :p ?y BIND(IF(ISNUMERIC(?y), ?y, 7) AS ?n) } WINDOW [ROWS 5]""",
    "distinct": """SELECT ?x (COUNT(DISTINCT *) AS ?a) (COUNT(DISTINCT ?y) AS ?b)
        (SUM(DISTINCT ?n) AS ?c) (GROUP_CONCAT(DISTINCT ?n; SEPARATOR=',') AS ?d)
        { ?x :q ?y BIND(IF(ISNUMERIC(?y), ?y, 1) AS ?n) } GROUP BY ?x WINDOW [RANGE PT0.00005S]""",
    "ever": """SELECT ?x (MAX(?y) AS ?a) (MIN(?y) AS ?b) (COUNT(DISTINCT ?y) AS ?c) { ?x :r ?y }
        GROUP BY ?x""",
    "past": """SELECT ?y (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?y
        WINDOW [NOW - PT0.00003S TO NOW - PT0.00001S]""",
    "having": """SELECT ?x ?y (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x ?y HAVING (COUNT(*) > 1)
        WINDOW [ROWS 20]""",
    "seq": """SELECT ?x ?n ?w { { SELECT ?x (COUNT(?y) AS ?n) { { ?x :p ?y } SEQ { ?x :q ?z } } GROUP BY ?x
        WINDOW [RANGE PT0.00004S] } SEQ { ?x :r ?w } }""",
    "optional": """SELECT ?x (COUNT(?z) AS ?n) (SAMPLE(?y) AS ?a) { ?x :p ?y OPTIONAL { ?x :q ?z } }
        GROUP BY ?x WINDOW [ROWS 9]""",
    "steps": """SELECT ?x (COUNT(*) AS ?n) { ?x :p ?y } GROUP BY ?x
        WINDOW [RANGE PT0.00002S STEP PT0.000007S]""",
    "whole-steps": """SELECT (SUM(?n) AS ?z) { ?x :q ?y BIND(1.5 AS ?n) }
        WINDOW [RANGE PT0.00003S STEP PT0.00001S]""",
}
NATIVE = {
    "pattern": "SELECT ?x ?y { ?x :p ?y }",
    "constants": "SELECT ?y { :a :p ?y . ?y ?any :b }",
    "twice": "SELECT ?x { ?x :p ?x }",
    "seq": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z } " + WINDOW + " }",
    "three": "SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } SEQ { ?z :r ?x } }",
    "join": "SELECT * { ?x :p ?y . ?x :q ?z " + WINDOW + " }",
    "equals": "SELECT * { { ?x :p ?y } EQUALS { ?x :q ?z } }",
    "during": "SELECT * { { ?x :p ?y } DURING { ?x :q ?z } }",
    "optional": "SELECT * { ?x :p ?y OPTIONAL { ?x :q ?z } " + WINDOW + " }",
    "optional-seq": "SELECT * { { ?x :p ?y } OPTIONALSEQ { ?x :q ?z } " + WINDOW + " }",
    "equals-optional": "SELECT * { { ?x :p ?y } EQUALSOPTIONAL { ?x :q ?z } }",
    "gap": """SELECT ?x ?y ?z { { { ?x :p ?y } SEQ { ?x :q ?z } }
        EQUALSOPTIONAL { { ?x :p ?y } SEQ { ?x :r ?w } SEQ { ?x :q ?z } } FILTER(!BOUND(?w)) }""",
    "union": "SELECT * { { ?x :p ?y } UNION { ?x :q ?z } }",
    "minus": "SELECT * { ?x :p ?y MINUS { ?x :q ?z } }",
    "exists": "SELECT * { ?x :p ?y FILTER NOT EXISTS { ?x :q ?y } }",
    "distinct": "SELECT DISTINCT ?x { ?x :p ?y }",
    "filter": "SELECT * { ?x :p ?y FILTER(?y < 3) }",
    "ask": "ASK { ?x :p ?y }",
    "text": "SELECT ?x (STRLEN(STR(?y)) AS ?n) { ?x :p ?y FILTER(ISIRI(?y) || LANG(?y) = 'en') }",
    "bind": "SELECT ?x ?n { { ?x :p ?y BIND(IF(?y > 1, 'more', ?y) AS ?n) } SEQ { ?x :q ?z } }",
    "keys": "SELECT ?x { ?x :p ?y } GROUP BY ?x",
    "sum": "SELECT ?x (?y + 1 AS ?z) { ?x :p ?y }",
    "construct": "CONSTRUCT { ?x :r ?y } { ?x :p ?y }",
    "describe": "DESCRIBE ?x { ?x :p ?y }",
    "template": "CONSTRUCT { ?y ?x ?y . ?x :made _:new . _:new :from ?y } { ?x :p ?y }",
    **{f"group-{name}": query for name, query in GROUPS.items()},
    "order": "SELECT ?y { ?x :p ?y } ORDER BY ?y LIMIT 2",
    "orders": "SELECT * { ?x ?p ?y . ?x :q ?z } ORDER BY DESC(?y) ?z ?x OFFSET 1",
    "limit": "SELECT ?y { ?x ?p ?y } LIMIT 3 OFFSET 1",
    "regex": "SELECT ?x { ?x :p ?y FILTER(REGEX(STR(?y), '[a1]', 'i')) }",
    "made": """SELECT ?x (CONCAT(STR(?y), '-', REPLACE(STR(?x), 'urn', 'a')) AS ?n)
        (COALESCE(?y * 2, 'none') AS ?m) { ?x :p ?y FILTER(?y IN (?x, 1, 2, :a)) }""",
    "values": "SELECT * { VALUES (?x ?z) { (:a 1) (:b 2) (UNDEF 3) } { ?x :p ?y } SEQ { ?x :q ?w } }",
    "top": "SELECT * { { SELECT ?x ?y { ?x :p ?y } ORDER BY DESC(?y) LIMIT 1 } SEQ { ?x :q ?z } }",
}
PROLOGS = {
    "path": "SELECT * { ?x :p+ ?y }",
}
PLACED = {
    "stream": "SELECT ?y { STREAM :s { ?x :p ?y } }",
    "streams": "SELECT * { STREAM ?t { ?x :p ?y } }",
    "default": "SELECT * { STREAM <urn:etalis:default> { ?x ?p ?y } }",
    "seq-streams": "SELECT * { { STREAM ?t { ?x :p ?y } } SEQ { STREAM :s { ?x :q ?z } } " + WINDOW + " }",
    "event": "SELECT * { EVENT ?g { ?x :p ?y . ?x ?q ?z } }",
    "event-of": "SELECT * { STREAM ?t { EVENT { ?x :p ?y . ?x ?r ?z } } }",
    "from": "SELECT * FROM STREAM :s FROM STREAM :t { { ?x :p ?y } SEQ { ?x :q ?z } " + WINDOW + " }",
    "derived": "CONSTRUCT { ?y :from ?t } { STREAM ?t { ?x :p ?y } }",
    "named": "CONSTRUCT STREAM :s { ?x :p ?x . ?x :made _:b } { ?x :q ?y }",
    "seen": "SELECT * { STREAM ?t { ?x :from ?y } }",
    "class": "SELECT * { STREAM ?t { ?x a :D } }",
}
NARROW = "FROM NAMED WINDOW :w ON :s [RANGE PT0.00001S STEP PT0.000004S]"
WIDE = "FROM NAMED WINDOW :v ON :t [RANGE PT0.00003S STEP PT0.000006S STARTING AT 5]"
SLIDES = "FROM NAMED WINDOW :w ON :s [RANGE PT0.00001S]"
BOTH = "WINDOW :w { ?x :p ?y } WINDOW :v { ?x :q ?z }"
EVENTS = "EVENT ON :w { ?x :p ?y } AS A EVENT ON :v { ?x :q ?z } AS B"
WINDOWED = {
    "match": f"PRAGMA policy recent SELECT * {NARROW} {WIDE} {EVENTS} {{ MATCH {{ B SEQ A }} }}",
    "match-choices": f"""SELECT ISTREAM * {NARROW} {WIDE} {EVENTS}
        {{ MATCH {{ LAST {{ FIRST B SEQ LAST A }} UNION FIRST {{ A PAR B }} }} }}""",
    "window": f"SELECT * {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }}",
    "windows": f"SELECT ?x ?z {NARROW} {WIDE} {{ {BOTH} FILTER(?y != ?z) }}",
    "window-new": f"SELECT ISTREAM ?x {NARROW} {WIDE} {{ {BOTH} }}",
    "window-gone": f"SELECT DSTREAM ?x ?z {NARROW} {WIDE} {{ {BOTH} }}",
    "window-mean": f"""SELECT ?x (COUNT(*) AS ?n) (MAX(?y) AS ?m) {WIDE}
        {{ WINDOW :v {{ ?x :p ?y }} }} GROUP BY ?x""",
    "window-row": f"SELECT (COUNT(*) AS ?n) {NARROW} {{ WINDOW :w {{ ?x :q ?y }} }}",
    "window-optional": f"""SELECT * {NARROW}
        {{ WINDOW :w {{ ?x :p ?y }} OPTIONAL {{ WINDOW :w {{ ?y :q ?z }} }} }}""",
    "window-minus": f"""SELECT ISTREAM * {NARROW}
        {{ WINDOW :w {{ ?x :p ?y }} MINUS {{ WINDOW :w {{ ?x :q ?z }} }} }}""",
    "window-beside": f"""SELECT ISTREAM * {SLIDES}
        {{ WINDOW :w {{ ?x :p ?y }} OPTIONAL {{ WINDOW :w {{ ?x :q ?z }} FILTER (?y != ?z) }} }}""",
    "window-lonely": f"""SELECT DSTREAM ?x ?y {NARROW} {WIDE} {{ WINDOW :w {{ ?x :p ?y }}
        BIND (EXISTS {{ WINDOW :v {{ ?x :q ?z }} }} AS ?there) FILTER (!?there) }}""",
    "window-counts": f"""SELECT ISTREAM ?x (COUNT(DISTINCT ?y) AS ?n) (MIN(?y) AS ?m) {SLIDES}
        {{ WINDOW :w {{ ?x :p ?y }} MINUS {{ WINDOW :w {{ ?y :q ?x }} }} }}
        GROUP BY ?x HAVING (COUNT(*) > 1)""",
    "window-samples": f"""SELECT DSTREAM ?x (SAMPLE(?y) AS ?n) (GROUP_CONCAT(?y) AS ?m) {SLIDES}
        {{ WINDOW :w {{ ?x :p ?y }} }} GROUP BY ?x""",
    "window-path": f"""SELECT ISTREAM * {NARROW} {WIDE}
        {{ WINDOW :w {{ ?x (:p|^:q)+ ?y }} WINDOW :v {{ ?y :r+ ?z }} }}""",
    "window-first": f"""SELECT ?x ?y {SLIDES}
        {{ WINDOW :w {{ ?x :p ?y }} }} ORDER BY DESC(?y) ?x LIMIT 3 OFFSET 1""",
    "window-rest": f"""SELECT DSTREAM ?x (COUNT(*) AS ?n) {WIDE}
        {{ WINDOW :v {{ ?x :p ?y }} }} GROUP BY ?x ORDER BY ?n OFFSET 1""",
    "window-held": f"""REGISTER ISTREAM :o REPORT CLOSE NONEMPTY AS SELECT DISTINCT ?x {NARROW}
        {{ WINDOW :w {{ ?x :p ?y }} }} ORDER BY ?x""",
    "window-steady": f"""REGISTER RSTREAM :o COMPUTED EVERY PT0.000003S AS SELECT DISTINCT ?x
        {SLIDES} {WIDE} {{ {{ WINDOW :w {{ ?x :p ?y }} }} UNION {{ WINDOW :v {{ ?x :p ?y }} }} }}""",
    "window-changes": f"SELECT ISTREAM ?x {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}",
    "window-leaves": f"SELECT DSTREAM ?x ?y {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}",
    "window-slides": f"SELECT * {SLIDES} {{ WINDOW :w {{ ?x :p ?y . ?x :q ?z }} }}",
    "window-past": """SELECT ISTREAM * FROM NAMED WINDOW :u ON :t [NOW-PT0.00001S TO NOW-PT0.000004S]
        FROM NAMED WINDOW :l ON :s [RANGE UNBOUNDED] { WINDOW :u { ?x :p ?y } WINDOW :l { ?x :q ?z } }""",
    "window-arrivals": f"""REGISTER RSTREAM :o REPORT ARRIVAL NONEMPTY AS
        SELECT ?x {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }}""",
    "window-every": f"""REGISTER ISTREAM :o COMPUTED EVERY PT0.000007S AS
        SELECT ?x ?y {SLIDES} {{ WINDOW :w {{ ?x :p ?y }} }}""",
    "window-newest": """SELECT * FROM NAMED WINDOW :w ON :s [ELEMENTS 3]
        FROM NAMED WINDOW :v ON :t [ELEMENTS 2]
        { WINDOW :w { ?x :p ?y } OPTIONAL { WINDOW :v { GRAPH ?g { ?x :q ?z } } } }""",
    "window-newest-steps": """SELECT ISTREAM ?x (COUNT(*) AS ?n)
        FROM NAMED WINDOW :w ON :s [ELEMENTS 5 STEP 2] { WINDOW :w { ?x ?p ?y } } GROUP BY ?x""",
    "window-newest-every": """REGISTER RSTREAM :o COMPUTED EVERY PT0.000007S AS
        SELECT ?x ?y FROM NAMED WINDOW :w ON :s [ELEMENTS 4] { WINDOW :w { ?x :p ?y } }""",
    "window-newest-arrivals": """REGISTER DSTREAM :o REPORT ARRIVAL AS
        SELECT ?x ?y FROM NAMED WINDOW :w ON :s [ELEMENTS 4 STEP 3] { WINDOW :w { ?x :p ?y } }""",
    "window-triples": """SELECT ?x (COUNT(*) AS ?n) FROM NAMED WINDOW :w ON :s [TRIPLES 4]
        { WINDOW :w { ?x ?p ?y } } GROUP BY ?x""",
    "window-triples-steps": """SELECT ISTREAM * FROM NAMED WINDOW :w ON :s [TRIPLES 3 STEP 2]
        FROM NAMED WINDOW :v ON :t [TRIPLES 2] { WINDOW :w { ?x :p ?y } WINDOW :v { ?z :p ?w } }""",
    "window-triples-every": """REGISTER RSTREAM :o COMPUTED EVERY PT0.000007S AS
        SELECT * FROM NAMED WINDOW :w ON :t [TRIPLES 3] { WINDOW :w { ?x :p ?y } }""",
    "window-described": f"DESCRIBE ?x {NARROW} {{ WINDOW :w {{ ?x :p ?y }} }}",
    "window-times": f"""PREFIX f: <http://larkc.eu/csparql/sparql/jena/ext#>
        SELECT * {NARROW} {{ WINDOW :w {{ ?x :p ?y BIND (f:timestamp(?x, :p, ?y) AS ?t) }} }}""",
    "window-whole": """SELECT * FROM NAMED WINDOW :w ON :s [RANGE PT0.000008S STEP PT0.000004S WHOLE]
        { WINDOW :w { ?x :p ?y } }""",
}
KNOWN = {
    "names": "SELECT * { ?x :p ?y . ?x :name ?n }",
    "graph": "SELECT * { { ?x :p ?y } SEQ NEXT { ?x :q ?z GRAPH :g { ?x :name ?n } } }",
    "graphs": "SELECT * { ?x :p ?y GRAPH ?g { ?x ?how ?n } }",
    "same": "SELECT * { ?x :p ?y . ?z ?how ?z }",
    "repeated": "SELECT * { REPEAT STRICT { ?x :p ?y GRAPH :g { ?x :name ?n } } MEASURES (LAST(?n) AS ?m) }",
    "exists": "SELECT * { ?x :p ?y FILTER EXISTS { ?z :name ?n FILTER (?z != ?x && ?n != 'n3') } }",
    "missing": "SELECT * { ?x :p ?y FILTER NOT EXISTS { ?x :name ?n } }",
    "optional": "SELECT * { ?x :p ?y OPTIONAL { ?x :name ?n } }",
    "merged": "SELECT * FROM :g { ?x :p ?y . ?x :name ?n }",
    "path": "SELECT * { ?x :p ?y GRAPH :g { ?x :next+/:name ?n } }",
    "values": "SELECT * { ?x :p ?y GRAPH :g { ?x :name ?n VALUES ?n { 'A' 'n5' } } }",
}
USER = {
    "condition": "SELECT * { ?x :p ?y FILTER(prolog:small(?y)) }",
    "value": "SELECT * { { ?x :p ?y } SEQ { ?x :q ?z BIND(prolog:twice(?z) AS ?w) } " + WINDOW + " }",
    "pattern": "SELECT * { ?x :p ?y . prolog:step(?y, ?z, ?how) }",
    "all": "SELECT * { ?x :p ?y . prolog:step(?z, 5, ?z) }",
    "function": "SELECT ?x (f:short(?x, ?y) AS ?z) { ?x :p ?y }",
    "none": "SELECT * { ?x :p ?y BIND(prolog:odd(?y, 'a') AS ?z) FILTER(!BOUND(?z) || f:short(?z) = '') }",
}
RULES = """small(N) :- number(N), N < 2.
twice(N, M) :- rational(N), M is 2 * N.
step(N, M, up) :- rational(N), member(D, [1,2,3]), M is N + D.
step(up, 5, up).
odd(N, _, Odd) :- integer(N), Odd is N mod 2.
"""
NAMES = (
    "@prefix : <urn:> . :me :me :me . :g { :a :next :b . :b :next :c . :c :next :a . :b :name 'b' } "
    + "".join(f":a :name 'n{number}' . " for number in range(90))
    + ":g { :a :name 'A', 'B' . :b :name 'B' } :h { :b :name 'B', 'b' . :c :nick 'C' }"
)
TAXONOMY = """@prefix : <urn:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:C rdfs:subClassOf :B . :B rdfs:subClassOf :A . :q rdfs:subPropertyOf :p .
:p rdfs:domain :D ; rdfs:range :E ."""
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
TERMS = ["<urn:a>", "<urn:b>", "<urn:c>", "1", "2.5", '"x"', '"y"@en', "_:n", '"NaN"^^xsd:double']
XSD = "http://www.w3.org/2001/XMLSchema#"


def is_native(engine: Engine) -> bool:
    engine.advance(-(10**12))
    return prolog.call("etalis_feed", "takes_blocks", engine._module) != []


def literal(term: str) -> str:
    if term[0].isdigit():
        return f'"{term}"^^<{XSD}{"integer" if term.isdigit() else "decimal"}>'
    return term.replace("^^xsd:double", f"^^<{XSD}double>")


def batch(chance: random.Random, first: int, rows: int, *, intervals: bool = True) -> Mapping[str, Any]:
    """Rows in the order of their ends; some of them come twice."""
    ends = sorted(chance.randrange(first, first + rows) for _ in range(rows))
    starts = [end - (chance.randrange(4) if intervals else 0) for end in ends]
    s = [chance.choice(["<urn:a>", "<urn:b>", "<urn:c>", "_:n"]) for _ in ends]
    p = [chance.choice(["<urn:p>", "<urn:q>", "<urn:r>", "<urn:other>"]) for _ in ends]
    o = [literal(chance.choice(TERMS)) for _ in ends]
    for row in range(1, rows, 7):
        s[row], p[row], o[row], starts[row], ends[row] = (
            column[row - 1] for column in (s, p, o, starts, ends)
        )
    return {"start": starts, "end": ends, "s": s, "p": p, "o": o}


def placed(chance: random.Random, columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same rows in streams and named elements."""
    times = list(zip(columns["start"], columns["end"], strict=True))
    streams = [chance.choice([None, "<urn:s>", "<urn:t>"]) for _ in times]
    graphs = [chance.choice([None, f"<urn:{start}/{end}>", f"<urn:{start}/{end}/>"]) for start, end in times]
    return {**columns, "stream": streams, "graph": graphs}


def outcome(engine: Engine, batches: Iterable[Mapping[str, Any]]) -> tuple[list[str], str]:
    """All answers and the error that ends them, if one does."""
    error = ""
    try:
        for each in batches:
            engine.send_batch(each)
        engine.finish()
    except RunTimeError as problem:
        error = str(problem)
    return list(map(repr, engine.matches())), error


def outcome_of(
    queries: Mapping[str, str], batches: Iterable[Mapping[str, Any]], **options: Any
) -> tuple[list[str], str]:
    with Engine(**options) as engine:
        for name, query in queries.items():
            engine.register(PREFIX + query, name=name)
        return outcome(engine, batches)


def answers(queries: Mapping[str, str], batches: Iterable[Mapping[str, Any]], **options: Any) -> list[str]:
    found, error = outcome_of(queries, batches, **options)
    assert not error
    return found


def answers_in_turn(queries: Mapping[str, str], batches: Sequence[Mapping[str, Any]]) -> list[str]:
    """Those of an engine for each batch, which goes on from the state of the one before, in Prolog or not."""
    found: list[str] = []
    state: Any = None
    for number, each in enumerate(batches):
        with Engine() as engine:
            for name, query in queries.items():
                engine.register(PREFIX + query, name=name)
            if state is not None:
                engine.restore([state])
            if number % 2:
                engine.send_batch(each)
            else:
                with in_prolog():
                    engine.send_batch(each)
            if number + 1 == len(batches):
                engine.finish()
            found += map(repr, engine.matches())
            state = engine.snapshot()
    return found


def end_of(match: str) -> str:
    return match.partition("end=")[2].partition(",")[0]


@pytest.mark.parametrize("name", [*NATIVE, *PLACED, *WINDOWED])
def test_it_runs_without_prolog(name: str) -> None:
    with Engine() as engine:
        engine.register(PREFIX + {**NATIVE, **PLACED, **WINDOWED}[name])
        assert is_native(engine)


def test_what_never_comes_to_anything_runs_without_prolog() -> None:
    with Engine() as engine:
        engine.register(PREFIX + f"SELECT ?x {NARROW} {{ ?x :in ?r WINDOW :w {{ ?x :p ?y }} }}")
        assert is_native(engine)


@pytest.mark.parametrize("name", PROLOGS)
def test_it_needs_prolog(name: str) -> None:
    with Engine() as engine:
        engine.register(PREFIX + PROLOGS[name])
        assert not is_native(engine)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_answers_under_a_policy(seed: int, policy: Any) -> None:
    chance = random.Random(seed)
    batches = [batch(chance, first, 80) for first in (-40, 100, 140, 240)]
    queries = {name: text for name, text in NATIVE.items() if name != "describe"}  # which no policy goes with
    found = answers(queries, batches, policy=policy, on_late="drop")
    with in_prolog():
        assert answers(queries, batches, policy=policy, on_late="drop") == found
    assert len(found) > 100


@pytest.mark.parametrize("name", ["seq", "join", "optional"])
def test_policies_run_without_prolog(name: str) -> None:
    with Engine(policy="chronological") as engine:
        engine.register(PREFIX + NATIVE[name])
        assert is_native(engine)


@pytest.mark.parametrize("name", KNOWN)
def test_background_is_asked_without_a_rule_in_prolog(name: str, tmp_path: Path) -> None:
    """Ninety names of one node are more than are asked for at once."""
    chance = random.Random(name)
    batches = [batch(chance, first, 60) for first in (0, 100)]
    file = tmp_path / "names.trig"
    file.write_text(NAMES)
    same_without_prolog(KNOWN[name], batches, background=file)


def same_without_prolog(query: str, batches: Iterable[Mapping[str, Any]], **options: Any) -> None:
    """Its rules run without Prolog, and answer as they do in Prolog."""
    with Engine(**options) as engine:
        engine.register(PREFIX + query)
        assert is_native(engine)
    found = answers({"q": query}, batches, **options, on_late="drop")
    with in_prolog():
        assert answers({"q": query}, batches, **options, on_late="drop") == found
    assert found


@pytest.mark.parametrize("name", USER)
def test_what_is_the_users_is_called_without_a_rule_in_prolog(name: str, tmp_path: Path) -> None:
    chance = random.Random(name)
    batches = [batch(chance, first, 60) for first in (0, 100)]
    rules = tmp_path / "rules.pl"
    rules.write_text(RULES)
    query = "PREFIX f: <urn:f/> " + USER[name]
    same_without_prolog(query, batches, rules=rules, functions={"urn:f/short": short})


def short(*values: object) -> str:
    return "".join(str(value)[-1:] for value in values)


def test_an_error_of_the_users_predicate_is_that_of_prolog(tmp_path: Path) -> None:
    rules = tmp_path / "rules.pl"
    rules.write_text("bad(N) :- ( N == 2 -> atom_length(_, _) ; true ).")
    objects = [literal(str(number)) for number in (1, 2, 3)]
    rows = {"start": [1, 2, 3], "s": ["<urn:a>"] * 3, "p": ["<urn:p>"] * 3, "o": objects}

    def told() -> tuple[str, list[str]]:
        with Engine(rules=rules) as engine:
            engine.register(PREFIX + "SELECT ?y { ?x :p ?y FILTER(prolog:bad(?y)) }")
            with pytest.raises(RunTimeError) as raised:
                engine.send_batch(rows)
            return str(raised.value), [str(match) for match in engine.matches()]

    found = told()
    with in_prolog():
        assert told() == found
    assert len(found[1]) == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("entails", [False, True])
def test_answers_are_those_of_prolog(seed: int, entails: bool, tmp_path: Path) -> None:
    chance = random.Random(seed)
    batches = [batch(chance, first, 80) for first in (-40, 100, 140, 240)]
    options: dict[str, Any] = {"on_late": "drop"}
    if entails:
        (tmp_path / "t.ttl").write_text(TAXONOMY)
        options["background"] = [tmp_path / "t.ttl"]
        queries = {**NATIVE, "class": "SELECT ?x { ?x a :D }", "both": "SELECT ?x { ?x a :D . ?x a :E }"}
    else:
        queries = NATIVE
    found = answers(queries, batches, **options)
    with in_prolog():
        assert answers(queries, batches, **options) == found
    assert len(found) > 300


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("entails", [False, True])
def test_answers_from_streams(seed: int, entails: bool, tmp_path: Path) -> None:
    chance = random.Random(seed)
    batches = [placed(chance, batch(chance, first, 60)) for first in (0, 40, 140)]
    options: dict[str, Any] = {"on_late": "drop"}
    if entails:
        (tmp_path / "t.ttl").write_text(TAXONOMY)
        options["background"] = [tmp_path / "t.ttl"]
    queries = {**PLACED, **WINDOWED, "everywhere": NATIVE["pattern"], "seq": NATIVE["seq"]}
    found = answers(queries, batches, **options)
    with in_prolog():
        assert answers(queries, batches, **options) == found
    assert len(found) > 200
    for name in WINDOWED:
        assert any(f"query='{name}'" in each for each in found)


def test_classes_of_a_taxonomy(tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(TAXONOMY)
    kinds = ["<urn:A>", "<urn:B>", "<urn:C>", "<urn:Z>", '"C"']
    rows = [
        (n, "<urn:a>", f"<{'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'}>", kinds[n % 5])
        for n in range(50)
    ]
    columns = dict(zip(("start", "s", "p", "o"), map(list, zip(*rows, strict=True)), strict=True))
    queries = {
        "a": "SELECT ?x { ?x a :A }",
        "b": "SELECT ?x ?t { ?x a ?t }",
        "c": "SELECT * { ?x ?p ?t . ?x a :B }",
    }
    found = answers(queries, [columns], background=[tmp_path / "t.ttl"])
    with in_prolog():
        assert answers(queries, [columns], background=[tmp_path / "t.ttl"]) == found
    assert sum("query='a'" in each for each in found) == 30


def test_queries_that_differ_in_constants() -> None:
    chance = random.Random(11)
    batches = [batch(chance, 30 * part, 30) for part in range(4)]
    queries = {
        f"{form}-{one}-{other}": f"SELECT * {{ {{ ?x :{one} :a }} {form} {{ ?x :{other} ?z {other_than} }} }}"
        for form, other_than in [("SEQ", "FILTER(?z != 0)"), ("EQUALS", "FILTER(?z != 1)")]
        for one in "pqr"
        for other in "pqr"
    }
    together = answers(queries, batches)
    with in_prolog():
        assert answers(queries, batches) == together
    apart = [each for name, text in queries.items() for each in answers({name: text}, batches)]
    assert sorted(apart) == sorted(together)
    assert together


def test_one_goes_on_where_the_other_stopped() -> None:
    chance = random.Random(7)
    batches = [placed(chance, batch(chance, first, 60)) for first in range(0, 600, 60)]
    queries = {**NATIVE, **WINDOWED}
    whole = answers(queries, batches)
    mixed = []
    with Engine() as engine:
        for name, query in queries.items():
            engine.register(PREFIX + query, name=name)
        for number, each in enumerate(batches):
            if number % 2:
                engine.send_batch(each)
            else:
                with in_prolog():
                    engine.send_batch(each)
        engine.finish()
        mixed = list(map(repr, engine.matches()))
    assert mixed == whole


@pytest.mark.parametrize("ends", ["SEQ { ?x :q ?z }", "SEQ { ?z :q ?x }", "SEQ NOT { ?x :q ?z } FOR PT0.1S"])
def test_so_many_goals_that_rows_are_looked_up_ahead(ends: str) -> None:
    keys = [f"<urn:k{number}>" for number in range(5_000)]
    steps = [(key, "<urn:p>", key) for key in keys] + [(key, "<urn:q>", key) for key in reversed(keys[::2])]
    columns = dict(zip("spo", map(list, zip(*steps, strict=True)), strict=True))
    batches = [{"start": list(range(len(steps))), **columns}]
    queries = {"pairs": f"SELECT * {{ {{ ?x :p ?y }} {ends} }}", "twice": NATIVE["pattern"]}
    found = answers(queries, batches)
    with in_prolog():
        assert answers(queries, batches) == found
    assert sum("query='pairs'" in each for each in found) == 2_500


@pytest.mark.parametrize("policy", ["chronological", "recent"])
def test_so_many_goals_that_what_they_are_made_of_is_looked_up_ahead(policy: str) -> None:
    keys = [f"<urn:k{number}>" for number in range(5_000)]
    steps = [(key, f"<urn:{step}>", key) for step in "pqr" for key in (keys if step < "r" else keys[::2])]
    columns = dict(zip("spo", map(list, zip(*(2 * steps), strict=True)), strict=True))
    batches = [{"start": list(range(2 * len(steps))), **columns}]
    queries = {"chain": "SELECT * { { ?x :p ?a } SEQ { ?x :q ?y } SEQ { ?y :r ?c } }"}
    found = answers(queries, batches, policy=policy)
    with in_prolog():
        assert answers(queries, batches, policy=policy) == found
    assert len(found) == 5_000


def test_times_beyond_what_a_block_can_have() -> None:
    for first in (2**60 - 30, 2**63 - 30, 2**70):
        chance = random.Random(1)
        batches = [batch(chance, each, 60) for each in (0, first, first + 100)]
        found = answers({"seq": NATIVE["seq"], "join": NATIVE["join"]}, batches)
        with in_prolog():
            assert answers({"seq": NATIVE["seq"], "join": NATIVE["join"]}, batches) == found
        assert found


def test_a_late_row_is_an_error() -> None:
    with Engine() as engine:
        engine.register(PREFIX + NATIVE["pattern"])
        columns = {"start": [5, 6, 4, 7], **{name: ["<urn:p>"] * 4 for name in "spo"}}
        with pytest.raises(DataError) as caught:
            engine.send_batch(columns)
        assert caught.value.code == "EP413"
        assert caught.value.place is not None
        assert caught.value.place.row == 3


def test_answers_leave_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(2)
    last = {"start": [1000], "s": ["<urn:a>"], "p": ["<urn:r>"], "o": ["<urn:b>"]}
    batches = [batch(chance, 0, 200), last]
    whole = answers(NATIVE, batches)
    monkeypatch.setattr("etalis_py.engine.feeding.MOST_ANSWERS_AT_ONCE", 5)
    found = answers(NATIVE, batches)
    assert sorted(found) == sorted(whole)
    assert list(map(end_of, found)) == list(map(end_of, whole)), "instants come one after the other"


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_limit_of_answers(most: int) -> None:
    chance = random.Random(most)
    batches = [batch(chance, first, 40) for first in (0, 40)]
    queries = {name: NATIVE[name] for name in ("pattern", "seq", "join", "ask", "construct", "union")}
    queries["few"] = "PRAGMA max_answers_per_instant 2\n" + PREFIX + NATIVE["pattern"]
    with Engine(max_answers_per_instant=most) as engine:
        engine.register(PREFIX + queries["pattern"])
        assert is_native(engine)
    found = outcome_of(queries, batches, max_answers_per_instant=most)
    with in_prolog():
        assert outcome_of(queries, batches, max_answers_per_instant=most) == found
    assert "EP310" in found[1]


@pytest.mark.parametrize("name", ["windows", "window-gone", "window-mean", "window-leaves", "window-beside"])
def test_windows_that_are_dealt_to_threads_by_key(name: str) -> None:
    chance = random.Random(name)
    batches = [placed(chance, batch(chance, first, 60)) for first in (0, 60, 160)]
    whole = answers({name: WINDOWED[name]}, batches)
    assert answers({name: WINDOWED[name]}, batches, threads=2) == whole
    assert whole
