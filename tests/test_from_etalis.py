"""docs/from-etalis.md: the operators for the relations between intervals are what their names say."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.engine.engine import Engine

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "from-etalis.md").read_text(encoding="utf-8")
OPERATORS = dict(re.findall(r"^\| `b (\w+) c` \| `\{B\} ([A-Z]+) \{C\}`", PAGE, re.MULTILINE))
Interval = tuple[int, int]
RELATIONS: dict[str, Callable[[Interval, Interval], bool]] = {
    # J. F. Allen, Maintaining Knowledge about Temporal Intervals, 1983; par is ETALIS's: time in common
    "during": lambda b, c: c[0] < b[0] and b[1] < c[1],
    "starts": lambda b, c: b[0] == c[0] and b[1] < c[1],
    "finishes": lambda b, c: c[0] < b[0] and b[1] == c[1],
    "meets": lambda b, c: b[1] == c[0],
    "par": lambda b, c: max(b[0], c[0]) < min(b[1], c[1]),
}


def test_each_relation_has_its_operator() -> None:
    assert sorted(OPERATORS) == sorted([*RELATIONS, "seq", "or", "equals"])


@pytest.mark.parametrize("relation", RELATIONS)
def test_an_operator_is_its_relation(relation: str) -> None:
    """Of intervals that last; a point has no time in common with what begins or ends there."""
    draw = random.Random(relation)
    starts = [draw.randint(0, 12) for _ in range(40)]
    intervals = sorted({(start, start + draw.randint(1, 6)) for start in starts}, key=lambda each: each[1])
    sides = [draw.choice("bc") for _ in intervals]
    query = f"SELECT ?b ?c {{ {{ ?b <urn:is> <urn:b> }} {OPERATORS[relation]} {{ ?c <urn:is> <urn:c> }} }}"
    with Engine() as engine:
        engine.register(query, name="q")
        engine.send_batch(
            {
                "start": [start for start, _ in intervals],
                "end": [end for _, end in intervals],
                "s": [f"<urn:{number}>" for number in range(len(intervals))],
                "p": ["<urn:is>"] * len(intervals),
                "o": [f"<urn:{side}>" for side in sides],
            }
        )
        engine.finish()
        found = {tuple(int(str(match[name])[4:]) for name in "bc") for match in engine.matches("q")}
    numbered = list(enumerate(zip(sides, intervals, strict=True)))
    expected = {
        (one, other)
        for one, (side, b) in numbered
        for other, (another, c) in numbered
        if side == "b" and another == "c" and RELATIONS[relation](b, c)
    }
    assert found == expected
    assert expected
