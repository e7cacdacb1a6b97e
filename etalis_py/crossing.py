"""The forms in which stores and occurrences cross to Prolog."""

from __future__ import annotations

from itertools import count
from typing import Any

from etalis_py.compiler.rules import Store, StoreKind
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
    """The different terms of a batch, and each column as positions in them, counted from 1.

    Equal texts are one object in a reader's batch, so identity serves as key; it also keeps 0.0 from -0.0.
    """
    keys = [list(map(id, column)) for column in (batch.s, batch.p, batch.o)]
    terms: dict[int, Any] = {}
    for ids, column in zip(keys, (batch.s, batch.p, batch.o), strict=True):
        terms.update(zip(ids, column, strict=True))
    position = dict(zip(terms, count(1), strict=False))
    columns = [list(map(position.__getitem__, ids)) for ids in keys]
    return list(terms.values()), [*columns, list(batch.start), list(batch.end)]
