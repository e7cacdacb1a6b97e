"""What a notebook shows of matches, of an engine and of answers of Prolog: tables in HTML.

All text is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Final

from etalis_py.compiler.spans import shorten
from etalis_py.core.counting import counted
from etalis_py.core.times import format_time
from etalis_py.engine.questions import Answer
from etalis_py.results.table_writer import short_term
from etalis_py.why.timeline import label

if TYPE_CHECKING:
    from etalis_py.core.terms import Encoded
    from etalis_py.engine.engine import Engine
    from etalis_py.engine.match_sequence import Matches
    from etalis_py.engine.matches import Match

__all__ = ["MOST_ROWS", "PrologAnswers", "engine_html", "matches_html"]

MOST_ROWS: Final = 20
"""So many rows are shown."""
_LONGEST: Final = 120
"""Characters of a query that are shown."""


class PrologAnswers(list[Answer]):
    """Answers of a Prolog goal; ``is_all`` says that there are no more."""

    def __init__(self, answers: Iterable[Answer], *, is_all: bool) -> None:
        super().__init__(answers)
        self.is_all = is_all

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for each in self for name in each))
        heads = [*names, "constraints"] if any(each.residuals for each in self) else names
        rows = (
            [*(each.get(name, "_") for name in names), ", ".join(each.residuals)][: len(heads)]
            for each in self
        )
        count = counted(len(self), "answer") + ("" if self.is_all else ", and there are more")
        return _table(heads, (map(escape, row) for row in rows), count if self else "false")


def matches_html(matches: Matches) -> str:
    """The first matches as a table, their terms as the queries abbreviate them."""
    shown, prefixes = list(islice(matches, MOST_ROWS)), matches.prefixes
    names = list(dict.fromkeys(each.query for each in shown))
    variables = _common_variables(shown)
    heads = ["query"] if len(names) > 1 else []
    heads += ["start", "end", *(variables if variables is not None else ["answer"])]
    rows = (_row(each, variables, prefixes, named=len(names) > 1) for each in shown)
    caption = f"{counted(len(matches), 'match')} of {', '.join(names) or 'no query'}"
    if len(matches) > len(shown):
        caption += f", the first {len(shown)}"
    return _table(heads, rows, caption)


def engine_html(engine: Engine) -> str:
    """The clock of an engine, its queries, and how many goals of each wait."""
    if engine.failure is not None:
        return f"<p>Engine: {escape(engine.failure or 'closed')}</p>"
    clock = "nothing has happened yet" if engine.clock is None else f"it is {format_time(engine.clock)}"
    rows = (
        (escape(name), f"{engine.count_waiting(name):,}", _query_text(engine.query(name).text.text))
        for name in engine.query_names
    )
    return _table(["query", "goals", "text"], rows, f"Engine: {clock}")


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]], caption: str) -> str:
    """A table; the cells of its rows are HTML already."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<table class="dataframe"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _common_variables(matches: Sequence[Match]) -> tuple[str, ...] | None:
    """The variables that all of them have; None where there is none, or they are not of one SELECT."""
    [*several] = {each.variables for each in matches}
    return several[0] if len(several) == 1 and several[0] else None


def _row(
    match: Match, variables: tuple[str, ...] | None, prefixes: Mapping[str, str], *, named: bool
) -> Iterator[str]:
    if named:
        yield escape(match.query)
    yield from map(format_time, match.interval) if match.interval else ("", "")
    if variables is None:
        yield escape(label(match, prefixes))
    else:
        yield from (_term(value, prefixes) for value in match.values)


def _term(value: Encoded | None, prefixes: Mapping[str, str]) -> str:
    if value is None:
        return ""
    shown = escape(short_term(value, prefixes))
    return f'<span title="{escape(value)}">{shown}</span>' if isinstance(value, str) else shown


def _query_text(text: str) -> str:
    return f"<code>{escape(shorten(' '.join(text.split()), _LONGEST))}</code>"
