"""The work of the runs that are killed: streams, queries, and what one run of them writes."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from etalis_py.streams import lines

__all__ = ["KILL", "QUERIES", "STREAMS", "in_small_pieces", "line_for", "work"]

ROWS = 80
STREAMS = ("s0.ndjson", "s1.csv", "s2.ndjson.gz", "s3.trig")
PREFIX = "PREFIX : <urn:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
QUERIES = {
    "pairs": "SELECT ?x { { ?x :is :low } SEQ { ?x :is :high }"
    ' FILTER(getDURATION() < "PT0.00002S"^^xsd:duration) }',
    "counts": "SELECT ?x (COUNT(*) AS ?n) { ?x :is ?y } GROUP BY ?x HAVING (COUNT(*) > 2)"
    " WINDOW [RANGE PT0.00003S STEP PT0.00001S]",
    "alone": "SELECT ?x ?y { { ?x :is :low } OPTIONAL { ?x :is :high . ?x :has ?y } }",
    "made": "CONSTRUCT { _:b :about ?x . _:b :from ?y } { { ?x :has ?y } SEQ { ?x :is :low } }",
    "seen": "SELECT ?b ?x { ?b :about ?x . ?b :from ?y }",
}


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(lines, "CHUNK", 700)


@pytest.fixture
def work(folder: Path) -> Path:
    """The current folder with streams and queries."""
    for name, text in QUERIES.items():
        (folder / f"{name}.rq").write_text(PREFIX + text)
    (folder / "ask.rq").write_text(PREFIX + "ASK { ?x :is :high }")
    (folder / "never.rq").write_text(PREFIX + "ASK { ?x :is :never }")
    chance = random.Random(11)
    rows = [[_row(chance) for _ in range(ROWS)] for _ in STREAMS]
    for number, each in enumerate(rows):
        each.sort(key=lambda row: row[0])
        if number == 1:  # late by less than the delay of a test
            each[40], each[41] = each[41], each[40]
    (folder / "s0.ndjson").write_text(ndjson(rows[0]))
    (folder / "s1.csv").write_text("start,s,p,o\n" + "".join("{},{},{},{}\n".format(*row) for row in rows[1]))
    (folder / "s2.ndjson.gz").write_bytes(gzip.compress(ndjson(rows[2]).encode()))
    (folder / "s3.trig").write_text(
        "@prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        + "".join(
            f"<urn:g{n}> {{ {s} {p} {o if n % 5 else '[]'} }}\n"
            f'<urn:g{n}> prov:generatedAtTime "1970-01-01T00:00:00.{time:06}Z"^^xsd:dateTime .\n'
            for n, (time, s, p, o) in enumerate(rows[3])
        )
    )
    return folder


def _row(chance: random.Random) -> tuple[int, str, str, str]:
    time, thing = chance.randrange(240), f"<urn:s{chance.randrange(9)}>"
    if chance.random() < 0.2:
        return time, thing, "<urn:has>", f"<urn:v{chance.randrange(5)}>"
    return time, thing, "<urn:is>", chance.choice(["<urn:low>", "<urn:high>"])


def ndjson(rows: list[tuple[int, str, str, str]]) -> str:
    return "".join(json.dumps(dict(zip(("start", "s", "p", "o"), row, strict=True))) + "\n" for row in rows)


KILL = "--on-late 50us"
"""So that elements that wait to be put in order are in the state."""


def line_for(form: str, more: str = KILL, output: str = "out") -> str:
    """The command line, without --state."""
    queries = {"nquads": ["made"], "csv": ["counts"], "tsv": ["alone"]}.get(form, list(QUERIES))
    names = " ".join(f"{name}.rq" for name in queries)
    return f"run {names} --stream {' '.join(STREAMS)} --results {form} --output {output} {more}"
