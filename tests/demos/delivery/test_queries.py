"""Each query on a few events: a small town, times in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from etalis_py.demos.delivery.engines import load_program, run_local
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.outcome import Outcome, collect
from etalis_py.demos.delivery.stream import to_events
from etalis_py.demos.delivery.tours import plan_tour, to_turtle

Event = tuple[int, str, str, str]
Run = Callable[[Sequence[Event]], Outcome]
MINUTE = 60


@pytest.fixture
def town(roads: Callable[..., Network], written: Callable[[Network], Path], tmp_path: Path) -> Run:
    """Runs the queries on events in a town of four junctions, in which ann is to drive from a to d.

    a --- b --- d        ab, bd: 100 m, 10 s each
    |           |        ac, cd: 500 m, 50 s each
    +---- c ----+        promised: 3 minutes
    """
    network = roads([("a", "b", 100), ("b", "d", 100), ("a", "c", 500), ("c", "d", 500)])
    tours = tmp_path / "tours.ttl"
    tours.write_text(to_turtle([plan_tour(network, "ann", ["a", "d"])]))
    program = load_program([written(network), tours])

    def run(events: Sequence[Event]) -> Outcome:
        return collect(run_local(program, to_events([(time * 1_000_000, *rest) for time, *rest in events])))  # type: ignore[misc]

    return run


def asks(time: int, here: str) -> list[Event]:
    return [(time, "ann", "at", here), (time, "ann", "asksFor", "ann-leg1")]


def closes(time: int, segment: str) -> Event:
    return time, segment, "status", "Closed"


def opens(time: int, segment: str) -> Event:
    return time, segment, "status", "Open"


def ways(found: Outcome) -> list[tuple[int, str]]:
    return [(one.time // 1_000_000, " ".join(one.way)) for one in found.reroutes]


@pytest.mark.parametrize(
    ("events", "kept", "new", "cut_off"),
    [
        # asks, and all is open: it goes on as planned
        (asks(9, "a"), [9], [], []),
        # closed, then asks: a new way
        ([closes(5, "bd"), *asks(9, "a")], [], [(9, "ac cd")], []),
        # closed at the same time: not known yet
        ([closes(9, "bd"), *asks(9, "a")], [9], [], []),
        # closed and opened: as planned
        ([closes(5, "bd"), opens(7, "bd"), *asks(9, "a")], [9], [], []),
        # a closed segment that is not on the way
        ([closes(5, "cd"), *asks(9, "a")], [9], [], []),
        # in front of a closed segment: back again
        ([*asks(9, "a"), closes(12, "bd"), *asks(19, "b")], [9], [(19, "ab ac cd")], []),
        # closed behind the agent
        ([closes(12, "ab"), *asks(19, "b")], [19], [], []),
        # the new way closes as well: the old one opened meanwhile
        (
            [closes(5, "bd"), *asks(9, "a"), opens(20, "bd"), closes(21, "cd"), *asks(60, "c")],
            [], [(9, "ac cd"), (60, "ac ab bd")], [],
        ),
        # the new way is open, and the agent is on it
        ([closes(5, "bd"), *asks(9, "a"), *asks(60, "c")], [60], [(9, "ac cd")], []),
        # the way that was found on the way closes in front of the agent
        (
            [*asks(9, "a"), closes(12, "bd"), *asks(19, "b"), closes(40, "cd"), *asks(79, "c")],
            [9], [(19, "ab ac cd")], [79],
        ),
        # or behind it
        (
            [*asks(9, "a"), closes(12, "bd"), *asks(19, "b"), closes(40, "ab"), *asks(79, "c")],
            [9, 79], [(19, "ab ac cd")], [],
        ),
        # nothing leads to d
        ([closes(5, "bd"), closes(6, "cd"), *asks(9, "a")], [], [], [9]),
        # and later something does
        (
            [closes(5, "bd"), closes(6, "cd"), *asks(9, "a"), opens(15, "cd"), *asks(20, "a")],
            [], [(20, "ac cd")], [9],
        ),
    ],
)  # fmt: skip
def test_the_answer_to_an_agent(
    town: Run, events: list[Event], kept: list[int], new: list[tuple[int, str]], cut_off: list[int]
) -> None:
    found = town(events)
    assert [time // 1_000_000 for time, _ in found.kept] == kept
    assert ways(found) == new
    assert [(one.time // 1_000_000, one.goal) for one in found.cut_off] == [(time, "d") for time in cut_off]


def test_what_was_found_for_a_leg_is_forgotten_when_it_is_over(town: Run) -> None:
    """The next time, the leg has its planned way again."""
    events = [closes(5, "bd"), *asks(9, "a"), opens(50, "bd"), (110, "ann", "reaches", "ann-leg1")]
    assert [time // 1_000_000 for time, _ in town([*events, closes(150, "cd"), *asks(200, "a")]).kept] == [
        200
    ]


@pytest.mark.parametrize(
    ("left", "reached", "late"),
    [(0, 3 * MINUTE, False), (0, 3 * MINUTE + 1, True), (7, 3 * MINUTE + 7, False), (0, 7 * 3600, False)],
)
def test_late(town: Run, left: int, reached: int, late: bool) -> None:
    found = town([(left, "ann", "leavesFor", "ann-leg1"), (reached, "ann", "reaches", "ann-leg1")])
    assert [(one.agent, one.promised, one.taken) for one in found.late] == (
        [("ann", 3 * MINUTE * 1_000_000, (reached - left) * 1_000_000)] if late else []
    )


@pytest.mark.parametrize(
    ("events", "warned"),
    [
        ([closes(0, "ab"), closes(5 * MINUTE, "bd")], [("East", "bd")]),  # they meet at b
        ([closes(0, "ab"), closes(10 * MINUTE, "bd")], []),  # ten minutes are too long
        ([closes(0, "ab"), closes(5 * MINUTE, "cd")], []),  # not neighbours
        ([closes(0, "ab"), closes(0, "bd")], []),  # neither before the other
        ([closes(0, "ab"), opens(60, "ab"), closes(120, "ab")], []),  # the same one
        ([closes(0, "ab"), opens(60, "ab"), closes(120, "ac")], [("East", "ac")]),  # though open again
        ([closes(0, "ab"), closes(60, "cd"), closes(120, "bd")], [("East", "bd")]),  # of two neighbours: once
    ],
)
def test_spreading(town: Run, events: list[Event], warned: list[tuple[str, str]]) -> None:
    assert [(one.borough, one.segment) for one in town(events).warned] == warned
