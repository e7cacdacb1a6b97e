"""Streams merge by end time; within one stream nothing changes its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from etalis_py.core.errors import DataError
from etalis_py.streams import Batch, concat, merge, open_streams

Drain = Callable[[Iterator[Batch]], tuple[list[Batch], DataError]]


def batch(ends: list[int], name: str = "a") -> Batch:
    terms = [f"urn:{name}{index}" for index in range(len(ends))]
    return Batch(ends, ends, terms, terms, terms, None, [name] * len(ends), range(1, len(ends) + 1))


def ends(batches: Iterator[Batch]) -> list[int]:
    return [end for part in batches for end in part.end]


@given(st.lists(st.lists(st.lists(st.integers(0, 20), max_size=5), max_size=4), min_size=1, max_size=4))
def test_sorted_streams_give_a_sorted_one(streams: list[list[list[int]]]) -> None:
    ordered = []
    for stream in streams:
        flat = iter(sorted(end for part in stream for end in part))
        ordered.append([batch([next(flat) for _ in part]) for part in stream])
    merged = ends(merge([iter(parts) for parts in ordered]))
    assert merged == sorted(end for stream in streams for part in stream for end in part)


@given(st.lists(st.integers(0, 9), max_size=12), st.lists(st.integers(0, 9), max_size=12), st.integers(1, 12))
def test_late_rows_stay_where_they_are_whatever_the_batches(a: list[int], b: list[int], size: int) -> None:
    def cut(rows: list[int], name: str, length: int) -> Iterator[Batch]:
        whole = batch(rows, name)
        return (whole.part(first, first + length) for first in range(0, len(rows), length))

    def run(length: int) -> list[tuple[str, int]]:
        merged = merge([cut(a, "a", length), cut(b, "b", length)])
        return [pair for part in merged for pair in zip(part.sources, part.end, strict=True)]

    whole = run(100)
    assert run(size) == whole
    assert [end for name, end in whole if name == "a"] == a
    assert [end for name, end in whole if name == "b"] == b


def test_equal_ends_keep_the_order_of_the_streams() -> None:
    merged = concat(list(merge([iter([batch([1, 2], "a")]), iter([batch([1, 2], "b")])])))
    assert list(merged.sources) == ["a", "b", "a", "b"]


def test_an_error_comes_after_what_precedes_it(drain: Drain) -> None:
    def broken() -> Iterator[Batch]:
        yield batch([1, 5], "a")
        raise DataError("EP407", "broken")

    got, _ = drain(merge([broken(), iter([batch([2, 9], "b")])]))
    assert ends(iter(got)) == [1, 2, 5]


def test_blank_nodes_of_two_files_are_two(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("start,s,p,o\n1,_:b,<urn:p>,_:b\n")
    merged = concat(list(open_streams([tmp_path / "a.csv", tmp_path / "b.csv"])))
    assert merged.s == merged.o == ["_:f1-b", "_:f2-b"]
    (alone,) = open_streams([tmp_path / "a.csv"])
    assert list(alone.s) == ["_:b"]
