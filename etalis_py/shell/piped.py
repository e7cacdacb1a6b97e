"""Statements from a pipe or a file: read line by line, done as they come."""

from __future__ import annotations

from typing import TextIO

from etalis_py.shell.statements import is_complete

__all__ = ["Piped"]


class Piped:
    """Statements from a text stream. A line with nothing but ``;`` asks for the next answer of a question."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._peeked: str | None = None

    def statement(self) -> str | None:
        """The text of the next statement; the end of the input ends the last."""
        begun: list[str] = []
        while (line := self._line()) is not None:
            begun.append(line)
            if is_complete(begun):
                break
        return "\n".join(begun) if begun else None

    def wants_more(self) -> bool:
        """Whether the next line is ``;``."""
        self._peeked = self._line()
        if self._peeked is not None and self._peeked.strip() == ";":
            self._peeked = None
            return True
        return False

    def _line(self) -> str | None:
        if self._peeked is not None:
            line, self._peeked = self._peeked, None
            return line
        line = self._stream.readline()
        return line.rstrip("\r\n") if line else None
