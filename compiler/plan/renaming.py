"""The same plan with other names for its nodes and tests, where the state of its rules has these names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from etalis_py.compiler.plan.plan import ChangesPlan, ExistsPlan, PlanBase, QueryPlan, SnapshotPlan, Step

__all__ = ["names_of", "numbered", "renamed"]


def renamed(plan: QueryPlan, names: Mapping[str, str]) -> QueryPlan:
    """``plan`` whose nodes and tests have the new names that ``names`` gives for theirs."""
    return replace(plan, root=_Renaming(names).of(plan.root)) if names else plan


def numbered(plan: QueryPlan, number: int) -> QueryPlan:
    """``plan``, made for a query with another number, as that of the one with ``number``."""
    if number == plan.number:
        return plan  # that of a stage has names of the query it is cut from
    old, new = f"q{plan.number}_", f"q{number}_"
    names = {name: new + name.removeprefix(old) for name in names_of(plan)}
    return replace(plan, root=_Renaming(names, number).of(plan.root), number=number)


def names_of(plan: QueryPlan) -> set[str]:
    """The names of all nodes and tests of ``plan``."""
    found: set[str] = set()
    todo: list[Any] = [plan.root]
    while todo:
        holder = todo.pop()
        name = getattr(holder, "name", None)
        if name not in found:
            found |= set() if name is None else {name}
            todo += (each for _, parts in _parts(holder) for each in parts)
    return found


class _Renaming:
    """What stands in several places is renamed once. ``number``: the query has another one."""

    def __init__(self, names: Mapping[str, str], number: int | None = None) -> None:
        self._names = names
        self._number = number
        self._done: dict[int, tuple[Any, Any]] = {}

    def of(self, holder: Any) -> Any:
        """A node, a test or a step with the new names."""
        if id(holder) not in self._done:
            self._done[id(holder)] = holder, self._renamed(holder)
        return self._done[id(holder)][1]

    def _renamed(self, holder: Any) -> Any:
        changes: dict[str, Any] = {
            field: self._names.get(name, name)
            for field in ("name", "part", "left_goals")
            if (name := getattr(holder, field, None)) is not None
        }
        if isinstance(holder, SnapshotPlan | ChangesPlan) and holder.schedule.query and self._number:
            changes["schedule"] = replace(holder.schedule, query=self._number)
        for field, parts in _parts(holder):
            found = tuple(map(self.of, parts))
            changes[field] = found if isinstance(getattr(holder, field), tuple) else found[0]
        return replace(holder, **changes)


def _parts(holder: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The fields that hold nodes, tests or steps."""
    for field in fields(holder):
        value = getattr(holder, field.name)
        parts = value if isinstance(value, tuple) else (value,)
        if parts and isinstance(parts[0], PlanBase | ExistsPlan | Step):
            yield field.name, parts
