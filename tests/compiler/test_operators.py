"""Each operator of the table, stage by stage, and what it answers: the texts under golden/operators/.

    :p one       .   .   |-------|   .   .
    :q before    |-|     |       |
    :q meeting   .   |---|       |
    :q lapping   .     |---|     |             and so on: one for each of Allen's relations, and two points

UPDATE_GOLDEN=1 writes the texts again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from etalis_py.compiler.algebra.operators import JOIN, OPERATORS, Operator
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.explain.explain import explain
from etalis_py.compiler.explain.syntax_printer import print_syntax
from tests.oracle.checking import check, expected_answers
from tests.oracle.examples import Example, Send
from tests.oracle.solutions import Occurrence

GOLDEN = Path(__file__).resolve().parent / "golden" / "operators"
PREFIX = "urn:x:"
INTERVALS = {
    "before": (2, 4),
    "meeting": (6, 10),
    "lapping": (8, 12),
    "starting": (10, 14),
    "firstPoint": (10, 10),
    "within": (12, 16),
    "point": (14, 14),
    "ending": (16, 20),
    "lastPoint": (20, 20),
    "equal": (10, 20),
    "begunWith": (10, 24),
    "endedWith": (6, 20),
    "around": (6, 24),
    "lapped": (16, 24),
    "met": (20, 24),
    "after": (26, 28),
}
STREAM: list[Occurrence] = sorted(
    [((f"{PREFIX}a", f"{PREFIX}p", f"{PREFIX}one"), (10, 20))]
    + [((f"{PREFIX}a", f"{PREFIX}q", PREFIX + name), times) for name, times in INTERVALS.items()],
    key=lambda each: (each[1][1], each),
)


def query_of(operator: Operator) -> str:
    word = "" if operator is JOIN else f"{operator.word} "
    return f"PREFIX : <{PREFIX}>\nSELECT ?one ?other WHERE {{ {{ ?x :p ?one }} {word}{{ ?x :q ?other }} }}\n"


def answers_of(example: Example) -> str:
    [found] = expected_answers(example)
    rows = [(start, end, sorted((str(name), str(value)) for name, value in row)) for row, start, end in found]
    return "\n".join(
        f"{start} to {end}  " + " ".join(f"?{name} {value.removeprefix(PREFIX)}" for name, value in row)
        for start, end, row in sorted(rows)
    )


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.word)
def test_operator(operator: Operator) -> None:
    text = query_of(operator)
    [query] = compile_program(text, name="q")
    example = Example((text,), (Send(tuple(STREAM)),), None, entails=True)
    check(example, [])  # the engine answers as the oracle does, and when it should
    sections = {
        "query": text.rstrip(),
        "syntax": print_syntax(query.syntax),
        "algebra": explain(query, "algebra"),
        "plan": explain(query, "plan"),
        "rules": explain(query, "rules"),
        "answers": answers_of(example),
    }
    shown = "\n\n".join(f"--- {name} ---\n{section}" for name, section in sections.items()) + "\n"
    golden = GOLDEN / f"{operator.word}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


def test_no_text_is_left_of_an_operator_that_is_gone() -> None:
    assert {each.stem for each in GOLDEN.iterdir()} == {each.word for each in OPERATORS}
