"""What went wrong in Prolog, in the words of the query."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.plan.own_nodes import own_nodes
from etalis_py.compiler.spans import place_of
from etalis_py.compiler.user_predicates import user_calls
from etalis_py.core.errors import Place, RunTimeError
from etalis_py.core.times import format_time

__all__ = ["out_of_memory", "run_time_error"]

_node_of_rule = re.compile(r"(?P<node>q(?P<query>\d+)_[a-z]+_\d+)").match


def run_time_error(
    problem: str, queries: Collection[CompiledQuery], clock: int | None, event: Place | None = None
) -> RunTimeError:
    """The error for a problem that ``rules/engine/answers.pl`` reports at the instant ``clock``
    (microseconds, UTC).

    A user's predicate is found in its query, and so is the operator whose rule was at work. ``event`` is the
    place of the event that was taken then, if one was.
    """
    kind, _, rest = problem.partition(" ")
    first, _, second = rest.partition(" ")
    match kind:
        case "derivation-limit":
            return RunTimeError(
                "EP302",
                f"CONSTRUCT queries do not end: more than {rest} triples within one instant",
                hint="a recursion that makes new values never ends; raise max_derivations if this "
                "one does end",
            )
        case "run-limit":
            return RunTimeError(
                "EP318",
                f"REPEAT ANY has more than {rest} partial matches",
                hint="take NEXT or ALL, say how many at most or WITHIN how long, or raise max_derivations",
            )
        case "pause":
            before, time, most = map(int, rest.split())
            what = "the time of the event" if event is not None else "the time it is advanced to"
            return RunTimeError(
                "EP316",
                f"a window with a step would be evaluated more than {most:,} times between"
                f" {format_time(before)} and {format_time(time)}, where nothing happens",
                place=event,
                hint=f"is {what} right? Otherwise use a longer STEP, or advance in several parts",
            )
        case "user-predicate":
            return RunTimeError(
                "EP301",
                f"the Prolog predicate {first} raises an error: {second}",
                place=_place_of_call(first, queries),
                hint="fix it in its rules file; if the value should be an error, let it fail",
            )
        case "answer-limit":
            query = next(each for each in queries if each.plan.number == int(first))
            return RunTimeError(
                "EP310",
                f"{query.name} has more than {int(second):,} answers at one instant{_at(clock)}",
                place=place_of(query.text.text, query.plan.root.span, query.text.source),
                hint="join on more variables, or raise max_answers_per_instant",
            )
        case "time-limit":
            what = f"one instant took more than {float(second):g} s"
            hint = "WITHIN or a join on more variables may help"
            return _of_rule("EP311", what, first, queries, clock, hint)
        case "memory-limit":
            what = f"the process has more than {int(second) / 1e6:,.0f} MB of memory"
            hint = "WITHIN bounds what is kept; or raise max_memory"
            return _of_rule("EP308", what, first, queries, clock, hint)
        case "out-of-memory":
            return out_of_memory(queries, clock, first)
        case _:
            return RunTimeError(
                "EP301", f"Prolog reports: {problem}", hint="etalis explain --stage prolog shows the rules"
            )


def out_of_memory(queries: Collection[CompiledQuery], clock: int | None, rule: str = "") -> RunTimeError:
    """EP312, while the rule of this name was at work, if it is known."""
    hint = "WITHIN bounds what is kept, LIMIT does not; Spark can use the memory of many machines"
    return _of_rule("EP312", "out of memory", rule, queries, clock, hint)


def _of_rule(
    code: str, what: str, rule: str, queries: Collection[CompiledQuery], clock: int | None, hint: str
) -> RunTimeError:
    found = _node_of_rule(rule)
    query = next((each for each in queries if found and each.plan.number == int(found["query"])), None)
    if query is None and len(queries) == 1:
        (query,) = queries
    if query is None:
        names = ", ".join(each.name for each in queries)
        return RunTimeError(code, f"{what}{_at(clock)}; queries: {names}", hint=hint)
    nodes = [node for node in own_nodes(query.plan) if found and node.name == found["node"]]
    place = place_of(query.text.text, (nodes or [query.plan.root])[0].span, query.text.source)
    return RunTimeError(code, f"{what}{_at(clock)}, in {query.name}", place=place, hint=hint)


def _at(clock: int | None) -> str:
    return "" if clock is None else f" ({format_time(clock)})"


def _place_of_call(predicate: str, queries: Iterable[CompiledQuery]) -> Place | None:
    """Where a query first calls ``name/arity``."""
    for query in queries:
        for call in user_calls(query):
            if f"{call.name}/{call.arity}" == predicate:
                return place_of(query.text.text, call.span, query.text.source)
    return None
