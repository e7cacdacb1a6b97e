"""The operators of SPARQL that random queries may have besides the patterns and combinators.

Each example uses a few of them, so that an example is about something. What the engine refuses is left out.
"""

from __future__ import annotations

from typing import TypeAlias

from tests.oracle.chooser import Chooser

__all__ = ["ACCEPTED", "STREAM", "Operators", "some_operators"]

ACCEPTED: tuple[str, ...] = (
    "MINUS",
    "EXISTS",
    "VALUES",
    "GROUP BY",
    "WINDOW",
    "LIMIT",
    "ASK",
    "DESCRIBE",
    "GRAPH",
    "FROM",
    "AT",
    "PATH",
)
"""Of AT, MINUS, EXISTS, VALUES, GROUP BY, WINDOW, LIMIT, PATH, GRAPH, FROM, ASK and DESCRIBE.

AT: plain SPARQL, over what happens at one instant and the background together. With DEEP EXISTS the group of
an EXISTS has operators of its own.
"""

STREAM = "STREAM"
"""Not among those: occurrences have places, and queries ask for streams and elements."""

Operators: TypeAlias = frozenset[str]


def some_operators(choice: Chooser) -> Operators:
    """None in one example of three, mostly one or two."""
    number = min(choice.choose((0, 1, 1, 2, 2, 3)), len(ACCEPTED))
    chosen = {choice.choose(ACCEPTED) for _ in range(number)}
    if "WINDOW" in chosen:
        chosen.add("GROUP BY")
    if "EXISTS" in chosen and choice.rarely(2):
        chosen.add("DEEP EXISTS")
    return frozenset(chosen)
