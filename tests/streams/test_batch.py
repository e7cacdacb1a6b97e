"""A batch keeps the names of streams and elements beside their occurrences, however it is cut and joined."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from etalis_py.streams import Batch, concat

names = st.sampled_from([None, "urn:a", "urn:b"])
rows = st.lists(st.tuples(st.integers(0, 9), names, names), max_size=12)


def batch(found: list[tuple[int, str | None, str | None]]) -> Batch:
    ends = [end for end, _, _ in found]
    terms = [f"urn:{number}" for number in range(len(found))]
    streams = [stream for _, stream, _ in found]
    graphs = [graph for _, _, graph in found]
    return Batch(
        ends,
        ends,
        terms,
        terms,
        terms,
        graphs if any(graphs) else None,
        ["a"] * len(found),
        range(len(found)),
        streams if any(streams) else None,
    )


def rows_of(each: Batch) -> list[tuple[int, str | None, str | None]]:
    none = [None] * len(each)
    return list(zip(each.end, each.stream or none, each.graph or none, strict=True))  # type: ignore[arg-type]


@given(rows, st.lists(st.integers(0, 12), max_size=3))
def test_cut_and_joined(found: list[tuple[int, str | None, str | None]], cuts: list[int]) -> None:
    whole = batch(found)
    places = [0, *sorted(min(cut, len(found)) for cut in cuts), len(found)]
    parts = [whole.part(first, last) for first, last in pairwise(places)]
    assert rows_of(concat(parts)) == found


@given(rows, st.lists(rows, max_size=3))
def test_joined_with_batches_that_name_none(
    first: list[tuple[int, str | None, str | None]], others: list[list[tuple[int, str | None, str | None]]]
) -> None:
    joined = concat([batch(first), *map(batch, others)])
    assert rows_of(joined) == [row for part in (first, *others) for row in part]


@given(st.data(), rows)
def test_in_another_order(data: st.DataObject, found: list[tuple[int, str | None, str | None]]) -> None:
    order = data.draw(st.permutations(range(len(found))))
    assert rows_of(batch(found).take(order)) == [found[index] for index in order]


def test_what_names_nothing_has_no_column() -> None:
    plain = batch([(1, None, None), (2, None, None)])
    joined = concat([plain, plain]).take([1, 0]).part(0, 1)
    assert joined.stream is None
    assert joined.graph is None
