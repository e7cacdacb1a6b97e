"""The checker of proofs refuses those that are wrong, each in its own way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from etalis_py.engine.engine import Engine
from etalis_py.why import Kind, Proof, Why
from tests.oracle.entailment import Closure
from tests.oracle.solutions import Dataset, Occurrence, Triple
from tests.why.checker import Checker

BACKGROUND: frozenset[Triple] = frozenset(
    {
        ("urn:cooled", "http://www.w3.org/2000/01/rdf-schema#subPropertyOf", "urn:moved"),
        ("urn:box", "urn:holds", "urn:fish"),
    }
)
STREAM: frozenset[Occurrence] = frozenset(
    {(("urn:box", "urn:unloaded", "urn:dock"), (1, 1)), (("urn:box", "urn:cooled", "urn:fridge"), (5, 5))}
)
QUERY = """
SELECT * { { { ?b <urn:unloaded> ?d } SEQ { ?b <urn:moved> ?p } } { ?b <urn:holds> ?what }
           OPTIONAL { ?b <urn:sold> ?s } FILTER (?p != <urn:yard>) }
"""

Change = Callable[[Proof], Proof]


@pytest.fixture
def checked(tmp_path: Path) -> tuple[Checker, Why]:
    """A checker, and a proof that holds."""
    file = tmp_path / "background.nt"
    file.write_text("".join(" ".join(f"<{term}>" for term in triple) + " .\n" for triple in BACKGROUND))
    with Engine([file], trace=True) as engine:
        engine.register(QUERY, name="q")
        rows = sorted(STREAM, key=lambda each: each[1])
        columns = {name: [f"<{triple[place]}>" for triple, _ in rows] for place, name in enumerate("spo")}
        engine.send_batch({"start": [time for _, (time, _) in rows], **columns})
        engine.finish()
        [match] = engine.matches()
        closure = Closure.of(BACKGROUND)
        complete = Dataset(closure.entailed(STREAM), closure.triples)
        checker = Checker(Dataset(STREAM, BACKGROUND), complete, {"q": engine.query("q")})
        return checker, engine.why(match)


def test_a_right_proof_holds(checked: tuple[Checker, Why]) -> None:
    checker, why = checked
    checker.check(why)
    assert checker.counts["rdfs7"] == 1
    assert checker.counts["OPTIONAL alone"] == 1


def is_event(proof: Proof) -> bool:
    return proof.kind is Kind.EVENT


def is_inferred(proof: Proof) -> bool:
    return bool(proof.inferences)


def is_background(proof: Proof) -> bool:
    return proof.kind is Kind.BACKGROUND


def is_sequence(proof: Proof) -> bool:
    return proof.text == "SEQ"


WRONG: dict[str, tuple[Callable[[Proof], bool], Change]] = {
    "another time": (is_event, lambda each: replace(each, interval=(2, 2))),
    "another triple": (is_event, lambda each: replace(each, triple=("urn:box", "urn:unloaded", "urn:x"))),
    "another source": (is_inferred, lambda each: replace(each, said=("urn:box", "urn:sold", "urn:fridge"))),
    "no rule": (is_inferred, lambda each: replace(each, inferences=())),
    "another rule": (
        is_inferred,
        lambda each: replace(each, inferences=(replace(each.inferences[0], rule="rdfs9"),)),
    ),
    "not known": (is_background, lambda each: replace(each, said=("urn:box", "urn:holds", "urn:wine"))),
    "other bindings": (is_sequence, lambda each: replace(each, bindings={})),
    "too long": (is_sequence, lambda each: replace(each, interval=(0, 5))),
    "other order": (is_sequence, lambda each: replace(each, parts=each.parts[::-1])),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_proof_does_not(name: str, checked: tuple[Checker, Why]) -> None:
    checker, why = checked
    wanted, change = WRONG[name]
    wrong = replace(why, proof=changed(why.proof, wanted, change))
    assert wrong.proof != why.proof
    with pytest.raises((AssertionError, ValueError)):
        checker.check(wrong)


def test_what_is_alone_had_no_partner(checked: tuple[Checker, Why]) -> None:
    """The same proof is wrong where the box had been sold."""
    checker, why = checked
    sold = (("urn:box", "urn:sold", "urn:shop"), (3, 3))
    complete = replace(checker.complete, stream=checker.complete.stream | {sold})
    with pytest.raises(AssertionError, match="alone"):
        replace(checker, complete=complete).check(why)


def changed(proof: Proof, wanted: Callable[[Proof], bool], change: Change) -> Proof:
    """The proof with the wanted nodes changed."""
    parts = tuple(changed(part, wanted, change) for part in proof.parts)
    found = replace(proof, parts=parts)
    return change(found) if wanted(found) else found
