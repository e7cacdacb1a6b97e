"""What is known only when the input has ended: the last rows of each query, and that an ASK had no answer.

Does not write: answers go on to an `Outlet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from etalis_py.cli.outlet import Outlet
from etalis_py.cli.request import Request
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.json_forms import from_json_form, json_form
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.matches import Match

__all__ = ["Endings", "LastRows"]


class LastRows:
    """Keeps, of each query, the answers of the latest instant that had any, in the order they came.

    Memory is that of one instant's answers.
    """

    def __init__(self) -> None:
        self._rows: dict[str, list[Match]] = {}

    def take(self, match: Match) -> None:
        """Take a match; of one query they come in order of their ends."""
        rows = self._rows.setdefault(match.query, [])
        if rows and rows[0].end < match.end:
            rows.clear()
        rows.append(match)

    def state(self) -> list[Any]:
        """All that are kept, as JSON has it."""
        return [[json_form(match.fields) for match in rows] for rows in self._rows.values()]

    def go_on_from(self, state: list[Any]) -> None:
        """Keep what was kept where the state was given."""
        for rows in state:
            for row in rows:
                self.take(Match(*from_json_form(row)))

    def __iter__(self) -> Iterator[Match]:
        """All that are kept: by their end, then in the order in which the queries first answered."""
        kept = sorted(self._rows.values(), key=lambda rows: rows[0].end)
        return (match for rows in kept for match in rows)


class Endings:
    """Hands answers on to an outlet: at once, or with ``--final`` those that are the last when all is read.

    With ``--at`` and ``--final`` an ASK without an answer has the answer false at the end.
    """

    def __init__(self, outlet: Outlet, request: Request) -> None:
        self._outlet = outlet
        self._last = LastRows() if request.final else None
        self._at = request.options.at
        self._denies = request.final or request.options.at is not None
        self._unanswered: dict[str, None] = {}

    def expect(self, queries: Iterable[CompiledQuery]) -> None:
        """Say which queries there are, before the first match."""
        self._unanswered = dict.fromkeys(query.name for query in queries if query.form == "ask")

    def take(self, matches: Sequence[Match]) -> None:
        """Take matches."""
        if self._unanswered:
            for match in matches:
                if match.boolean:
                    self._unanswered.pop(match.query, None)
        if self._last is None:
            self._outlet.take(matches)
        else:
            for match in matches:
                self._last.take(match)

    def take_answers(self, answers: Answers) -> None:
        """Take answers in columns."""
        if self._last is not None:
            self.take(list(answers.matches()))
            return
        if self._unanswered:
            for name in set(answers.names()):
                self._unanswered.pop(name, None)
        self._outlet.take_answers(answers)

    def state(self) -> dict[str, Any]:
        """What decides later what is written, as JSON has it."""
        return {
            "last": None if self._last is None else self._last.state(),
            "unanswered": list(self._unanswered),
        }

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Go on where the state was given."""
        if self._last is not None:
            self._last.go_on_from(state["last"])
        self._unanswered = dict.fromkeys(state["unanswered"])

    def finish(self, clock: int | None) -> None:
        """The input has ended; the newest instant is ``clock`` (None: there was none)."""
        self.break_off()
        if self._denies:
            for name in self._unanswered:
                self._outlet.take([Match.no(name, clock if self._at is None else self._at)])

    def break_off(self) -> None:
        """The input is not whole: the last rows are those of what was read, and no ASK is denied."""
        self._outlet.take(list(self._last or ()))
