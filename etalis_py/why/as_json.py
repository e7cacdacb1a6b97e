"""Proofs as JSON: for ``etalis run --why --results ndjson``, and for programs that draw them themselves."""

from __future__ import annotations

from typing import Any

from etalis_py.core.terms import to_sparql_json
from etalis_py.core.times import format_time
from etalis_py.why.tree import Inference, Proof, Triple, Why

__all__ = ["proof_json", "why_json"]


def why_json(why: Why) -> dict[str, Any]:
    """The tree; all members of groups are in it.

    What queries made stands once, in ``derivations``, under the number that ``madeBy`` has.
    """
    derivations = {each.derivation.number: each.derivation for each in why.proof.walk() if each.derivation}
    made = {
        str(number): {"query": each.query, "proof": proof_json(each.proof)}
        for number, each in sorted(derivations.items(), key=lambda each: each[0] or 0)
    }
    found: dict[str, Any] = {"query": why.query, "proof": proof_json(why.proof)}
    return found | ({"derivations": made} if made else {})


def proof_json(proof: Proof) -> dict[str, Any]:
    """One node and what is below it. What is empty is left out."""
    found: dict[str, Any] = {"kind": proof.kind.value, "text": proof.text, "line": proof.line}
    if proof.interval is not None:
        start, end = map(format_time, proof.interval)
        found |= {"start": start, "end": end}
    bindings = {
        name: to_sparql_json(term) for name, term in proof.bindings.items() if not name.startswith("_:")
    }
    more: dict[str, Any] = {
        "bindings": bindings,
        "triple": proof.triple and _triple(proof.triple),
        "said": _triple(proof.said) if proof.said is not None and proof.inferences else None,
        "inferences": list(map(_inference, proof.inferences)),
        "graph": proof.graph,
        "stream": proof.stream,
        "madeBy": proof.derivation and proof.derivation.number,
        "witnesses": list(map(proof_json, proof.witnesses)),
        "absent": list(proof.absent),
        "parts": list(map(proof_json, proof.parts)),
    }
    return found | {name: value for name, value in more.items() if value}


def _inference(inference: Inference) -> dict[str, Any]:
    return {
        "rule": inference.rule,
        "schema": _triple(inference.schema),
        "triple": _triple(inference.triple),
    }


def _triple(triple: Triple) -> list[dict[str, str]]:
    return list(map(to_sparql_json, triple))
