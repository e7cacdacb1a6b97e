"""Streams and elements: who sees what, by docs/semantics.md#streams-and-elements."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from etalis_py.core.vocabulary import DEFAULT_STREAM
from tests.oracle.entailment import Closure
from tests.oracle.solutions import Dataset, Interval, Occurrence, Placed

__all__ = [
    "Element",
    "elements",
    "entailed",
    "given_elements",
    "merged",
    "named_elements",
    "within_element",
    "within_stream",
    "within_window",
    "without_place",
]


@dataclass(frozen=True, slots=True)
class Element:
    """All triples of one stream with one interval and one name, or with no name."""

    stream: str
    graph: str | None
    interval: Interval


def without_place(stream: Iterable[Occurrence]) -> frozenset[Placed]:
    """Occurrences of the default stream, in elements without a name."""
    return frozenset(Placed(triple, interval) for triple, interval in stream)


def entailed(closure: Closure, placed: Iterable[Placed]) -> frozenset[Placed]:
    """With what each occurrence entails: it has the place of its premise."""
    return frozenset(
        replace(each, triple=triple)
        for each in placed
        for triple, _ in closure.entailed([(each.triple, each.interval)])
    )


def merged(placed: Iterable[Placed], streams: Collection[str] | None = None) -> frozenset[Occurrence]:
    """What plain patterns see: a triple with an interval once, in however many places it is."""
    return frozenset((each.triple, each.interval) for each in placed if _is_seen(each, streams))


def elements(placed: Iterable[Placed]) -> frozenset[Element]:
    """The elements of what is there."""
    return frozenset(Element(each.stream, each.graph, each.interval) for each in placed)


def named_elements(data: Dataset) -> frozenset[Element]:
    """Those that GRAPH ranges over."""
    return elements(each for each in data.placed if each.graph is not None and _is_seen(each, data.streams))


def given_elements(data: Dataset) -> frozenset[Interval]:
    """The intervals of what the input brought: of the streams that are read, or of all."""
    return frozenset(
        each.interval for each in data.given if data.streams is None or each.stream in data.streams
    )


def within_stream(data: Dataset, stream: str) -> Dataset:
    """What a group in STREAM sees: this stream, and nothing of the background."""
    placed = frozenset(each for each in data.placed if each.stream == stream)
    return _within(data, placed, stream)


def within_window(data: Dataset, placed: frozenset[Placed]) -> Dataset:
    """What a group in WINDOW sees: what the window holds, and nothing of the background."""
    within = replace(_within(data, placed, DEFAULT_STREAM), streams=None)
    return replace(within, stream=frozenset((each.triple, data.always) for each in placed if data.always))


def within_element(data: Dataset, element: Element) -> Dataset:
    """What a group in EVENT, or in GRAPH over elements, sees."""
    placed = frozenset(
        each for each in data.placed if Element(each.stream, each.graph, each.interval) == element
    )
    within = _within(data, placed, element.stream)
    if data.always is None:
        return within
    return replace(within, stream=frozenset((each.triple, data.always) for each in placed))


def _within(data: Dataset, placed: frozenset[Placed], stream: str) -> Dataset:
    streams = frozenset([stream])
    return replace(
        data,
        stream=merged(placed, streams),
        background=frozenset(),
        named={},
        stated=None,
        placed=placed,
        streams=streams,
        of_elements=True,
    )


def _is_seen(each: Placed, streams: Collection[str] | None) -> bool:
    return not each.by_name_only if streams is None else each.stream in streams
