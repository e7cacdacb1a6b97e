"""Classes of values: frozen dataclasses that take little time to make, for a start that makes hundreds.

Python writes and compiles six methods for a frozen dataclass. For a value class it does so for ``__init__``
alone, and not before the first value is made: of most classes a run makes none. One way to compare, to hash
and to show values does for all. That nobody sets a field, the type checker sees to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields, make_dataclass
from functools import partial
from operator import attrgetter
from typing import Any, TypeVar, overload

from typing_extensions import dataclass_transform

__all__ = ["value_class"]

_Class = TypeVar("_Class", bound=type)


@overload
def value_class(cls: _Class, /) -> _Class: ...


@overload
def value_class(*, kw_only: bool) -> Callable[[_Class], _Class]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_class(cls: type | None = None, /, *, kw_only: bool = False) -> Any:
    """What ``@dataclass(frozen=True, slots=True)`` is to the type checker and to whoever uses the values.

    >>> @value_class
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0), Point(1) == Point(2), len({Point(1), Point(1, 0)})
    (Point(x=1, y=0), True, False, 1)
    """
    return partial(_made, kw_only=kw_only) if cls is None else _made(cls, kw_only=kw_only)


def _made(cls: Any, *, kw_only: bool) -> Any:
    made = dataclass(slots=True, kw_only=kw_only, init=False, eq=False, repr=False)(cls)
    equal, hashed = _comparison(tuple(each.name for each in fields(made) if each.compare))
    methods = {"__init__": _first_construction(made), "__eq__": equal, "__hash__": hashed, "__repr__": _shown}
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(made, name, method)
    return made


def _first_construction(cls: Any) -> Callable[..., None]:
    """An ``__init__`` that has the one of a dataclass written, which takes its place."""

    def construct(self: Any, *values: Any, **named: Any) -> None:
        like = make_dataclass(
            cls.__name__,
            [(each.name, Any, _again(each)) for each in fields(cls)],
            namespace={"__doc__": cls.__doc__},
            eq=False,
            repr=False,
        )
        cls.__init__ = vars(like)["__init__"]
        cls.__init__(self, *values, **named)

    return construct


def _again(each: Field[Any]) -> Any:
    """The same for another class."""
    return field(default=each.default, default_factory=each.default_factory, kw_only=each.kw_only)


def _comparison(names: tuple[str, ...]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """Equality and hash by the fields of these names."""
    contents: Callable[[Any], object] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> bool:
        return contents(self) == contents(other) if self.__class__ is other.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(contents(self))

    return equal, hashed


def _shown(value: Any) -> str:
    shown = (f"{each.name}={getattr(value, each.name)!r}" for each in fields(value) if each.repr)
    return f"{value.__class__.__qualname__}({', '.join(shown)})"
