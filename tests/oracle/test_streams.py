"""Named streams and elements: the engine against the oracle, on random programs and streams.

The same triples come with the same intervals in several streams and several elements: what counts once, and
what counts in each, is told apart by this.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long tests.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from etalis_py import Engine
from etalis_py.core.vocabulary import DEFAULT_STREAM
from tests.oracle.checking import check, check_seeds
from tests.oracle.chooser import Chooser, drawn
from tests.oracle.examples import make_example, make_stream_example
from tests.oracle.operators import STREAM
from tests.oracle.running import batch_of
from tests.oracle.test_policies import OPERATORS, POLICIES, NoExampleError
from tests.oracle.test_policies import check as check_policy
from tests.oracle.vocabulary import SECOND

LONG = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000"))


def test_examples_have_what_tells_right_from_wrong() -> None:
    """Copies in streams, in elements of one stream, in elements with a name; queries of each kind."""
    examples = [make_stream_example(Chooser(Random(seed).randint)) for seed in range(100)]
    text = "\n".join(query for each in examples for query in each.queries)
    for words in ("STREAM ?", "STREAM :", "EVENT {", "EVENT ?", "EVENT :", "FROM STREAM", "CONSTRUCT STREAM"):
        assert words in text
    placed = [occurrence for each in examples for occurrence in each.placed]
    assert {None, "urn:a", "_:m0"} <= {each.graph for each in placed}
    assert {DEFAULT_STREAM, "urn:a", "urn:s", "urn:o"} == {each.stream for each in placed}
    assert len(placed) > 1.5 * sum(len(each.stream) for each in examples)


def test_an_element_with_a_name_has_one_interval() -> None:
    for seed in range(100):
        named = [each for each in make_stream_example(Chooser(Random(seed).randint)).placed if each.graph]
        of_each = {(each.stream, each.graph): each.interval for each in named}
        assert all(each.interval == of_each[each.stream, each.graph] for each in named)


@pytest.mark.parametrize("streams", ["s", "u", "st", "tu", "uv"])
def test_background_and_streams_are_one_graph_at_one_instant(streams: str, tmp_path: Path) -> None:
    """A triple that the background has as well is one, be it in the streams of FROM STREAM or in others."""
    known = tmp_path / "known.nt"
    known.write_text("<urn:a> <urn:p> <urn:b> .\n", encoding="utf-8")
    clauses = " ".join(f"FROM STREAM <urn:{each}>" for each in streams)
    with Engine([known], at=SECOND) as engine:
        engine.register(f"SELECT * {clauses} WHERE {{ ?x <urn:p> ?y }}", name="q")
        triple = ("urn:a", "urn:p", "urn:b")
        occurrences = [(triple, (SECOND, SECOND))] * 2
        engine.send_encoded(batch_of(occurrences, [("urn:s", None), ("urn:t", None)]))
        engine.finish()
        assert len(list(engine.matches())) == 1


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=50)
@given(data=st.data())
def test_engine_agrees_with_oracle(data: st.DataObject, backgrounds: list[Path]) -> None:
    check(make_stream_example(drawn(data.draw)), backgrounds)


def test_engine_agrees_with_oracle_for_each_seed(backgrounds: list[Path]) -> None:
    check_seeds(150, backgrounds, make_stream_example, "streams")


@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_oracle_at_length(backgrounds: list[Path]) -> None:
    check_seeds(LONG, backgrounds, make_stream_example, "streams long")


def test_engine_consumes_as_the_definition_says(backgrounds: list[Path]) -> None:
    assert check_policies(range(100), backgrounds) > 0


@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_consumes_as_the_definition_says_at_length(backgrounds: list[Path]) -> None:
    assert check_policies(range(100, LONG), backgrounds) > 0


def check_policies(seeds: range, backgrounds: list[Path]) -> int:
    """In how many examples a policy made a difference."""
    learned = 0
    for seed in seeds:
        choice = Chooser(Random(f"streams {seed}").randint)
        engines = choice.choose(POLICIES)
        own = [choice.choose((None, *POLICIES)) for _ in range(4)]
        operators = {choice.choose(OPERATORS)} if choice.rarely(2) else set()
        example = make_example(choice, frozenset({STREAM, *operators}))
        try:
            learned += check_policy(example, engines, own, backgrounds)
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {engines} {own} {example}") from error
    return learned
