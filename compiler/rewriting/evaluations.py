"""A query with windows on streams, evaluated at other instants than it says."""

from __future__ import annotations

import re
from typing import Final

from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.algebra.translate import sought
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.languages.languages import read_program
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.relation_to_stream import RELATIONS_TO_STREAM, RelationToStream
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rewriting.edits import Edits
from etalis_py.compiler.rewriting.settings import beginning
from etalis_py.compiler.spans import Span
from etalis_py.core.times import format_duration
from etalis_py.core.value_class import value_class

__all__ = ["Modes", "execution_modes"]

_GIVES: Final = re.compile(
    rf"(?:SELECT|CONSTRUCT)(?:\s|#[^\n]*\n)+({'|'.join(RELATIONS_TO_STREAM)})\b", re.IGNORECASE
)


@value_class
class Modes:
    """The texts of a query in the two execution modes of engines (LARS, section 4.1 of the paper).

    ``push`` is evaluated at each arrival, ``pull`` at the instants of ``grid``; both give all rows. ``gone``
    gives rows when they are gone.
    """

    push: str
    pull: str
    gone: str
    grid: Grid


def execution_modes(
    text: str,
    period: int,
    *,
    language: LanguageName | None = None,
    source: str | None = None,
    base: str | None = None,
) -> Modes:
    """Those of the last query of ``text``; it is pulled each ``period``, microseconds.

    Raises:
        QuerySyntaxError: the text is not one of queries.
        CompileError: EP222, the query has no windows on streams, and whatever else is wrong with it.
    """
    query = read_program(text, source, language)[-1].query
    query_text = QueryText(text, source, base)
    _, windowed = sought(query, query_text)
    if windowed is None:
        hint = "queries of events are evaluated when events come; name a second one to compare it with"
        message = "a query without windows is not evaluated by push or pull"
        raise query_text.error("EP222", message, query.form.span, hint=hint)
    if isinstance(query.form, syntax.Construct) and query.form.stream is not None:
        message = "CONSTRUCT STREAM cannot say when it is evaluated"
        hint = "register it: REGISTER STREAM :out AS CONSTRUCT { ... }"
        raise query_text.error("EP222", message, query.form.span, hint=hint)
    pulled = f"EVERY {format_duration(0, period)}"
    pull = _evaluated(query, text, "RSTREAM", pulled)
    _, evaluated = sought(read_program(pull, source, language)[-1].query, QueryText(pull, source, base))
    assert evaluated is not None
    return Modes(
        _evaluated(query, text, "RSTREAM", "REPORT ARRIVAL"),
        pull,
        _evaluated(query, text, "DSTREAM", "REPORT CHANGE"),
        evaluated.schedule.grids[0],
    )


def _evaluated(query: syntax.Query, text: str, gives: RelationToStream, when: str) -> str:
    """The text with the query evaluated so; windows with steps are looked at as they last closed."""
    edits = Edits(text)
    edits.insert(beginning(query), "PRAGMA open-windows off\n")
    registration, form = query.registration, query.form
    name = "agree"
    if registration is not None:
        if not isinstance(registration.name, str):
            name = text[registration.name.span.start : registration.name.span.end]
        if registration.nonempty:
            when = f"{when} REPORT NONEMPTY" if when.startswith("EVERY") else f"{when} NONEMPTY"
        if registration.starting_at is not None:
            start = registration.starting_at.span
            when = f"{when} STARTING AT {text[start.start : start.end]}"
        edits.replace(registration.span, f"REGISTER {gives} {name} {when} AS")
    else:
        edits.insert(form.span.start, f"REGISTER {gives} {name} {when} AS\n")
    said = _GIVES.match(text, form.span.start)
    if said is not None:
        edits.replace(Span(*said.span(1)), gives)
    return edits.done()
