"""What a trace costs does not grow with what was derived before within the instant."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine

REACHES = """PREFIX : <urn:>
CONSTRUCT { ?x :reaches ?y } { ?x :link ?y } ;;
PREFIX : <urn:>
CONSTRUCT { ?x :reaches ?z } { ?x :reaches ?y . ?y :link ?z }"""
SCHEMA = "<urn:link> <http://www.w3.org/2000/01/rdf-schema#subPropertyOf> <urn:tie> .\n"


def inferences_a_derivation(length: int, background: list[str]) -> float:
    """For a chain of so many links that are there at once."""
    with Engine(trace=True, background=background) as engine:
        engine.register(REACHES)
        engine.send_batch(
            {
                "start": [1] * length,
                "s": [f"<urn:n{number}>" for number in range(length)],
                "p": ["<urn:link>"] * length,
                "o": [f"<urn:n{number + 1}>" for number in range(length)],
            }
        )
        before = int(prolog.call("system", "statistics", "inferences"))
        engine.finish()
        after = int(prolog.call("system", "statistics", "inferences"))
        derivations = sum(1 for _ in engine.matches())
    assert derivations == length * (length + 1) // 2
    return (after - before) / derivations


@pytest.mark.parametrize("entailment", [False, True], ids=["plain", "entailed"])
def test_a_derivation_costs_the_same_after_many_others(tmp_path: Path, entailment: bool) -> None:
    schema = tmp_path / "schema.nt"
    schema.write_text(SCHEMA, encoding="utf-8")
    few, many = (inferences_a_derivation(length, [str(schema)] * entailment) for length in (15, 45))
    assert many <= (2.5 if entailment else 1.2) * few  # entailed: all that is made of the node is looked at
