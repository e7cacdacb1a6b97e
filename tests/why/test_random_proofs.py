"""Random programs with and without a trace: the answers are the oracle's, and each proof holds.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long test.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

import pytest

from tests.effort import tries
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.checking import NoExampleError, expected_answers, nameless, opened
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example, make_example
from tests.oracle.operators import ACCEPTED
from tests.oracle.program import World, completed
from tests.oracle.running import deliveries, tally
from tests.oracle.solutions import Dataset
from tests.oracle.step_examples import make_step_example
from tests.oracle.vocabulary import GRAPHS
from tests.why.checker import Checker


@pytest.mark.random
def test_proofs_of_random_programs_hold(backgrounds: list[Path]) -> None:
    counts = check_seeds(tries(400), backgrounds, "a proof")
    assert {"event", "background", "operator", "derivation", "walk", "row", "rdfs7"} <= set(counts)
    assert tries(400) < 400 or {"rdfs2", "rdfs9"} <= set(counts)
    assert sum(number for what, number in counts.items() if what.endswith("alone")) > tries(20)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_proofs_of_random_programs_hold_at_length(backgrounds: list[Path]) -> None:
    check_seeds(int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000")), backgrounds, "long proofs")


@pytest.mark.random
@pytest.mark.parametrize("operator", ACCEPTED)
def test_proofs_of_each_operator_hold(operator: str, backgrounds: list[Path]) -> None:
    operators = frozenset({operator, "GROUP BY"} if operator == "WINDOW" else {operator})
    check_seeds(tries(30), backgrounds, f"proofs of {operator}", operators)


@pytest.mark.random
def test_proofs_of_steps_hold(backgrounds: list[Path]) -> None:
    counts = check_seeds(tries(150), backgrounds, "proofs of steps", make=make_step_example)
    known = {
        "Pair",
        "NOT",
        "STRICT AMONG",
        "AbsencePlan",
        "REPEAT ALL",
        "REPEAT NEXT",
        "REPEAT STRICT LONGEST",
    }
    assert tries(150) < 150 or known <= set(counts)


def check_seeds(
    number: int,
    backgrounds: list[Path],
    name: str,
    operators: frozenset[str] | None = None,
    make: Callable[[Chooser], Example] | None = None,
) -> Counter[str]:
    """Check so many examples, and count what their proofs are made of."""
    counts: Counter[str] = Counter()
    seeds = count()
    while number:
        seed = f"{name}{next(seeds)}"
        choice = Chooser(Random(seed).randint)
        example = make_example(choice, operators) if make is None else make(choice)
        try:
            counts += check(example, backgrounds)
            number -= 1
        except (NoExampleError, TooMuchError):
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed!r}: {example}") from error
    return counts


def check(example: Example, backgrounds: list[Path]) -> Counter[str]:
    """One example: the answers are what they are without a trace, and their proofs hold."""
    with opened(example, backgrounds, trace=True) as engine:
        expected = expected_answers(example)
        matches = [match for delivery in deliveries(engine, example) for match in delivery.matches]
        found = tally(matches, len(example.queries))
        assert [Counter(nameless(each)) for each in found] == list(map(Counter, expected))
        queries = {str(number): engine.query(str(number)) for number in range(len(example.queries))}
        said, complete = datasets(example)
        checker = Checker(said, complete, queries)
        for match in matches:
            try:
                why = engine.why(match)
                checker.check(why)
            except Exception as error:
                raise AssertionError(f"the proof of {match}") from error
    return checker.counts


def datasets(example: Example) -> tuple[Dataset, Dataset]:
    """What was said, and all that there is in the end."""
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    graphs = {graph: BACKGROUNDS[number] for graph, number in zip(GRAPHS, example.graphs, strict=False)}
    world = World(example.stream, background, example.entails, graphs, example.clock, example.at)
    complete = completed(example.parsed, world)
    return Dataset(example.stream, background, graphs, example.clock, example.at), complete
