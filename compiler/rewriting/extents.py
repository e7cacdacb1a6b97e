"""How a dialect writes what a window holds."""

from __future__ import annotations

from typing import TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.rewriting.lengths import Lengths

__all__ = ["extent_text"]

_Length: TypeAlias = syntax.Duration | syntax.Length


def extent_text(extent: syntax.StreamExtent, lengths: Lengths, *, starts: bool, closes: bool) -> str | None:
    """What stands between the brackets; None where the dialect of ``lengths`` has no such window.

    ``starts``: something says when windows start, and so a RANGE stays one.
    ``closes``: windows with steps are looked at when they close.
    """
    to = lengths.to
    if to in ("csparql", "cqels") and isinstance(extent, syntax.PastExtent) and not starts:
        extent = _as_range(extent, closes=closes)
    if to == "sparqlstream" and isinstance(extent, syntax.TimeExtent) and not starts:
        extent = _as_past(extent, closes=closes)
    match to:
        case "rspql":
            return _of_rspql(extent, lengths)
        case "csparql":
            return _of_csparql(extent, lengths)
        case "cqels":
            return _of_cqels(extent, lengths)
        case "sparqlstream":
            return _of_sparqlstream(extent, lengths)
        case _:
            assert_never(to)


def _of_rspql(extent: syntax.StreamExtent, lengths: Lengths) -> str:
    if isinstance(extent, syntax.TimeExtent) and extent.width is None:
        return "RANGE UNBOUNDED"
    written = lengths.text.text
    if lengths.stay:
        return written[extent.span.start : extent.span.end]
    match extent:
        case syntax.TimeExtent(width=width, step=step, starting_at=start) if width is not None:
            begin = "" if start is None else f" STARTING AT {written[start.span.start : start.span.end]}"
            whole = " WHOLE" if extent.whole else ""
            return f"RANGE {lengths.written(width)}{_and('STEP', step, lengths)}{begin}{whole}"
        case syntax.PastExtent(begin=begin, end=end, step=step) if begin is not None:
            return _past(begin, end, step, lengths)
        case (
            syntax.TimeExtent()
            | syntax.CountExtent()
            | syntax.Landmark()
            | syntax.PastExtent()
            | syntax.NowExtent()
        ):
            return written[extent.span.start : extent.span.end]


def _of_csparql(extent: syntax.StreamExtent, lengths: Lengths) -> str | None:
    match extent:
        case syntax.TimeExtent(width=width, step=step, starting_at=None, whole=False) if width is not None:
            return f"RANGE {lengths.written(width)}{_and('STEP', step, lengths)}"
        case syntax.CountExtent(count=count, triples=True, step=None):
            return f"RANGE TRIPLES {count}"
        case (
            syntax.TimeExtent()
            | syntax.CountExtent()
            | syntax.Landmark()
            | syntax.PastExtent()
            | syntax.NowExtent()
        ):
            return None


def _of_cqels(extent: syntax.StreamExtent, lengths: Lengths) -> str | None:
    match extent:
        case syntax.TimeExtent(width=width, step=step, starting_at=None, whole=False):
            return "ALL" if width is None else f"RANGE {lengths.written(width)}{_and('SLIDE', step, lengths)}"
        case syntax.CountExtent(count=count, triples=True, step=None):
            return f"TRIPLES {count}"
        case syntax.NowExtent():
            return "NOW"
        case syntax.TimeExtent() | syntax.CountExtent() | syntax.Landmark() | syntax.PastExtent():
            return None


def _of_sparqlstream(extent: syntax.StreamExtent, lengths: Lengths) -> str | None:
    match extent:
        case syntax.PastExtent(begin=begin, end=end, step=step) if begin is not None:
            return _past(begin, end, step, lengths)
        case syntax.NowExtent():
            return "NOW"
        case syntax.TimeExtent() | syntax.CountExtent() | syntax.Landmark() | syntax.PastExtent():
            return None


def _as_range(extent: syntax.PastExtent, *, closes: bool) -> syntax.StreamExtent:
    """A window that ends now as a RANGE, where that is the same."""
    if extent.begin is None or extent.end is not None or (extent.step is not None and not closes):
        return extent
    return syntax.TimeExtent(extent.begin, extent.step, span=extent.span)


def _as_past(extent: syntax.TimeExtent, *, closes: bool) -> syntax.StreamExtent:
    """A RANGE as what ended so long ago, where that is the same."""
    if extent.width is None or extent.whole or (extent.step is not None and not closes):
        return extent
    return syntax.PastExtent(extent.width, None, extent.step, span=extent.span)


def _past(begin: _Length, end: _Length | None, step: _Length | None, lengths: Lengths) -> str:
    until = "NOW" if end is None else f"NOW-{lengths.written(end)}"
    return f"NOW-{lengths.written(begin)} TO {until}{_and('STEP', step, lengths)}"


def _and(word: str, length: _Length | None, lengths: Lengths) -> str:
    return "" if length is None else f" {word} {lengths.written(length)}"
