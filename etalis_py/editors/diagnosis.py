"""What is wrong with a text, and what is probably not meant, with the place and what to put there instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from etalis_py.core.errors import EtalisError, EtalisWarning, QueryError

if TYPE_CHECKING:
    from etalis_py.engine.engine import Engine
    from etalis_py.engine.options import EngineOptions

__all__ = ["Diagnosis", "Problem"]

_meant = re.compile(r"did you mean '?(\S+?)'?\?(?: If not.*)?", re.DOTALL).fullmatch
_to_declare = re.compile(r"declare it before the query: (PREFIX \S+ <(?!\.\.\.>)[^>]+>)").fullmatch


@dataclass(frozen=True, slots=True)
class Problem:
    """An error or a warning; line and column count from 0, in characters."""

    code: str
    message: str
    hint: str | None
    is_error: bool
    line: int
    column: int
    length: int

    @property
    def replacement(self) -> str | None:
        """What is to stand there instead, where the hint says so exactly."""
        found = _meant(self.hint or "")
        return None if found is None else found[1].removesuffix("()")

    @property
    def missing_line(self) -> str | None:
        """A line that is to stand before the query, where the hint says so exactly."""
        found = _to_declare(self.hint or "")
        return None if found is None else found[1]


class Diagnosis:
    """Looks at texts by an engine that is opened when it is first needed, and runs no query."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options
        self._engine: Engine | None = None

    def problems(self, text: str, source: str | None = None, base: str | None = None) -> list[Problem]:
        """All that is wrong with a text, which is nothing with an empty one; else what the linter finds.

        Raises:
            EtalisError: the engine cannot be opened, since its background cannot be read, say.
        """
        found = self._found(text, source, base) if text.strip() else ()
        return [_problem(each) for each in found]

    def _found(
        self, text: str, source: str | None, base: str | None
    ) -> Iterator[EtalisError | EtalisWarning]:
        from etalis_py.compiler.lint.mistakes import all_errors

        engine = self._opened()
        try:
            yield from engine.lint(text, source=source, base=base)
        except QueryError as first:
            errors = all_errors(text, source=source, base=base, policy=self._options.policy)
            if str(first) not in map(str, errors):
                yield first
            yield from errors

    def _opened(self) -> Engine:
        from etalis_py.engine.engine import Engine

        if self._engine is None:
            self._engine = Engine(**self._options.keywords())
        return self._engine

    def close(self) -> None:
        """Give the engine back."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def _problem(found: EtalisError | EtalisWarning) -> Problem:
    place = found.place
    line = 1 if place is None or place.line is None else place.line
    column = 1 if place is None or place.column is None else place.column
    length = 1 if place is None or place.length is None else place.length
    is_error = isinstance(found, EtalisError)
    return Problem(found.code, found.message, found.hint, is_error, line - 1, column - 1, length)
