"""Selection and consumption: worked examples, times in seconds."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.conftest import run

POLICIES = ("unrestricted", "chronological", "recent")
Row = tuple[Any, ...]


def intervals(query: str, rows: list[Row], policy: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end, _ in run(query, rows, policy=policy)]


TWO_AND_TWO = [(1, "x", "a", 1), (2, "x", "a", 2), (3, "x", "b", 3), (4, "x", "b", 4)]
SEQUENCE = "SELECT * { { ?x :a ?i } SEQ { ?x :b ?j } }"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("unrestricted", [(1, 3), (2, 3), (1, 4), (2, 4)]),
        ("chronological", [(1, 3), (2, 4)]),
        ("recent", [(2, 3), (1, 4)]),
    ],
)
def test_one_a_for_each_b(policy: str, expected: list[tuple[int, int]]) -> None:
    """
    a  1---2
    b          3---4
    """
    assert intervals(SEQUENCE, TWO_AND_TWO, policy) == expected


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("unrestricted", [(2, 6, "a1"), (4, 6, "a2"), (4, 8, "a2"), (2, 10, "a1")]),
        ("chronological", [(2, 6, "a1"), (4, 6, "a2")]),
        ("recent", [(2, 6, "a1"), (4, 6, "a2")]),
    ],
)
def test_what_was_used_is_not_used_again(policy: str, expected: list[Row]) -> None:
    rows = [
        (2, "a1", "p", "b1"),
        (4, "a2", "p", "b2"),
        (6, "b1", "q", "c1"),
        (6, "b2", "q", "c2"),
        (8, "a3", "p", "b3"),
        (8, "b2", "q", "c2"),
        (10, "b1", "q", "c1"),
    ]
    found = run("SELECT * { { ?x :p ?y } SEQ { ?y :q ?z } }", rows, policy=policy)
    assert [(start, end, row["x"]) for start, end, row in found] == expected
