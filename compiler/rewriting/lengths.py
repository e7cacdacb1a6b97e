"""How a dialect writes a length of time."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from etalis_py.compiler.algebra.dialects import Dialect
from etalis_py.compiler.algebra.translate_windows import stream_length
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.durations import short_duration
from etalis_py.core.times import format_duration
from etalis_py.core.value_class import value_class

__all__ = ["Lengths"]

_ONE: Final = re.compile(r"\d+(?:ms|s|m|min|h|d)")
_FORMS: Final = MappingProxyType(
    {
        "rspql": re.compile(r"P[\dDTHMS.]+", re.IGNORECASE),
        "csparql": _ONE,
        "sparqlstream": _ONE,
        "cqels": re.compile(r"(?:\d+(?:ns|ms|s|m|min|h|d))+"),
    }
)


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
        if self.stay or _FORMS[self.to].fullmatch(found):
            return found
        microseconds = stream_length(length, self.own.time_unit, self.text)
        if self.to == "rspql":
            return format_duration(0, microseconds)
        short = short_duration(microseconds)
        if not short.endswith("µs"):
            return short
        return f"{microseconds * 1000}ns" if self.to == "cqels" else found
