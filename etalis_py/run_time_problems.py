"""What went wrong in Prolog, in the words of the query."""

from __future__ import annotations

from collections.abc import Iterable

from etalis_py.compiler.compile import CompiledQuery
from etalis_py.compiler.spans import place_of
from etalis_py.compiler.user_predicates import user_calls
from etalis_py.errors import Place, RunTimeError

__all__ = ["run_time_error"]


def run_time_error(problem: str, queries: Iterable[CompiledQuery]) -> RunTimeError:
    """The error for a problem that ``rules/engine.pl`` reports; a user's predicate is found in its query."""
    kind, _, rest = problem.partition(" ")
    match kind:
        case "derivation-limit":
            return RunTimeError(
                "EP302",
                f"CONSTRUCT queries do not come to an end: more than {rest} triples within one instant",
                hint="a recursion that makes new values does not end; raise max_derivations if this one does",
            )
        case "user-predicate":
            predicate, _, cause = rest.partition(" ")
            return RunTimeError(
                "EP301",
                f"the Prolog predicate {predicate} raises an error: {cause}",
                place=_place_of_call(predicate, queries),
                hint="mend it in its rules file; where it is to be an error value, let it fail",
            )
        case _:
            return RunTimeError(
                "EP301", f"Prolog reports: {problem}", hint="etalis explain --stage prolog shows the rules"
            )


def _place_of_call(predicate: str, queries: Iterable[CompiledQuery]) -> Place | None:
    """Where a query first calls ``name/arity``."""
    for query in queries:
        for call in user_calls(query):
            if f"{call.name}/{call.arity}" == predicate:
                return place_of(query.text.text, call.span, query.text.source)
    return None
