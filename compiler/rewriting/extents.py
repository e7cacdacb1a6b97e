"""How a dialect writes what a window holds."""

from __future__ import annotations

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DialectName

__all__ = ["extent_text"]


def extent_text(
    extent: syntax.StreamExtent, text: str, to: DialectName, *, starts: bool, closes: bool
) -> str | None:
    """What stands between the brackets; None where the dialect has no such window.

    ``text`` is that of the query. ``starts``: something says when windows start, and so a RANGE stays one.
    ``closes``: windows with steps are looked at when they close.
    """
    if to in ("csparql", "cqels") and isinstance(extent, syntax.PastExtent) and not starts:
        extent = _as_range(extent, closes=closes)
    if to == "sparqlstream" and isinstance(extent, syntax.TimeExtent) and not starts:
        extent = _as_past(extent, closes=closes)
    match to:
        case "rspql":
            return _of_rspql(extent, text)
        case "csparql":
            return _of_csparql(extent, text)
        case "cqels":
            return _of_cqels(extent, text)
        case "sparqlstream":
            return _of_sparqlstream(extent, text)
        case _:
            assert_never(to)


def _of_rspql(extent: syntax.StreamExtent, text: str) -> str:
    if isinstance(extent, syntax.TimeExtent) and extent.width is None:
        return "RANGE UNBOUNDED"
    return text[extent.span.start : extent.span.end]


def _of_csparql(extent: syntax.StreamExtent, text: str) -> str | None:
    match extent:
        case syntax.TimeExtent(width=width, step=step, starting_at=None, whole=False) if width is not None:
            return f"RANGE {_written(width, text)}{_and('STEP', step, text)}"
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


def _of_cqels(extent: syntax.StreamExtent, text: str) -> str | None:
    match extent:
        case syntax.TimeExtent(width=width, step=step, starting_at=None, whole=False):
            return "ALL" if width is None else f"RANGE {_written(width, text)}{_and('SLIDE', step, text)}"
        case syntax.CountExtent(count=count, triples=True, step=None):
            return f"TRIPLES {count}"
        case syntax.NowExtent():
            return "NOW"
        case syntax.TimeExtent() | syntax.CountExtent() | syntax.Landmark() | syntax.PastExtent():
            return None


def _of_sparqlstream(extent: syntax.StreamExtent, text: str) -> str | None:
    match extent:
        case syntax.PastExtent(begin=begin, end=end, step=step) if begin is not None:
            until = "NOW" if end is None else f"NOW-{_written(end, text)}"
            return f"NOW-{_written(begin, text)} TO {until}{_and('STEP', step, text)}"
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


def _written(length: syntax.Duration | syntax.Length, text: str) -> str:
    """A length, as it is written but for a sign and blanks: ``NOW-10 S`` has ``-10 S``."""
    return "".join(text[length.span.start : length.span.end].lstrip("-").split())


def _and(word: str, length: syntax.Duration | syntax.Length | None, text: str) -> str:
    return "" if length is None else f" {word} {_written(length, text)}"
