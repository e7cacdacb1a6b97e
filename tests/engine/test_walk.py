"""The walk over the rows of a batch: one instant after the other, and nothing of them stays on the stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py import Engine
from tests.engine.conftest import run

DEPTH = """
depth(_, Depth) :- prolog_current_frame(Frame), frames(Frame, 0, Depth).
frames(Frame, Depth0, Depth) :-
    Depth1 is Depth0 + 1,
    (   prolog_frame_attribute(Frame, parent, Parent)
    ->  frames(Parent, Depth1, Depth)
    ;   Depth = Depth1
    ).
"""


@pytest.mark.parametrize(
    "pattern",
    [
        "{ ?x :p ?a BIND(prolog:depth(?a) AS ?depth) }",
        "{ ?x :p ?a OPTIONAL { ?x :q ?b } BIND(prolog:depth(?a) AS ?depth) }",
    ],
    ids=["triggers", "settled"],
)
@pytest.mark.parametrize("at_a_time", [1, 2], ids=["points", "pairs"])
def test_no_row_leaves_a_frame_on_the_stack(tmp_path: Path, pattern: str, at_a_time: int) -> None:
    rules = tmp_path / "depth.pl"
    rules.write_text(DEPTH, encoding="utf-8")
    rows = [(number // at_a_time, f"x{number}", "p", number) for number in range(200)]
    found = run(f"SELECT ?depth {pattern}", rows, rules=[str(rules)])
    depths = [row["depth"] for _, _, row in found]
    assert len(depths) == 200
    assert max(depths) - min(depths) < 20


def batch(times: list[int], predicate: str = "p") -> dict[str, list[object]]:
    return {
        "start": times,
        "s": [f"<urn:s{number}>" for number in range(len(times))],
        "p": [f"<urn:{predicate}>"] * len(times),
        "o": ['"1"^^<http://www.w3.org/2001/XMLSchema#integer>'] * len(times),
    }


#   batch 1        batch 2
#   1  2  2   |   2  3  1 (late)  3  4   |  (the end)
def test_an_instant_goes_on_from_one_batch_to_the_next_and_late_rows_among_its_own_are_counted() -> None:
    ends: list[int] = []
    with Engine(on_late="drop") as engine:
        engine.register("SELECT * { ?x <urn:p> ?a }", on_match=lambda match: ends.append(match.end))
        engine.send_batch(batch([1, 2, 2]))
        assert ends == [1]
        engine.send_batch(batch([2, 3, 1, 3, 4]))
        assert ends == [1, 2, 2, 2, 3, 3]
        assert engine.late == 1
    assert ends[-1] == 4
