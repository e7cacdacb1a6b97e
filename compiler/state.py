"""The patterns of states, compiled like queries: what they give changes the state instead of being an answer.

See ``rules/background/state.pl`` for when it changes. The place of an error is that in the rules file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.compile import CompiledQuery, compile_program, no_background
from etalis_py.compiler.plan.build_plan import BackgroundTest
from etalis_py.compiler.plan.plan import ProjectPlan, StatePlan
from etalis_py.compiler.rules.prolog_terms import Atom
from etalis_py.compiler.rules.prolog_text import term_text
from etalis_py.compiler.spans import Span, place_of
from etalis_py.core.errors import DataError, Place, QueryError
from etalis_py.ontologies.state_declarations import Change, PatternText, StateDeclaration

__all__ = ["compile_states"]


def compile_states(
    declarations: Sequence[StateDeclaration],
    background: BackgroundTest = no_background,
    *,
    at_instant: bool = False,
) -> list[CompiledQuery]:
    """What the compiler makes of the patterns of states, numbered from 1.

    The policy of an engine says which answers queries give; here all matches count. ``background`` and
    ``at_instant`` are as for queries.

    Raises:
        QueryError: EP1xx, EP2xx, a pattern is not EP-SPARQL or cannot be run.
        DataError: EP449, a pattern that cannot begin the state.
    """
    compiled: list[CompiledQuery] = []
    for state in declarations:
        for change, pattern in state.patterns:
            query = _query(state, change, pattern, len(compiled) + 1, background, at_instant)
            _check(state, change, pattern, query)
            compiled.append(query)
    return compiled


def _query(
    state: StateDeclaration,
    change: Change,
    pattern: PatternText,
    number: int,
    background: BackgroundTest,
    at_instant: bool,
) -> CompiledQuery:
    text = _text(state, pattern)
    try:
        queries = compile_program(
            text,
            name=f"{state.indicator} {change}",
            source=state.file,
            first_number=number,
            background=background,
            at_instant=at_instant,
        )
    except QueryError as error:
        if error.place is not None and error.place.line == text.count("\n") + 1:
            end = len(text) - 2  # the brace behind the pattern is not in the file
            error.place = place_of(text, Span(end, end), state.file)
            error.message = error.message.replace("unexpected '}'", "unexpected end of the pattern")
        if error.code == "EP106":
            error.hint = _prefix_hint(error)
        raise
    if len(queries) != 1:
        hint = "a state needs one pattern that begins it and one that ends it"
        raise _error(state, pattern, "the pattern has a ;;", hint)
    query = queries[0]
    arguments = tuple(algebra.Variable(each) for each in state.variables)
    root = query.plan.root
    if isinstance(root, ProjectPlan):  # the SELECT is only there to have a query
        root = root.input
    return replace(
        query, plan=StatePlan(number, root, state.name, change, arguments, root.span), generated=None
    )


def _text(state: StateDeclaration, pattern: PatternText) -> str:
    """A query with each character of the pattern on the line, and in the column, that it has in the file."""
    prefixes = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in state.prefixes.items())
    shown = " ".join(f"?{each}" for each in state.variables)
    head = f"{prefixes}SELECT {shown} WHERE {{" if shown else f"{prefixes}ASK {{"
    before = head.ljust(pattern.column)
    if pattern.line > 1:
        before = "\n" * (pattern.line - 2) + head + "\n" + " " * pattern.column
    return f"{before}{pattern.text}\n}}"


def _prefix_hint(error: QueryError) -> str:
    prefix = term_text(Atom(error.message.split("'")[1].removesuffix(":")))
    return f"declare it before the state: :- prefix({prefix}, 'http://...')."


def _check(state: StateDeclaration, change: Change, pattern: PatternText, query: CompiledQuery) -> None:
    if not query.plan.root.eventful:
        message = f"no event can match the pattern, so nothing {change} {state.indicator}"
        raise _error(state, pattern, message, "background always holds, so it begins and ends nothing")
    if change == "ends":
        return
    bound = {each.name for each in _pattern_variables(query.meaning.pattern)}
    missing = [f"?{each}" for each in state.variables if each not in bound]
    if missing:
        raise _error(
            state,
            pattern,
            f"the pattern has no {' and no '.join(missing)}, so it begins no {state.indicator}",
            "each argument of the state must be a variable of the pattern with the same name",
        )


def _pattern_variables(pattern: algebra.Pattern) -> Iterator[algebra.Variable]:
    """The variables of a pattern without the SELECT around it, which has those of the state."""
    yield from algebra.variables(pattern.pattern if isinstance(pattern, algebra.Project) else pattern)


def _error(state: StateDeclaration, pattern: PatternText, message: str, hint: str | None) -> DataError:
    place = Place(state.file, line=pattern.line, column=pattern.column or None)
    return DataError("EP449", message, place=place, hint=hint)
