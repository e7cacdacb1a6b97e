"""Each pass: what goes in, what comes out, and that both give the same answers on sample events."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.passes import PASSES, Pass
from etalis_py.compiler.passes.anti_joins import anti_joins

FIXTURES = Path(__file__).parent / "passes"
PREFIX = "PREFIX : <urn:>\n"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"


def pairs(transform: Pass) -> list[tuple[str, str, str]]:
    text = (FIXTURES / f"{transform.__name__}.rq").read_text(encoding="utf-8")
    found = re.findall(r"^## (.*)\n(.*)\n-->\n(.*)$", text, re.MULTILINE)
    assert found
    return found


CASES = [
    pytest.param(transform, before, after, id=f"{transform.__name__}: {name}")
    for transform in PASSES
    if transform is not anti_joins  # what it marks cannot be written in a query: test_anti_joins.py
    for name, before, after in pairs(transform)
]


@pytest.mark.parametrize(("transform", "before", "after"), CASES)
def test_pass(transform: Pass, before: str, after: str) -> None:
    [given] = compile_program(PREFIX + before, name="before", passes=())
    [wanted] = compile_program(PREFIX + after, name="after", passes=())
    assert transform(given.meaning.pattern) == wanted.meaning.pattern


def answers(text: str, passes: tuple[Pass, ...]) -> list[object]:
    from etalis_py.engine.engine import Engine

    times = [1, 2, 2, 3, 4, 5, 6, 6, 7]
    predicates = ["p", "q", "p", "q", "p", "q", "q", "p", "p"]
    values = [1, 2, 2, 3, 0, 1, 4, 1, 5]
    with Engine() as engine:
        engine._install(compile_program(PREFIX + text, name="query", passes=passes))
        engine.send_batch(
            {
                "start": [time * 1_000_000 for time in times],
                "s": [f"<urn:s{time % 2}>" for time in times],
                "p": [f"<urn:{predicate}>" for predicate in predicates],
                "o": [f'"{value}"{INTEGER}' for value in values],
            }
        )
        engine.finish()
        return [(match.start, match.end, dict(match.encoded)) for match in engine.matches()]


@pytest.mark.parametrize(("transform", "before", "after"), CASES)
def test_both_sides_give_the_same_answers(transform: Pass, before: str, after: str) -> None:
    plain = answers(before, ())
    assert answers(before, (transform,)) == plain
    assert answers(after, ()) == plain
