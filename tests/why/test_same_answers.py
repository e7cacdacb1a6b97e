"""With a trace the answers are those without: worked cases, with gaps and windows, and the policies."""

from __future__ import annotations

from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

from etalis_py.core.errors import QueryError
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams import open_streams
from tests.oracle.chooser import Chooser
from tests.oracle.policy_examples import PolicyExample, make_policy_example
from tests.oracle.running import batch_of

CASES = sorted(file.parent for file in (Path(__file__).parent.parent / "cases").glob("*/about.md"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases_are_answered_alike_and_explained(case: Path) -> None:
    background = case / "background.ttl"
    found = []
    for trace in (False, True):
        with Engine([str(background)] if background.exists() else (), trace=trace) as engine:
            for file in sorted(case.glob("query*.rq")):
                engine.register(file.read_text(encoding="utf-8"), name=file.stem, source=str(file))
            for batch in open_streams([str(case / "stream.csv")]):
                engine.send_encoded(batch)
            engine.finish()
            matches = list(engine.matches())
            found.append([shown(match) for match in matches])
            if trace:
                for match in matches:
                    why = engine.why(match)
                    assert str(why).startswith(match.query)
                    assert ElementTree.fromstring(why.svg()).tag.endswith("svg")
                    assert why.as_json()["query"] == match.query
    assert found[0] == found[1]


def test_policies_choose_alike() -> None:
    learned = 0
    for seed in range(150):
        example = make_policy_example(Chooser(Random(seed).randint))
        try:
            plain, traced = (answers(example, trace=trace) for trace in (False, True))
        except QueryError:
            continue
        assert plain == traced, f"seed {seed}: {example}"
        learned += bool(plain)
    assert learned > 30


def answers(example: PolicyExample, *, trace: bool) -> list[object]:
    """The answers of a query under a policy."""
    texts = [example.query, *([example.maker] if example.maker else [])]
    with Engine(policy=example.policy, trace=trace) as engine:
        for text in texts:
            engine.register(text)
        for batch in example.batches:
            if batch:
                engine.send_encoded(batch_of(batch))
        engine.finish()
        matches = list(engine.matches())
        if trace:
            for match in matches:
                assert engine.why(match).events
        return [shown(match) for match in matches]


def shown(match: Match) -> tuple[object, ...]:
    """All of a match that everybody sees; what a new blank node is called means nothing."""
    triples = None if match.encoded_triples is None else len(match.encoded_triples)
    return match.query, match.start, match.end, match.values, triples, match.boolean
