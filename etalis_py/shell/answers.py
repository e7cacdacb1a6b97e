"""What a session prints: matches with their number, answers of Prolog, goals that wait, errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, TextIO

from etalis_py.cli.messages import as_options
from etalis_py.core.errors import EtalisError
from etalis_py.core.times import format_time
from etalis_py.engine.matches import Match
from etalis_py.engine.questions import Answer
from etalis_py.why.timeline import label

__all__ = ["Printer", "match_text"]

_COLOURS: Final = {"name": "36", "number": "2", "error": "31", "note": "2", "time": "32"}


class Printer:
    """Prints to standard output, errors to standard error; coloured on a terminal, unless NO_COLOR is set."""

    def __init__(self, *, colours: bool | None = None) -> None:
        wanted = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self._colours = wanted if colours is None else colours

    def coloured(self, kind: str, text: str) -> str:
        """``text`` as a terminal shows it in the colour of a kind."""
        return f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m" if self._colours and text else text

    def line(self, text: str = "", *, end: str = "\n") -> None:
        """Print text."""
        _write(sys.stdout, text + end)

    def clear(self) -> None:
        """Empty the terminal; elsewhere nothing."""
        if sys.stdout.isatty():
            self.line("\x1b[H\x1b[2J\x1b[3J", end="")

    def note(self, text: str) -> None:
        """Print what is not an answer: what was done."""
        self.line(self.coloured("note", f"% {text}"))

    def error(self, error: EtalisError) -> None:
        """Print an error: what is wrong, where, and a hint."""
        sys.stdout.flush()
        if error.hint is not None:
            error.hint = as_options(error.hint)
        first, _, rest = str(error).partition("\n")
        _write(sys.stderr, self.coloured("error", first) + (f"\n{rest}" if rest else "") + "\n")

    def match(self, number: int, match: Match, prefixes: Mapping[str, str]) -> None:
        """Print a match of a query."""
        interval, bindings = match_text(match, prefixes)
        parts = [
            self.coloured("number", f"[{number}]"), self.coloured("name", match.query),
            self.coloured("time", interval), bindings,
        ]  # fmt: skip
        self.line("  ".join(part for part in parts if part))

    def answer(self, answer: Answer) -> None:
        """Print an answer of Prolog, without the mark behind it."""
        lines = [f"{name} = {value}" for name, value in answer.items()] + list(answer.residuals)
        self.line(",\n".join(lines) or "true", end="")


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()


def match_text(match: Match, prefixes: Mapping[str, str]) -> tuple[str, str]:
    """The interval of a match, and its bindings, triples or truth.

    >>> match_text(Match("q", 0, 2_000_000, ("x",), ("urn:a",)), {"ex": "urn:"})
    ('1970-01-01T00:00:00Z .. 1970-01-01T00:00:02Z', 'x=ex:a')
    """
    return " .. ".join(dict.fromkeys(map(format_time, match.interval or ()))), label(match, prefixes)
