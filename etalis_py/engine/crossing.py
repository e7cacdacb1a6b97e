"""The forms in which stores and occurrences cross to Prolog."""

from __future__ import annotations

from typing import Any

from etalis_py.compiler.rules.rules import Store, StoreKind
from etalis_py.core.coded import Coded
from etalis_py.streams.batch import Batch

__all__ = ["columns_of", "store_description"]


def store_description(store: Store) -> tuple[str, str, int, Any]:
    """A store as ``add_query/4`` takes it: name, kind, arity and the window or the group.

    Goals that are found by their occurrences, too, have the kind ``used_lasting`` or ``used_window``.
    """
    kind = store.kind.name.lower()
    kind = f"used_{kind}" if store.indexed else kind
    detail = store.window if store.kind is StoreKind.WINDOW else store.group
    return (store.name, kind, store.arity, detail or 0)


def columns_of(batch: Batch) -> tuple[list[Any], list[list[int]]]:
    """The different terms of each column of a batch, and the columns as positions in them, counted from 1.

    The column of starts is empty where all events are points.
    """
    terms: list[Any] = []
    columns = []
    for column in (batch.s, batch.p, batch.o):
        coded = Coded.by_identity(column)
        before = len(terms) + 1
        terms += coded.values
        columns.append([before + code for code in coded.codes])
    starts = [] if batch.start == batch.end else list(batch.start)
    return terms, [*columns, starts, list(batch.end)]
