"""What a query leaves to its dialect, said in the words that another dialect needs."""

from __future__ import annotations

from etalis_py.compiler.algebra.dialects import Dialect, dialect_of
from etalis_py.compiler.algebra.windowed import Windowed, surely_holds
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.rewriting.edits import Edits
from etalis_py.compiler.spans import Span

__all__ = ["beginning", "change_settings", "has_start"]


def change_settings(
    query: syntax.Query, text: QueryText, windowed: Windowed, after: Dialect, edits: Edits
) -> None:
    """Say by PRAGMAs, and behind SELECT, what holds in the query's dialect and would not ``after``.

    Raises:
        CompileError: EP222, there is no place to say what of its rows it gives.
    """
    before = dialect_of(query, text)
    for each in query.prologue.declarations:
        if isinstance(each, syntax.Pragma) and each.name == "dialect":
            edits.remove(each.span)
    pragmas = [f"PRAGMA {name} {value}\n" for name, value in _pragmas(query, windowed, before, after)]
    edits.insert(beginning(query), "".join(pragmas))
    if before.to_stream != after.to_stream:
        _say_what_is_given(query, text, windowed, after, edits)


def _pragmas(
    query: syntax.Query, windowed: Windowed, before: Dialect, after: Dialect
) -> list[tuple[str, str]]:
    registration = query.registration
    found = []
    if before.closed_open != after.closed_open:
        found.append(("window-bounds", "closed-open" if before.closed_open else "open-closed"))
    if before.partial != after.partial and has_start(query, before):
        found.append(("partial-windows", "on" if before.partial else "off"))
    matters = not surely_holds(windowed.schedule, windowed.windows)
    if before.nonempty != after.nonempty and matters and not (registration and registration.nonempty):
        found.append(("nonempty", "on" if before.nonempty else "off"))
    said = registration is not None and (registration.every or registration.report) is not None
    if not said and (before.report is not after.report or (_slides(query) and not after.slides)):
        found.append(("report", windowed.schedule.report.name.lower()))
    return found


def _slides(query: syntax.Query) -> bool:
    """Whether a window has no step."""
    return any(
        isinstance(each, syntax.TimeExtent | syntax.PastExtent) and each.step is None
        for each in walk(query.form)
    )


def has_start(query: syntax.Query, dialect: Dialect) -> bool:
    """Whether something says when windows begin."""
    registration = query.registration
    written = [each.extent for each in query.form.windows]
    return (
        dialect.starting_at is not None
        or (registration is not None and registration.starting_at is not None)
        or any(isinstance(each, syntax.TimeExtent) and each.starting_at is not None for each in written)
    )


def beginning(query: syntax.Query) -> int:
    """The place of its first word."""
    parts = [*query.prologue.declarations, query.form, query.registration]
    return min(each.span.start for each in parts if each is not None)


def _say_what_is_given(
    query: syntax.Query, text: QueryText, windowed: Windowed, to: Dialect, edits: Edits
) -> None:
    form, registration = query.form, query.registration
    if isinstance(form, syntax.Select | syntax.Construct) and form.to_stream is not None:
        return
    if registration is not None:
        if registration.word in ("STREAM", "QUERY"):
            place = registration.span.start + len("REGISTER")
            word = text.text.upper().index(registration.word, place)
            edits.replace(Span(word, word + len(registration.word)), windowed.to_stream)
        return
    if isinstance(form, syntax.Select):
        edits.insert(form.span.start + len("SELECT"), f" {windowed.to_stream}")
    elif isinstance(form, syntax.Construct) and form.stream is None:
        edits.insert(form.span.start + len("CONSTRUCT"), f" {windowed.to_stream}")
    else:
        hint = f"register it: REGISTER {windowed.to_stream} :name AS"
        message = f"what this query gives, {windowed.to_stream}, cannot be said in {to.title}"
        raise text.error("EP222", message, form.span, hint=hint)
