"""The loop: reads a statement, does it, prints what comes of it; no error ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Final, Protocol

from etalis_py.cli.heads import head_of
from etalis_py.core.errors import EtalisError, RunTimeError, UsageError
from etalis_py.engine.matches import Match
from etalis_py.engine.questions import Answer
from etalis_py.shell.answers import Printer, match_text
from etalis_py.shell.commands import do_command
from etalis_py.shell.piped import Piped
from etalis_py.shell.predicates import did_you_mean
from etalis_py.shell.session import Session
from etalis_py.shell.statements import Statement, read_statement

__all__ = ["Shell", "Source"]

_DEEPEST: Final = 10
_MEANT: Final = {"halt": "quit", "quit": "quit", "exit": "quit", "help": "help"}
"""Goals that are commands."""


class Source(Protocol):
    """Where statements come from."""

    def statement(self) -> str | None:
        """The text of the next one; None at the end. Raises KeyboardInterrupt where it is given up."""

    def wants_more(self) -> bool:
        """Whether the next answer of a question is wanted; asked after each that may not be the last."""


class Shell:
    """One session and its source. ``beginning`` are statements that lead to the state it begins in."""

    def __init__(
        self, session: Session, source: Source, printer: Printer, beginning: Sequence[str] = ()
    ) -> None:
        self.session = session
        session.show = self.print_match
        self.printer = printer
        self.beginning = tuple(beginning)
        self.ended = False
        self._source = source
        self._depth = 0

    def run(self) -> None:
        """Until the end of the source; then the last instant is closed."""
        self._run(self._source)
        self._guarded(self.session.finish)

    def _run(self, source: Source) -> None:
        before, self._source = self._source, source
        try:
            while not self.ended:
                try:
                    text = source.statement()
                    if text is None:
                        return
                    self._guarded(partial(self._do, read_statement(text)))
                except KeyboardInterrupt:  # before it began
                    self.printer.line()
        finally:
            self._source = before

    def _guarded(self, do: Callable[[], None]) -> None:
        try:
            do()
        except EtalisError as error:
            if error.code == "EP303":
                error.hint = ":restart starts again, with the same files and queries"
            self.printer.error(error)
        except KeyboardInterrupt:
            self.printer.note("interrupted")
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - the session lives on, and its user sees no traceback
            self.printer.error(_fault(error))

    def _do(self, statement: Statement) -> None:
        match statement.kind:
            case "command":
                do_command(self, statement.command, statement.text)
            case "bare":
                hint = f"did you mean :{statement.text}?"
                raise UsageError("EP501", "commands begin with a colon", hint=hint)
            case "question":
                self._ask(statement.text)
            case "query":
                self.register(statement.text)
            case "nothing":
                pass

    def load(self, path: str) -> None:
        """Load a file before the first statement.

        Raises:
            EtalisError: it cannot be read; a session that does not begin as intended does not start.
        """
        do_command(self, "load", path)

    # ---- what commands need -----------------------------------------------------------------------------

    def register(self, text: str, name: str | None = None) -> None:
        """Register queries, and say their names."""
        names = self.session.add_query(text, name)
        self.printer.note(f"{', '.join(names)}: registered")

    def run_file(self, path: str) -> None:
        """Do the statements of a file.

        Raises:
            UsageError: EP502, it cannot be read; EP501, the files load each other in a circle.
        """
        if self._depth >= _DEEPEST:
            raise UsageError("EP501", f":load {path}: the files load each other in a circle")
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise UsageError("EP502", f"{path} cannot be read: {reason}", hint="check the path") from error
        self._depth += 1
        try:
            self._run(Piped(StringIO(text)))
        finally:
            self._depth -= 1

    def print_match(self, number: int, match: Match) -> None:
        """Print an answer of a registered query."""
        self.printer.match(number, match, self._prefixes(match.query))

    def print_plain(self, match: Match) -> None:
        """Print an answer that has no number and no time."""
        self.printer.line(match_text(match, self.session.names.prefixes)[1])

    def _prefixes(self, name: str) -> dict[str, str]:
        if name not in self.session.query_names():
            return self.session.names.prefixes
        return {**self.session.names.prefixes, **head_of(self.session.engine.query(name)).prefixes}

    # ---- Prolog -----------------------------------------------------------------------------------------

    def _ask(self, goal: str) -> None:
        meant = _MEANT.get(goal.rstrip(". \n"))
        if meant is not None:
            do_command(self, meant, "")
            return
        with did_you_mean(self.session.engine), self.session.ask(goal) as question:
            for answer in question:
                self.printer.answer(answer)
                if not self._goes_on(answer):
                    return
            self.printer.line("false.")

    def _goes_on(self, answer: Answer) -> bool:
        if answer.is_last:
            self.printer.line(".")
            return False
        try:
            more = self._source.wants_more()
        except KeyboardInterrupt:
            more = False
        self.printer.line(" ;" if more else " .")
        return more


def _fault(error: Exception) -> EtalisError:
    wrapped = RunTimeError(
        "EP309", f"a fault in etalis_py itself: {type(error).__name__}: {error}", hint="the session continues"
    )
    wrapped.__cause__ = error
    return wrapped
