"""``PRAGMA window tumbling``: a match lies within one of the windows that follow one another (Definition 16).

The windows are as long as ``WITHIN`` says and are counted from the epoch. An event at the bound of two
belongs to the later one.
"""

from __future__ import annotations

from typing import Final

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.faults import Fault
from etalis_py.compiler.spans import Span
from etalis_py.core.vocabulary import XSD_DATETIME, XSD_DURATION

__all__ = ["one_window", "taken_window"]

_EPOCH: Final = "1970-01-01T00:00:00Z"


def taken_window(prologue: syntax.Prologue) -> tuple[syntax.Prologue, bool]:
    """The prologue without ``PRAGMA window``, and whether windows tumble.

    Raises:
        Fault: EP204, there is no such window.
    """
    declarations, tumbles = list[syntax.BaseDeclaration | syntax.PrefixDeclaration | syntax.Pragma](), False
    for each in prologue.declarations:
        if not isinstance(each, syntax.Pragma) or each.name != "window":
            declarations.append(each)
            continue
        if each.value not in ("sliding", "tumbling"):
            hint = "write PRAGMA window tumbling, or leave it out"
            raise Fault("EP204", f"window cannot be {each.value!r}", each.span, hint)
        tumbles = each.value == "tumbling"
    return syntax.Prologue(tuple(declarations), span=prologue.span), tumbles


def one_window(within: syntax.Within) -> syntax.Filter:
    """That a match begins and ends in the same window."""
    span = within.span
    first, last = (_window_of(function, within) for function in ("GETSTARTTIME", "GETENDTIME"))
    return syntax.Filter(syntax.Comparison("=", first, last, span=span), span=span)


def _window_of(function: str, within: syntax.Within) -> syntax.Expression:
    """The number of the window: FLOOR((time - epoch) / length)."""
    span = within.span
    time = syntax.BuiltInCall(function, (), span=span)
    since = syntax.Arithmetic("-", time, _literal(_EPOCH, XSD_DATETIME, span), span=span)
    length = _literal(within.length.lexical, XSD_DURATION, within.length.span)
    return syntax.BuiltInCall("FLOOR", (syntax.Arithmetic("/", since, length, span=span),), span=span)


def _literal(lexical: str, datatype: str, span: Span) -> syntax.Literal:
    return syntax.Literal(lexical, syntax.IriRef(datatype, span=span), span=span)
