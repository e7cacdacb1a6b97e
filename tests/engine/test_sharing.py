"""Queries that share a part: it is computed once, and each sees what it would see by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py import Engine
from tests.engine.counting import steps_of

COMMON = "{ ?x <urn:p> ?a } SEQ { ?x <urn:q> ?b }"


def events(*rows: tuple[int, str, str]) -> dict[str, Any]:
    return {
        "start": [time for time, _, _ in rows],
        "s": [f"<urn:{subject}>" for _, subject, _ in rows],
        "p": [f"<urn:{predicate}>" for _, _, predicate in rows],
        "o": ["<urn:o>"] * len(rows),
    }


def steps_without_third_part(number: int, *, share: bool) -> int:
    """Steps for a stream without a third part, by so many queries that differ in it."""
    with Engine(share=share) as engine:
        for each in range(number):
            engine.register(f"SELECT * {{ {COMMON} SEQ {{ ?x <urn:r{each}> ?c }} }}", name=f"n{each}")
        engine.send_batch(events((1, "z", "z")))
        pairs = [(time, f"k{time // 2}", "pq"[time % 2]) for time in range(2, 1002)]
        return steps_of(lambda: engine.send_batch(events(*pairs)))


def test_a_hundred_queries_that_begin_alike_take_the_steps_of_one() -> None:
    alone = steps_without_third_part(1, share=True)
    assert steps_without_third_part(100, share=True) < 1.1 * alone
    assert steps_without_third_part(100, share=False) > 5 * alone


@pytest.mark.parametrize("share", [True, False])
def test_a_query_that_comes_later_does_not_see_what_was_before(share: bool) -> None:
    with Engine(share=share) as engine:
        engine.register(f"SELECT ?x {{ {COMMON} }}", name="first")
        engine.send_batch(events((1, "x", "p"), (2, "y", "p")))
        engine.register(f"SELECT ?x {{ {COMMON} }}", name="second")
        engine.register(f"SELECT ?x {{ {COMMON} SEQ {{ ?x <urn:r> ?c }} }}", name="third")
        engine.send_batch(events((3, "x", "q"), (4, "y", "q"), (5, "x", "r"), (6, "y", "r")))
        engine.finish()
        found = [(match.query, match.encoded["x"]) for match in engine.matches()]
    assert found == [
        ("first", "urn:x"), ("first", "urn:y"), ("second", "urn:y"), ("third", "urn:y"),
    ]  # fmt: skip


def test_what_waits_for_the_instant_is_settled_once_and_before_all_that_need_it() -> None:
    optional = "{ ?x <urn:p> ?a } OPTIONAL { ?x <urn:q> ?b }"
    with Engine() as engine:
        engine.register(f"SELECT ?x {{ {{ {optional} }} OPTIONAL {{ ?x <urn:r> ?c }} }}", name="outer")
        engine.register(f"SELECT ?x ?b {{ {optional} }}", name="inner")
        engine.register("CONSTRUCT { ?x <urn:q> <urn:made> } { ?x <urn:s> ?y }", name="maker")
        engine.send_batch(events((1, "x", "p"), (1, "x", "s"), (2, "y", "p")))
        engine.finish()
        found = sorted((match.query, match.start, str(dict(match.encoded))) for match in engine.matches())
    assert found == [
        ("inner", 1, "{'x': 'urn:x', 'b': 'urn:made'}"),
        ("inner", 2, "{'x': 'urn:y'}"),
        ("maker", 1, "{}"),
        ("outer", 1, "{'x': 'urn:x'}"),
        ("outer", 2, "{'x': 'urn:y'}"),
    ]


def test_a_test_of_what_is_shared_asks_the_background_of_that(tmp_path: Path) -> None:
    """What is tested is the same, and only whether it is wanted differs."""
    known = tmp_path / "known.ttl"
    known.write_text("<urn:x> <urn:p> <urn:y>, <urn:w> . <urn:y> <urn:q> <urn:z> .")
    group = "{ ?x <urn:p> ?y FILTER %s { ?y <urn:q> ?z } }"
    with Engine(background=[known]) as engine:
        engine.register(f"SELECT ?y {{ ?x <urn:s> ?o . {group % 'EXISTS'} }}", name="with")
        engine.register(f"SELECT ?y {{ ?x <urn:s> ?o . {group % 'NOT EXISTS'} }}", name="without")
        engine.send_batch(events((1, "x", "s")))
        engine.finish()
        found = sorted((match.query, match.encoded["y"]) for match in engine.matches())
    assert found == [("with", "urn:y"), ("without", "urn:w")]


def test_a_refused_query_leaves_nothing_to_share() -> None:
    with Engine() as engine:
        engine.register(f"SELECT ?x {{ {COMMON} }}", name="good")
        with pytest.raises(Exception, match="EP205"):
            engine.register(
                f"CONSTRUCT {{ ?x <urn:p> 1 }} {{ {COMMON} OPTIONAL {{ ?x <urn:p> ?d }} }}", name="bad"
            )
        engine.send_batch(events((1, "x", "p"), (2, "x", "q")))
        engine.finish()
        assert [match.query for match in engine.matches()] == ["good"]
