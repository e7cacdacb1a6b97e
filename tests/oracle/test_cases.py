"""The answers of tests/cases, which were worked out by hand: the oracle comes to the same."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import encode_ntriples, from_rdflib, to_sparql_json
from etalis_py.core.times import format_time, parse_time
from etalis_py.core.vocabulary import DEFAULT_STREAM
from tests.oracle.policy_parts import Policy
from tests.oracle.policy_program import PolicyQuery, policy_answers
from tests.oracle.program import World, answers
from tests.oracle.solutions import Placed

CASES = sorted(file.parent for file in Path(__file__).parents[1].glob("cases/*/about.md"))


def texts(case: Path) -> dict[str, str]:
    """The queries by their names."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(case.glob("query*.rq"))}


def world(case: Path) -> World:
    """The stream and what is known besides."""
    known = rdflib.Dataset()
    for file in case.glob("background.*"):
        known.parse(file)
    graphs = {
        str(graph.identifier): frozenset(
            (from_rdflib(s), from_rdflib(p), from_rdflib(o)) for s, p, o in graph
        )
        for graph in known.graphs()
    }
    default = graphs.pop(str(DATASET_DEFAULT_GRAPH_ID), frozenset())
    placed = frozenset(_occurrences(case / "stream.csv"))
    times = [each.interval[1] for each in placed]
    return World(frozenset(), default, named=graphs, clock=(min(times), max(times)), placed=placed)


def _occurrences(file: Path) -> Iterator[Placed]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            start = _time(row["start"])
            end = _time(row["end"]) if row.get("end") else start
            s, p, o = (encode_ntriples(row[column]) for column in "spo")
            stream, graph = (
                encode_ntriples(row[each]) if row.get(each) else "" for each in ("stream", "graph")
            )
            assert isinstance(stream, str)
            assert isinstance(graph, str)
            yield Placed((s, p, o), (start, end), stream or DEFAULT_STREAM, graph or None)


def _time(text: str) -> int:
    return int(text) if text.isdigit() else parse_time(text)


def expected(case: Path) -> Counter[str]:
    """What the hand worked out."""
    lines = (case / "expected.ndjson").read_text(encoding="utf-8").splitlines()
    return Counter(_in_order(json.loads(line)) for line in lines)


def found(case: Path) -> Counter[str]:
    """What the oracle works out."""
    queries, known = texts(case), world(case)
    policies = [_policy(text) for text in queries.values()]
    if any(policy != "unrestricted" for policy in policies):
        asked = [PolicyQuery(text, policy) for text, policy in zip(queries.values(), policies, strict=True)]
        all_answers = policy_answers(asked, known.placed, known.background)
    else:
        all_answers = answers([parse(text) for text in queries.values()], known)
    return Counter(
        _in_order({"query": name, "start": format_time(start), "end": format_time(end), **_answer(parts)})
        for name, rows in zip(queries, all_answers, strict=True)
        for parts, start, end in rows
    )


def _policy(text: str) -> Policy:
    written = re.match(r"PRAGMA policy (\w+)", text)
    return cast("Policy", written[1]) if written else "unrestricted"


def _answer(parts: frozenset[Any]) -> dict[str, Any]:
    """Bindings are pairs of a name and a term, triples are triples."""
    if parts == {True}:
        return {"boolean": True}
    if all(len(each) == 2 for each in parts):
        return {"bindings": {name: to_sparql_json(term) for name, term in parts}}
    return {"triples": [list(map(to_sparql_json, triple)) for triple in parts]}


def _in_order(line: dict[str, Any]) -> str:
    """Without the names of blank nodes and streams."""
    line.pop("stream", None)
    if "triples" in line:
        line["triples"].sort(key=json.dumps)
    return re.sub(r'("type": "bnode", "value": )"[^"]+"', r"\1", json.dumps(line, sort_keys=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    assert found(case) == expected(case)
