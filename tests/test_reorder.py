"""The buffer gives sorted elements, loses none, and calls late what is late whatever the batches are."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.engine.reorder import Reorder
from etalis_py.streams import Batch

times = st.lists(st.integers(0, 30), max_size=60)


def batch(ends: list[int], first: int = 0) -> Batch:
    terms = [f"urn:{number}" for number in range(first, first + len(ends))]
    rows = range(first + 1, first + 1 + len(ends))
    return Batch([0] * len(ends), ends, terms, terms, terms, None, ["a"] * len(ends), rows)


def run(ends: list[int], delay: int, size: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Rows given (end, row), and rows late."""
    reorder = Reorder(delay)
    given: list[tuple[int, int]] = []
    late: list[int] = []
    for first in range(0, len(ends), size):
        due, behind = reorder.push(batch(ends[first : first + size], first))
        if due is not None:
            assert reorder.newest is not None
            assert max(due.end) <= reorder.newest - delay
            given += zip(due.end, due.rows, strict=True)
        late += behind.rows if behind is not None else []
    rest = reorder.flush()
    given += zip(rest.end, rest.rows, strict=True) if rest is not None else []
    assert len(reorder) == 0
    return given, late


@given(times, st.integers(0, 40), st.integers(1, 20))
def test_sorted_and_nothing_lost_whatever_the_batches(ends: list[int], delay: int, size: int) -> None:
    given, late = run(ends, delay, size)
    assert given == sorted(given)
    newest = [max(ends[:index], default=ends[0]) for index in range(len(ends))]
    expected = [row for row, (end, n) in enumerate(zip(ends, newest, strict=True), 1) if end < n - delay]
    assert late == expected
    assert sorted([row for _, row in given] + late) == list(range(1, len(ends) + 1))


def test_few_rows_into_a_large_buffer() -> None:
    reorder = Reorder(1000)
    assert reorder.push(batch(list(range(500)))) == (None, None)
    for end in (600, 250, 1100):
        due, late = reorder.push(batch([end], end))
        assert late is None
    assert due is not None
    assert due.end == list(range(101))
    rest = reorder.flush()
    assert rest is not None
    assert rest.end == sorted([*range(101, 500), 250, 600, 1100])


def test_no_delay_gives_a_sorted_stream_at_once() -> None:
    due, late = Reorder(0).push(batch([1, 2, 2, 1]))
    assert due is not None
    assert late is not None
    assert (due.end, list(late.rows)) == ([1, 2, 2], [4])


@given(times, st.integers(0, 40), st.integers(1, 20), st.data())
def test_names_stay_with_their_rows(ends: list[int], delay: int, size: int, data: st.DataObject) -> None:
    names = st.sampled_from([None, "urn:a", "urn:b"])
    streams = [data.draw(names) for _ in ends]
    graphs = [data.draw(names) for _ in ends]
    whole = replace(batch(ends), stream=streams, graph=graphs)
    reorder = Reorder(delay)
    found = []
    for first in range(0, len(ends), size):
        found += [each for each in reorder.push(whole.part(first, first + size)) if each is not None]
        other = Reorder(delay)
        other.go_on_from(json.loads(json.dumps(reorder.state())))
        reorder = other
    rest = reorder.flush()
    found += [] if rest is None else [rest]
    for each in found:
        for column, names_sent in ((each.stream, streams), (each.graph, graphs)):
            assert list(column or [None] * len(each)) == [names_sent[row - 1] for row in each.rows]


def test_a_negative_delay_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Reorder(-1)
