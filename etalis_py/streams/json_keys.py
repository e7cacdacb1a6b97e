"""The keys that lead to the columns of rows in JSON, as the native reader looks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from etalis_py.texts.library import Key

__all__ = ["JsonKeys"]


class JsonKeys:
    """A tree of keys: in its ``table`` the first is the row, others are keys of objects, and places in lists.

    ``steps`` lead to each column, in the order of the columns.

    >>> keys = JsonKeys({"id": ["id"], "at[1]": ["at", 1]})
    >>> [(key.text, key.length, key.column) for key in keys.table]
    [(None, 0, -1), (b'id', 2, 0), (b'at', 2, -1), (None, 1, 1), (b'at[1]', 5, -2)]
    >>> [(key.child, key.next) for key in keys.table]
    [(1, 0), (0, 2), (3, 4), (0, 0), (0, 0)]
    """

    def __init__(self, steps: Mapping[str, Sequence[str | int]]) -> None:
        self._made: list[Key] = [Key(None, 0, 0, 0, Key.NOWHERE)]
        self._within: list[dict[str | int, int]] = [{}]
        for column, (name, path) in enumerate(steps.items()):
            self._put(path, column)
            if list(path) != [name]:  # a key that is written like the steps comes before them
                self._put([name], Key.NOT_PLAIN)
        self.table: Final[Any] = (Key * len(self._made))(*self._made)

    def _put(self, path: Sequence[str | int], column: int) -> None:
        place = 0
        for step in path:
            within = self._within[place]
            if step not in within:
                within[step] = self._add(step, place, list(within.values()))
            place = within[step]
        key = self._made[place]
        key.column = column if key.column == Key.NOWHERE else Key.NOT_PLAIN  # two of one key

    def _add(self, step: str | int, within: int, others: list[int]) -> int:
        text, length = (None, step) if isinstance(step, int) else (step.encode(), len(step.encode()))
        number = len(self._made)
        self._made.append(Key(text, length, 0, 0, Key.NOWHERE))
        self._within.append({})
        if others:
            self._made[others[-1]].next = number
        else:
            self._made[within].child = number
        return number
