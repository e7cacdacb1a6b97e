"""How a dialect writes a length of time."""

from __future__ import annotations

import re
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.dialects import Dialect
from etalis_py.compiler.algebra.translate_windows import stream_length
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.durations import short_duration
from etalis_py.core.times import format_duration
from etalis_py.core.value_class import value_class

__all__ = ["Lengths"]

_DURATION: Final = re.compile(r"P[\dDTHMS.]+", re.IGNORECASE)
_OF_ONE_UNIT: Final = re.compile(r"\d+(?:ms|s|m|min|h|d)")
_OF_UNITS: Final = re.compile(r"(?:\d+(?:ns|ms|s|m|min|h|d))+")


@value_class
class Lengths:
    """Writes the lengths of a query in the dialect ``to``; ``own`` is its own one."""

    text: QueryText
    to: DialectName
    own: Dialect

    @property
    def stay(self) -> bool:
        """Whether they are written as they are, whatever the form."""
        return self.own.name == self.to

    def written(self, length: syntax.Duration | syntax.Length) -> str:
        """A length; as the query has it where the dialect does so too, or has no such unit.

        Microseconds are finer than all units but those of CQELS.
        """
        # NOW-10 S has the length -10 S
        found = "".join(self.text.text[length.span.start : length.span.end].lstrip("-").split())
        form = _form(self.to)
        if self.stay or form.fullmatch(found):
            return found
        microseconds = stream_length(length, self.own.time_unit, self.text)
        if form is _DURATION:
            return format_duration(0, microseconds)
        short = short_duration(microseconds)
        if not short.endswith("µs"):
            return short
        return f"{microseconds * 1000}ns" if form is _OF_UNITS else found


def _form(dialect: DialectName) -> re.Pattern[str]:
    """The lengths of a dialect."""
    match dialect:
        case "rspql":
            return _DURATION
        case "csparql" | "sparqlstream":
            return _OF_ONE_UNIT
        case "cqels":
            return _OF_UNITS
        case _:
            assert_never(dialect)
