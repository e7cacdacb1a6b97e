"""What users read: one golden text for each error code, and one for each slip that has a hint.

``tests/compiler/slips.txt`` has the slips: a query, what is said about it, and a line of dashes. To write
the golden texts anew after a change, run the tests with ETALIS_GOLDEN=write and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import QuerySyntaxError
from etalis_py.core.explanations import MESSAGES

TESTS = Path(__file__).resolve().parents[1]
SLIPS = TESTS / "compiler" / "slips.txt"
BETWEEN = f"\n{'-' * 20}\n"

TRIGGERS = {
    "EP101": "SELECT ?x WHERE {\n  ?x a <urn:Storm> SEQ ?x a <urn:Flood>\n}",
    "EP102": "SELECT ?x WHERE {\n  { ?x a <urn:Storm> } SEQ { ?x a <urn:Flood> }\n",
    "EP103": "SELECT ?x WHERE { ?x a <urn:Storm> FILTER(?x > 1 & ?x < 5) }",
    "EP104": "SELECT ?x WHERE {\n  ?x a 'Storm\n}",
    "EP105": r"SELECT ?x WHERE { ?x <urn:path> 'C:\data' }",
    "EP106": "PREFIX event: <urn:event:>\nSELECT ?x WHERE { ?x a evnt:Storm }",
    "EP107": f"ASK {'{' * 300}{'}' * 300}",
    "EP108": "SELECT ?x WHERE { ?x a <urn:Storm> } WINDOW [RANGE P10H]",
    "EP109": "SELECT ?x WHERE { ?x a <urn:Storm> } LIMIT 99999999999999999999",
    "EP110": "SELECT ?x WHERE { ?x a ?kind BIND(<urn:Storm> AS ?kind) }",
    "EP111": "SELECT (1 AS ?x) WHERE { ?x a <urn:Storm> }",
    "EP112": "SELECT ?x WHERE { { ?x <urn:p> _:b } SEQ { _:b <urn:q> ?x } }",
    "EP113": "SELECT ?x WHERE { VALUES (?x ?y) { (1 2) (3) } }",
    "EP114": "SELECT ?x (COUNT(?y) AS ?count) WHERE { ?x <urn:p> ?y }",
    "EP115": "SELECT ?x WHERE { ?x <urn:p> ?y FILTER(SUM(?y) > 3) }",
    "EP116": "SELECT * WHERE { ?x <urn:p> ?y } GROUP BY ?x",
    "EP118": "SELECT * { { ?x <urn:p> ?y } EQUALS NOT { ?x <urn:q> ?z } }",
    "EP119": "SELECT ?y { { ?x <urn:a> ?z } SEQ REPEAT { ?x <urn:p> ?y } }",
    "EP120": "SELECT * { { ?x <urn:p> ?y } SEQ NOT { ?x <urn:q> ?z } }",
    "EP117": "CONSTRUCT { ?x <urn:p>/<urn:q> ?y } WHERE { ?x <urn:p> ?y }",
}


def said(text: str) -> str:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text, source="query.rq")
    return str(caught.value)


@pytest.mark.parametrize("code", TRIGGERS)
def test_golden_text_of_a_code(code: str) -> None:
    golden = MESSAGES / f"{code}.txt"
    text = f"{said(TRIGGERS[code])}\n"
    if os.environ.get("ETALIS_GOLDEN") == "write":
        golden.write_text(text, encoding="utf-8")
    assert text.startswith(f"{code} query.rq, line ")
    assert text == golden.read_text(encoding="utf-8")


def golden_slips(file: Path, said: Callable[[str], str]) -> list[str]:
    """What is said about each query of a file, as it has it."""
    slips = file.read_text(encoding="utf-8").split(BETWEEN)[:-1]
    queries = [slip.split("\n\n", 1)[0] for slip in slips]
    answers = list(map(said, queries))
    pairs = zip(queries, answers, strict=True)
    now = "".join(f"{query}\n\n{answer}{BETWEEN}" for query, answer in pairs)
    if os.environ.get("ETALIS_GOLDEN") == "write":
        file.write_text(now, encoding="utf-8")
    assert now == file.read_text(encoding="utf-8")
    return answers


def test_golden_texts_of_slips() -> None:
    assert len(golden_slips(SLIPS, said)) > 50
