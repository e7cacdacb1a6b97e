"""How much an engine keeps for each query: partial matches that wait, and what windows of aggregates hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.plan.plan import GroupPlan
from etalis_py.compiler.spans import shorten
from etalis_py.embedding import prolog
from etalis_py.engine.goal_stores import goal_stores

__all__ = ["Kept", "kept"]


@dataclass(frozen=True, slots=True)
class Kept:
    """What one operator keeps of so many matches, and in how many bytes, without the terms in them.

    ``operator`` is its text. It forgets what is older than ``window`` microseconds; None: it waits for a
    partner, or for the end of what it is about. ``is_group``: an aggregate, of whose window it is.
    """

    operator: str
    window: int | None
    is_group: bool
    count: int
    bytes: int


def kept(
    queries: Iterable[CompiledQuery],
    taken_from: Mapping[str, str],
    goals_from: Mapping[str, str],
    modules: Iterable[str],
) -> dict[str, list[Kept]]:
    """By query, what each of its operators keeps; what is shared is told of each query."""
    found: dict[tuple[str, str], tuple[str, int | None, bool]] = {}
    result: dict[str, list[Kept]] = {}
    for query in queries:
        result[query.name] = []
        for store in goal_stores(query, taken_from, goals_from):
            found[query.name, store.predicate] = store.operator, store.window, False
        for node in _groups(query):
            text = " ".join(query.text.text[node.span.start : node.span.end].split())
            found[query.name, taken_from.get(node.name, node.name)] = shorten(text, 60), _width(node), True
    sizes = _sizes([predicate for _, predicate in found], modules)
    for ((name, _), about), (count, size) in zip(found.items(), sizes, strict=True):
        result[name].append(Kept(*about, count, size))
    return result


def _groups(query: CompiledQuery) -> Iterator[GroupPlan]:
    return (each for each in own_nodes(query.plan) if isinstance(each, GroupPlan) and each.eventful)


def _width(group: GroupPlan) -> int | None:
    match group.extent:
        case RangeWindow(width):
            return width
        case PastWindow(begin):
            return begin
        case _:
            return None


def _sizes(names: list[str], modules: Iterable[str]) -> list[tuple[int, int]]:
    """Counts and bytes."""
    if not names:
        return []
    found = [prolog.call("etalis_question_views", "matches_kept", module, names) for module in modules]
    parts = (tuple(zip(*each, strict=True)) for each in zip(*found, strict=True))
    return [(sum(counts), sum(sizes)) for counts, sizes in parts]
