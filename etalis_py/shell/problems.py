"""Queries that get prefixes before their first line, and their errors with the places as written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from etalis_py.compiler.spans import Span, place_of
from etalis_py.core.errors import EtalisError

__all__ = ["told_as_typed", "with_prefixes"]


def with_prefixes(prefixes: str, text: str) -> str:
    """The text after ``PREFIX`` declarations on its own first line, so that its lines keep their numbers."""
    return f"{prefixes} {text}" if prefixes else text


@contextmanager
def told_as_typed(prefixes: str, text: str) -> Iterator[None]:
    """Within, the text is read `with_prefixes`; errors show it as it was typed."""
    try:
        yield
    except EtalisError as error:
        place = error.place
        if prefixes and place is not None and place.line == 1 and place.column is not None:
            start = max(0, place.column - 1 - len(prefixes) - 1)
            width = place.excerpt.rpartition("\n")[2].count("^") if place.excerpt else 1
            found = place_of(text, Span(start, start + width))
            error.place = replace(place, column=found.column, excerpt=found.excerpt)
        raise
