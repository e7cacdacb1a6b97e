"""The policies: the engine against the definition, on random programs and streams.

``ETALIS_ORACLE_EXAMPLES`` is the number of seeds of the long test.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from etalis_py.core.errors import CompileError
from etalis_py.engine.engine import Engine
from tests.effort import tries
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.checking import nameless, why_refused
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Advance, Example, make_example
from tests.oracle.functions import FUNCTIONS
from tests.oracle.places import without_place
from tests.oracle.policy_examples import PolicyExample, make_policy_example
from tests.oracle.policy_parts import Policy
from tests.oracle.policy_program import PolicyQuery, policy_answers
from tests.oracle.running import batch_of, tally
from tests.oracle.solutions import Answer, Placed, Triple

POLICIES: tuple[Policy, ...] = get_args(Policy)
OPERATORS = ("MINUS", "EXISTS", "VALUES", "ASK")
LONG = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000"))


class NoExampleError(Exception):
    """Nothing can be learned from this example."""


@pytest.mark.random
def test_engine_agrees_with_the_definition(backgrounds: list[Path]) -> None:
    check_seeds(range(tries(150)), backgrounds, least=tries(3))


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_the_definition_at_length(backgrounds: list[Path]) -> None:
    check_seeds(range(250, 250 + LONG), backgrounds, least=LONG // 200)


@pytest.mark.random
def test_engine_chooses_as_the_definition_says() -> None:
    check_choices(range(tries(250)), least=tries(15))


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_chooses_as_the_definition_says_at_length() -> None:
    check_choices(range(400, 400 + LONG), least=LONG // 200)


def check_choices(seeds: range, least: int) -> None:
    """At least so many examples must be answered in another way than without a policy."""
    learned = 0
    for seed in seeds:
        example = make_policy_example(Chooser(Random(seed).randint))
        try:
            learned += check_choice(example)
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}") from error
    assert learned >= least


def check_choice(example: PolicyExample) -> bool:
    """Whether the policy matters."""
    texts = [example.query, *([example.maker] if example.maker else [])]
    with Engine(policy=example.policy) as engine:
        register(engine, texts)
        for batch in example.batches:
            if batch:
                engine.send_encoded(batch_of(batch))
        engine.finish()
        found = tally(list(engine.matches()), len(texts))
    expected, all_of_them = (
        defined(texts, [policy] * len(texts), without_place(example.stream))
        for policy in (example.policy, POLICIES[0])
    )
    assert list(map(Counter, found)) == list(map(Counter, expected))
    return expected != all_of_them


def check_seeds(seeds: range, backgrounds: list[Path], least: int) -> None:
    """At least so many examples must have told something."""
    learned = 0
    for seed in seeds:
        choice = Chooser(Random(seed).randint)
        engines: Policy = choice.choose(POLICIES)
        own = [choice.choose((None, *POLICIES)) for _ in range(4)]
        operators = frozenset({choice.choose(OPERATORS)} if choice.rarely(2) else ())
        example = make_example(choice, operators)
        try:
            learned += check(example, engines, own, backgrounds)
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {engines} {own} {example}") from error
    assert learned >= least


def check(example: Example, engines: Policy, own: list[Policy | None], backgrounds: list[Path]) -> bool:
    """Whether there was anything to choose among or to consume."""
    policies = [each or engines for each in own]
    texts = [
        text if policy is None else f"PRAGMA policy {policy}\n{text}"
        for text, policy in zip(example.queries, own, strict=False)
    ]
    expected = expectation(example, texts, policies)
    found = given(example, texts, engines, backgrounds)
    assert [Counter(nameless(each)) for each in found] == [Counter(nameless(each)) for each in expected]
    return expected != expectation(example, texts, [POLICIES[0]] * len(texts))


def given(example: Example, texts: list[str], policy: Policy, backgrounds: list[Path]) -> list[list[Answer]]:
    """What the engine answers."""
    background = [] if example.background is None else [backgrounds[example.background]]
    entailment = "rdfs" if example.entails else "none"
    with Engine(background, entailment=entailment, policy=policy, functions=FUNCTIONS) as engine:
        register(engine, texts)
        for step in example.steps:
            if isinstance(step, Advance):
                engine.advance(step.time)
            elif step.occurrences:
                engine.send_encoded(batch_of(step.occurrences, step.places))
        engine.finish()
        return tally(list(engine.matches()), len(texts))


def expectation(example: Example, texts: list[str], policies: list[Policy]) -> list[list[Answer]]:
    """What the definition says."""
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    return defined(texts, policies, example.placed, background, entails=example.entails)


def register(engine: Engine, texts: list[str]) -> None:
    """Give the engine the queries; what it refuses is no example."""
    try:
        for number, text in enumerate(texts):
            engine.register(text, name=str(number))
    except CompileError as error:
        raise _no_example(error) from None


def _no_example(error: CompileError) -> Exception:
    """The error itself, where the program should not have been refused; EP212 is of policies."""
    return NoExampleError(error.code) if error.code == "EP212" or why_refused(error) else error


def defined(
    texts: list[str],
    policies: Sequence[Policy],
    stream: frozenset[Placed],
    background: frozenset[Triple] = frozenset(),
    *,
    entails: bool = True,
) -> list[list[Answer]]:
    """The answers of queries with these policies."""
    queries = [PolicyQuery(text, policy) for text, policy in zip(texts, policies, strict=False)]
    try:
        return policy_answers(queries, stream, background, entails=entails)
    except CompileError as error:
        raise _no_example(error) from None
    except (TooMuchError, NotImplementedError):
        raise NoExampleError from None
