"""A query runs from the command line of the installed wheel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

QUERY = """
PREFIX ex: <http://example.org/>
SELECT ?who ?from ?to WHERE { { ?who ex:leaves ?from } SEQ { ?who ex:reaches ?to } }
"""

STREAM = """start,s,p,o
1,<http://example.org/ann>,<http://example.org/leaves>,<http://example.org/home>
2,<http://example.org/bob>,<http://example.org/reaches>,<http://example.org/work>
3,<http://example.org/ann>,<http://example.org/reaches>,<http://example.org/work>
"""


def test_a_query_runs(run, installed: Path, tmp_path: Path) -> None:
    (tmp_path / "trips.rq").write_text(QUERY)
    (tmp_path / "moves.csv").write_text(STREAM)
    words = ["run", "trips.rq", "--stream", "moves.csv", "--results", "ndjson"]
    (answer,) = [json.loads(line) for line in run(installed / "etalis", words, tmp_path).splitlines()]
    assert answer["query"] == "trips"
    found = {name: term["value"].rpartition("/")[2] for name, term in answer["bindings"].items()}
    assert found == {"who": "ann", "from": "home", "to": "work"}
