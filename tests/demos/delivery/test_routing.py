"""The search in Prolog finds the ways that Dijkstra's algorithm finds in Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from etalis_py import Engine
from etalis_py.demos.delivery.names import HERE, RULES, iri
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.stream import to_events
from etalis_py.demos.delivery.ways import find_way

Write = Callable[[Network], Path]


@contextmanager
def engine_on(
    path: Path, closed: Collection[str] = (), slow: Mapping[str, int] | None = None
) -> Iterator[Engine]:
    """An engine in which some segments have closed and some are slow."""
    with Engine(background=[str(path)], rules=[str(HERE / name) for name in RULES]) as engine:
        messages = [(5, name, "status", "Closed") for name in sorted(closed)]
        messages += [(5, name, "speed", speed) for name, speed in (slow or {}).items()]
        if messages:
            engine.send_batch(to_events(messages))
            engine.advance(6)
        yield engine


def way_by_prolog(engine: Engine, start: str, goal: str) -> tuple[float, list[str]] | None:
    found = list(
        engine.prolog(
            f"open_way('{iri(start)}', '{iri(goal)}', W), seconds('{iri(start)}', '{iri(goal)}', S)"
        )
    )
    assert len(found) <= 1
    return (float(str(found[0]["S"])), str(found[0]["W"]).split()) if found else None


def agree(engine: Engine, network: Network, pairs: Sequence[tuple[str, str]], **now: object) -> int:
    """Assert that both find the same; how many pairs have a way."""
    ways = 0
    for start, goal in pairs:
        expected = find_way(network, start, goal, **now)  # type: ignore[arg-type]
        found = way_by_prolog(engine, start, goal)
        if expected is None or found is None:
            assert (found, expected) == (None, None)
        else:
            assert found[1] == expected[1]
            assert found[0] == pytest.approx(expected[0] / 1e6)
            ways += 1
    return ways


def test_open_roads(city: Network, written: Write) -> None:
    dice = random.Random(1)
    names = list(city.junctions)
    pairs = [(dice.choice(names), dice.choice(names)) for _ in range(60)]
    with engine_on(written(city)) as engine:
        assert agree(engine, city, [(start, goal) for start, goal in pairs if start != goal]) >= 58


@pytest.mark.parametrize(("share", "seed"), [(0.05, 1), (0.2, 2), (0.35, 3), (0.5, 4)])
def test_closed_and_slow_roads(city: Network, written: Write, share: float, seed: int) -> None:
    dice = random.Random(seed)
    names, segments = list(city.junctions), list(city.segments)
    closed = {name for name in segments if dice.random() < share}
    slow = {name: dice.choice((5, 20, 90)) for name in segments if dice.random() < 0.1}
    pairs = [(dice.choice(names), dice.choice(names)) for _ in range(40)]
    with engine_on(written(city), closed, slow) as engine:
        agree(engine, city, [pair for pair in pairs if pair[0] != pair[1]], closed=closed, speeds=slow)


@pytest.mark.parametrize("seed", range(8))
def test_small_random_networks(roads: Callable[..., Network], written: Write, seed: int) -> None:
    """Of equal lengths, with parallel roads, dead ends and one-way streets."""
    dice = random.Random(seed)
    names = "abcdefg"[: dice.randint(2, 7)]
    ring = [(one, names[(place + 1) % len(names)], 100.0) for place, one in enumerate(names)]
    more = [(*dice.sample(names, 2), dice.choice((100.0, 200.0))) for _ in range(dice.randint(0, 6))]
    network = roads(
        {road[:2]: road for road in more if road[:2] not in {one[:2] for one in ring}}.values(), ring
    )
    closed = {name for name in network.segments if dice.random() < 0.3}
    pairs = [(start, goal) for start in names for goal in names if start != goal]
    with engine_on(written(network), closed) as engine:
        agree(engine, network, pairs, closed=closed)


def test_what_opens_again(roads: Callable[..., Network], written: Write) -> None:
    """The way a - b - d, and a longer one by c."""
    network = roads([("a", "b", 100), ("b", "d", 100), ("a", "c", 500), ("c", "d", 500)])
    steps = [
        ("bd", "status", "Closed"),
        ("ac", "speed", 1),
        ("bd", "status", "Open"),
        ("bd", "speed", 1),
        ("bd", "flow", "Free"),
    ]
    ways = []
    with Engine(background=[str(written(network))], rules=[str(HERE / name) for name in RULES]) as engine:
        for time, step in enumerate(steps):
            engine.send_batch(to_events([(time * 10, *step)]))
            engine.advance(time * 10 + 1)
            found = way_by_prolog(engine, "a", "d")
            assert found is not None
            ways.append((" ".join(found[1]), round(found[0])))
    assert ways == [("ac cd", 100), ("ac cd", 1850), ("ab bd", 20), ("ab bd", 370), ("ab bd", 20)]


def test_a_search_is_short(city: Network, written: Write) -> None:
    """5 ms are some 50,000 inferences; the mean is far below."""
    dice = random.Random(3)
    names = list(city.junctions)
    goal = "j1010"
    around = {one.name for one in city.segments.values() if goal in (one.start, one.end)}
    with engine_on(written(city), around) as engine:

        def inferences(start: str, end: str) -> int:
            question = f"(open_way('{iri(start)}', '{iri(end)}', _) -> true ; true)"
            text = f"statistics(inferences, A), {question}, statistics(inferences, B), N is B - A"
            return int(str(next(iter(engine.prolog(text)))["N"]))

        inferences("j0101", "j2440")  # libraries are loaded, indexes made
        costs = [inferences(dice.choice(names), dice.choice(names)) for _ in range(60)]
        assert max(costs) < 50_000
        assert sum(costs) / len(costs) < 10_000
        assert inferences("j2440", goal) < 500


def test_the_rules_can_be_loaded_without_roads() -> None:
    """As ``etalis explain`` and ``check`` do."""
    with Engine(rules=[str(HERE / name) for name in RULES]) as engine:
        assert list(engine.prolog("open_way('urn:a', 'urn:b', W)")) == []
