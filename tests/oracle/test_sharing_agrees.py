"""Queries that have parts in common are answered as each of them alone is: against the oracle."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.plan.sharing import share
from etalis_py.core.errors import QueryError
from tests.effort import tries
from tests.oracle.checking import NoExampleError, check
from tests.oracle.chooser import Chooser
from tests.oracle.examples import Example, make_example
from tests.oracle.vocabulary import PROLOGUE


def alike(text: str) -> list[str]:
    """Further queries that contain a query, or do the same under other names."""
    body = text.removeprefix(PROLOGUE)
    if body.startswith("CONSTRUCT"):
        return []
    renamed = PROLOGUE + re.sub(r"\?(\w+)", r"?\1o", body)
    if not body.startswith("SELECT") or "FROM" in body:
        return [renamed]
    begins = f"SELECT * WHERE {{ {{ {body} }} SEQ {{ ?x :p ?later }} }}"
    twice = f"SELECT * WHERE {{ {{ {body} }} {{ {body} }} }}"
    return [renamed, PROLOGUE + begins, PROLOGUE + re.sub(r"\?(\w+)", r"?\1o", begins), PROLOGUE + twice]


def with_alike(example: Example) -> Example:
    queries = (*example.queries, *(other for text in example.queries for other in alike(text)))
    return replace(example, queries=queries)


def shared_parts(example: Example) -> int:
    """How many nodes of the plans another one does the work of."""
    plans = []
    for number, text in enumerate(example.queries, 1):
        [query] = compile_program(text, name=str(number), first_number=number)
        plans.append(query.plan)
    return len(share(plans).taken_from)


def check_seeds(number: int, backgrounds: list[Path]) -> int:
    """Check so many examples; how many of them had something to share."""
    shared = 0
    seeds = count()
    while number:
        seed = f"sharing{next(seeds)}"
        example = with_alike(make_example(Chooser(Random(seed).randint)))
        try:
            check(example, backgrounds)
            shared += shared_parts(example) > 0
            number -= 1
        except (NoExampleError, QueryError):
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed!r}: {example}") from error
    return shared


@pytest.mark.random
def test_queries_with_equal_parts_agree_with_the_oracle(backgrounds: list[Path]) -> None:
    assert check_seeds(tries(100), backgrounds) > tries(50)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
def test_queries_with_equal_parts_agree_with_the_oracle_at_length(backgrounds: list[Path]) -> None:
    number = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "10000"))
    assert check_seeds(number, backgrounds) > number / 2
