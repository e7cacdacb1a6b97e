"""The life of an element, as the rules find it, against what its window holds at each instant."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from etalis_py.compiler.algebra.algebra import Place
from etalis_py.compiler.algebra.stream_windows import Landmark, PastExtent, TimeExtent
from etalis_py.compiler.rules.prolog_text import term_text
from etalis_py.compiler.rules.snapshot import life_goal
from etalis_py.embedding import prolog
from tests.oracle.extents import holds


@pytest.fixture(scope="module", autouse=True)
def _lives() -> None:
    prolog.load_runtime()
    prolog.do("system", "use_module", str(Path(__file__).with_name("lives.pl")))


def _extents(chance: Random) -> list[TimeExtent | Landmark | PastExtent]:
    width, step = chance.randint(1, 9), chance.choice([None, 1, 2, 3, 5, 12])
    origin = chance.choice([None, chance.randint(0, 8)])
    partial, closed_open, whole, moving = (chance.random() < 0.3 for _ in range(4))
    return [
        TimeExtent(width, step, origin, partial, closed_open, whole, moving),
        Landmark(origin),
        PastExtent(width + 2, chance.randint(0, width), step),
    ]


def test_a_life_is_when_an_element_is_in_the_window() -> None:
    chance, lives = Random(0), 0
    for _ in range(300):
        end = chance.randint(-6, 14)
        start = end - chance.choice([0, 0, 1, 3])
        for extent in _extents(chance):
            goal = term_text(life_goal(Place(extent=extent)))
            life = prolog.call("test_lives", "life", goal, start, end)
            lives += life != []
            for time in range(-12, 45):
                is_alive = life != [] and life[0] <= time < life[1]
                assert is_alive == holds(extent, time, start, end), (extent, start, end, time)
    assert lives > 300


def test_a_life_that_begins_as_its_occurrence_ends_lasts_as_long_as_the_other() -> None:
    chance = Random(1)
    for _ in range(300):
        end = chance.randint(-6, 14)
        extent = _extents(chance)[0]
        goal, at_once = (
            term_text(life_goal(Place(extent=extent, begins_at_once=each))) for each in (False, True)
        )
        own, other = (prolog.call("test_lives", "life", each, end, end) for each in (goal, at_once))
        assert other == [end, own[1] if own else end]
