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


# ---- steps -------------------------------------------------------------------------------------------------

STEPS = {
    "next": ("{ ?m :a ?x } SEQ NEXT { ?m :b ?y }", "1 a, 5 b", "3 b"),
    "not between": ("{ ?m :a ?x } SEQ NOT { ?m :n ?y } SEQ { ?m :b ?z }", "1 a, 5 b", "3 n"),
    "strict": ("{ ?m :a ?x } SEQ STRICT PER ?m { ?m :b ?z }", "1 a, 5 b", "3 other"),
    "both": ("{ ?m :a ?x } SEQ NOT { ?k :n ?y } SEQ STRICT PER ?m { ?m :b ?z }", "1 a, 5 b", "3 other"),
    "not before": ("NOT { ?m :n ?y } FOR PT0.000005S SEQ { ?m :b ?z }", "1 a, 5 b", "3 n"),
    "absence": ("{ ?m :a ?x } SEQ NOT { ?m :b ?z } FOR PT0.000005S", "1 a, 9 b", "3 b"),
    "exists": ("{ ?m :a ?x } SEQ NEXT { ?m :b ?y FILTER NOT EXISTS { ?m :n ?x } }", "1 a, 5 b", "3 n"),
    "all": ("{ ?m :a ?x } SEQ REPEAT { ?m :b ?y } SEQ { ?m :c ?z }", "1 a, 3 b, 5 c", "4 b"),
    "next of all": ("{ ?m :a ?x } SEQ REPEAT { ?m :b ?y } SEQ NEXT { ?m :c ?z }", "1 a, 3 b, 6 c", "5 c"),
    "one after the other": ("{ ?m :a ?x } SEQ REPEAT 2 NEXT { ?m :b ?y }", "1 a, 3 b, 5 b", "4 b"),
    "without a gap": ("REPEAT 2 STRICT PER ?m { ?m :b ?y }", "3 b, 5 b", "4 other"),
    "the longest": ("REPEAT 2 TO * STRICT LONGEST PER ?m { ?m :b ?y }", "3 b, 5 b, 6 c", "2 b"),
    "when it is over": ("REPEAT 2 TO * STRICT LONGEST PER ?m { ?m :b ?y }", "3 b, 5 b, 8 c", "7 other"),
    "after the longest": (
        "REPEAT STRICT LONGEST PER ?m { ?m :b ?y } SEQ STRICT PER ?m REPEAT NEXT { ?m :c ?z }",
        "3 b, 5 c",
        "4 other",
    ),
    "skipped": ("{ ?m :a ?x } SEQ { ?m :b ?y } SKIP PAST LAST", "2 a, 5 b", "1 a"),
}
"""A pattern, the stream of its one answer, and an event with which that would be wrong."""


def occurrences(text: str) -> frozenset[Occurrence]:
    events = (each.split() for each in text.split(", "))
    return frozenset((("urn:m", f"urn:{word}", "urn:o"), (int(time), int(time))) for time, word in events)


def explained(pattern: str, stream: frozenset[Occurrence]) -> tuple[Checker, Why]:
    with Engine(trace=True) as engine:
        where, _, skip = pattern.partition(" SKIP ")
        skipping = f"SKIP {skip}" if skip else ""
        engine.register(f"PREFIX : <urn:> SELECT * {{ {where} }} {skipping}", name="q")
        rows = sorted(stream, key=lambda each: each[1])
        columns = {name: [f"<{triple[place]}>" for triple, _ in rows] for place, name in enumerate("spo")}
        engine.send_batch({"start": [time for _, (time, _) in rows], **columns})
        engine.finish()
        [match] = engine.matches()
        ends = [end for _, (_, end) in rows]
        known = Dataset(stream, frozenset(), clock=(min(ends), max(ends)))
        return Checker(known, known, {"q": engine.query("q")}), engine.why(match)


@pytest.mark.parametrize("name", STEPS)
def test_steps_are_looked_at_beside_all_that_there_is(name: str) -> None:
    pattern, stream, more = STEPS[name]
    checker, why = explained(pattern, occurrences(stream))
    checker.check(why)
    with_more = replace(checker.complete, stream=occurrences(f"{stream}, {more}"))
    with pytest.raises(AssertionError):
        replace(checker, complete=with_more).check(why)


def is_repetition(proof: Proof) -> bool:
    return proof.text.startswith("REPEAT")


WRONG_RUNS: dict[str, Change] = {
    "another end": lambda each: replace(each, interval=(1, 7)),
    "another count": lambda each: replace(each, bindings={**each.bindings, "n": (3, each.bindings["n"][1])}),
    "one iteration less": lambda each: replace(each, parts=(each.parts[0], *each.parts[2:])),
    "one iteration twice": lambda each: replace(each, parts=(*each.parts[:2], each.parts[1], each.parts[3])),
    "another order": lambda each: replace(
        each, parts=(each.parts[0], each.parts[2], each.parts[1], each.parts[3])
    ),
}


@pytest.mark.parametrize("name", WRONG_RUNS)
def test_a_wrong_run_does_not_hold(name: str) -> None:
    pattern = "{ ?m :a ?x } SEQ REPEAT { ?m :b ?y } MEASURES (COUNT(*) AS ?n) SEQ { ?m :c ?z }"
    checker, why = explained(pattern, occurrences("1 a, 3 b, 4 b, 6 c"))
    checker.check(why)
    wrong = replace(why, proof=changed(why.proof, is_repetition, WRONG_RUNS[name]))
    with pytest.raises(AssertionError):
        checker.check(wrong)
