"""The WINDOW clause, and other lengths: from durations as they are written to microseconds."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from typing_extensions import assert_never

from etalis_py.compiler.algebra.aggregate_windows import PastWindow, RangeWindow, RowsWindow, Window
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.terms import encode_literal
from etalis_py.core.vocabulary import XSD_DURATION

__all__ = ["length_of", "stream_length", "translate_window"]

_MICROSECONDS: Final = MappingProxyType(
    {"ms": 10**3, "s": 10**6, "m": 60 * 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
)

_LONGEST: Final = (10_000 * 365 + 2_425) * 86400 * 10**6
"""Ten thousand years: what ends later is beyond what times can be."""


def translate_window(window: syntax.Window, text: QueryText) -> Window:
    """The window of a SELECT.

    Raises:
        CompileError: EP210, a duration has no fixed length, or is not one that makes a window.
    """
    match window:
        case syntax.RowsWindow(count=count):
            return RowsWindow(count)
        case syntax.RangeWindow(width=width, step=None):
            return RangeWindow(length_of(width, text))
        case syntax.RangeWindow(width=width, step=step):
            assert step is not None
            return RangeWindow(length_of(width, text), length_of(step, text))
        case syntax.PastWindow(begin=begin, end=end):
            first = 0 if begin is None else _microseconds(begin, text)
            last = 0 if end is None else _microseconds(end, text)
            if first <= last:
                hint = "the older end comes first, as in [NOW-PT1H15M TO NOW-PT1H]"
                raise text.error("EP210", "this window ends before it begins", window.span, hint=hint)
            return PastWindow(first, last)
        case _:
            assert_never(window)


def length_of(duration: syntax.Duration, text: QueryText, what: str = "window", *, least: int = 1) -> int:
    """The microseconds of a duration, which is that of ``what``, and at ``least`` so many.

    Raises:
        CompileError: EP210, it has no fixed length, or is shorter.
    """
    microseconds = _microseconds(duration, text)
    if microseconds < least:
        hint = "write a duration above zero, such as PT10M"
        raise text.error("EP210", f"this {what} has no length", duration.span, hint=hint)
    return microseconds


def stream_length(
    written: syntax.Duration | syntax.Length, unit: int | None, text: QueryText, *, least: int = 1
) -> int:
    """The microseconds of a length of a windowed query, where ``unit`` is that of a bare number.

    Raises:
        CompileError: EP210, as `length_of` does, for a number without a unit, and beyond the calendar.
    """
    if isinstance(written, syntax.Duration):
        length = length_of(written, text, least=least)
    else:
        length = _counted(written, unit, text, least)
    if length > _LONGEST:
        hint = "all that came so far is [RANGE UNBOUNDED]"
        message = "this length is more than the ten thousand years of the calendar"
        raise text.error("EP210", message, written.span, hint=hint)
    return length


def _counted(written: syntax.Length, unit: int | None, text: QueryText, least: int) -> int:
    unit = unit if written.unit is None else _MICROSECONDS[written.unit]
    if unit is None:
        number = written.number
        hint = f"write {number}s, or {number}ms as RSP-JS counts; or say PRAGMA time-unit PT1S, or PT0.001S"
        raise text.error("EP210", f"{written.number} has no unit", written.span, hint=hint)
    length = written.number * unit
    if length < least:
        hint = "write a length above zero, such as 10s"
        raise text.error("EP210", "this length is zero", written.span, hint=hint)
    return length


def _microseconds(duration: syntax.Duration, text: QueryText) -> int:
    value = encode_literal(duration.lexical, XSD_DURATION, None)
    native = value[0] if isinstance(value, tuple) else None
    if not isinstance(native, tuple):
        _, _, fraction = duration.lexical.rstrip("S0").partition(".")
        is_fine = len(fraction) > len("123456")
        problem = "is too fine: the smallest unit is the microsecond" if is_fine else "is too long to count"
        raise text.error("EP210", f"{duration.lexical} {problem}", duration.span)
    months, microseconds = native
    if months:
        hint = "months and years differ in length; count in days, as in P30D"
        raise text.error("EP210", f"{duration.lexical} has no fixed length", duration.span, hint=hint)
    return microseconds
