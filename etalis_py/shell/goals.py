"""``:goals``: what the engine waits for, by query and operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Final

from etalis_py.core.terms import from_rdflib
from etalis_py.core.times import format_time
from etalis_py.results.table_writer import short_term

if TYPE_CHECKING:
    from etalis_py.shell.session import Session

__all__ = ["goal_lines"]

MOST_GOALS: Final = 20
"""So many goals of each operator are shown."""

_GOAL: Final = (
    "findall(goal(Q, F, B, S, E, M), waiting(Q, F, B, S, E, M), Goals),"
    " nth1(Number, Goals, goal(Query, For, Bindings, Start, End, More)),"
    " ( member(Name=Value, Bindings) ; Bindings == [] ),"
    " ( memberchk(iterations(Count), More) -> true ; Count = none ),"
    " ( memberchk(until(Until), More) -> true ; Until = none )"
)


def goal_lines(session: Session, query: str | None) -> Iterator[str]:
    """Lines to show, of one query or of all."""
    found: dict[int, tuple[str, str, str, list[str]]] = {}
    for answer in session.engine.prolog(_GOAL):
        if query is not None and str(answer["Query"]) != query:
            continue
        times = dict.fromkeys(format_time(int(str(answer[name]))) for name in ("Start", "End"))
        goal = (str(answer["Query"]), str(answer["For"]), " .. ".join(times), list(_also(answer)))
        details = found.setdefault(int(str(answer["Number"])), goal)[3]
        if "Name" in answer:
            value = short_term(from_rdflib(answer["Value"]), session.names.prefixes)
            details.append(f"{answer['Name']}={value}")
    if not found:
        yield "% nothing waits"
    for (name, operator), goals in groupby(found.values(), key=lambda each: each[:2]):
        rows = list(goals)
        yield f"{name} waits at {operator}"
        for _, _, interval, details in rows[:MOST_GOALS]:
            yield f"  {interval}  {'  '.join(details)}"
        if len(rows) > MOST_GOALS:
            yield f"  and {len(rows) - MOST_GOALS:,} more"


def _also(answer: Mapping[str, object]) -> Iterator[str]:
    """How many iterations a run has, and until when a goal waits."""
    if str(answer["Count"]) != "none":
        yield f"{answer['Count']} so far"
    if str(answer["Until"]) != "none":
        yield f"until {format_time(int(str(answer['Until'])))}"
