"""What a check gets, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.lint.scopes import Scopes
from etalis_py.compiler.spans import Span
from etalis_py.core.value_class import value_class

__all__ = ["Check", "Finding", "Subject", "Vocabulary"]


class Vocabulary(Protocol):
    """What is known of names outside the query."""

    def near(self, iri: str, *, is_class: bool) -> str | None:
        """A class or property that is known, written nearly as ``iri``; None if ``iri`` itself is known."""


@value_class
class Finding:
    """Something that is probably not meant: the code of its warning, and where it stands."""

    code: str
    message: str
    span: Span
    hint: str | None = None


@value_class
class Subject:
    """A query to be looked at. ``at_instant``: its run has one instant."""

    query: CompiledQuery
    scopes: Scopes
    vocabulary: Vocabulary
    at_instant: bool

    def written(self, span: Span) -> str:
        """What stands in the query text, on one line and not too long."""
        return self.query.text.written(span)


Check: TypeAlias = Callable[[Subject], Iterator[Finding]]
