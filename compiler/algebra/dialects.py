"""The dialects of queries with windows on streams: what tells them apart, and what each leaves unsaid.

RSP-QL (W3C draft, RSP4J), C-SPARQL (Barbieri et al. 2010), CQELS (Le-Phuoc et al. 2011) and SPARQLstream
(Calbimonte et al. 2010) share one syntax tree. docs/windows.md has a table of what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, get_args

from etalis_py.compiler.algebra.stream_windows import Report
from etalis_py.compiler.algebra.translate_windows import length_of
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.dialect_names import DialectName
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.errors import CompileError
from etalis_py.core.times import parse_time
from etalis_py.core.value_class import value_class

__all__ = ["DIALECT_PRAGMAS", "Dialect", "Selection", "WindowsIn", "dialect_of"]

Selection: TypeAlias = Literal["unrestricted", "naive", "chronological", "recent"]
"""The selection policies of RSEP-QL (section 4.3)."""


class WindowsIn(Enum):
    """Where a query declares its windows, and which patterns look at them."""

    NAMES = "those of the dataset are looked at by their names"
    DEFAULT_GRAPH = "those of the dataset are merged into the default graph"
    PATTERNS = "each pattern has its own"


@value_class
class Dialect:
    """What holds where a query does not say so itself.

    ``closed_open``: windows are ``[close - width, close)``. ``report`` None: on CLOSE where a window has a
    step, else on CHANGE. ``nonempty``: it is not evaluated while all windows are empty. ``slides``:
    windows without a step are allowed where nothing says when the query is evaluated. ``partial``: the first
    windows may begin before ``starting_at``. ``moving``: on CHANGE and ARRIVAL a window with a step is looked
    at before it closes. ``time_unit`` is that of a bare number, microseconds. Which
    events a MATCH selects, and whether it consumes them, is None where nothing but a policy can say it.
    """

    name: DialectName
    title: str
    """What people call it."""
    windows: WindowsIn
    to_stream: RelationToStream = "RSTREAM"
    closed_open: bool = False
    report: Report | None = None
    moving: bool = True
    nonempty: bool = False
    slides: bool = True
    partial: bool = False
    starting_at: int | None = None
    time_unit: int | None = None
    selection: Selection | None = None
    consumption: bool | None = None


_DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {
        each.name: each
        for each in (
            Dialect("rspql", "RSP-QL", WindowsIn.NAMES),
            Dialect(
                "csparql",
                "C-SPARQL",
                WindowsIn.DEFAULT_GRAPH,
                closed_open=True,
                nonempty=True,
                slides=False,
                partial=True,
            ),
            Dialect("cqels", "CQELS", WindowsIn.PATTERNS, "ISTREAM", report=Report.ARRIVAL, nonempty=True),
            Dialect("sparqlstream", "SPARQLstream", WindowsIn.DEFAULT_GRAPH, closed_open=True, nonempty=True),
        )
    }
)


def dialect_of(query: syntax.Query, text: QueryText, to: DialectName | None = None) -> Dialect:
    """That which the query is said to be in, or is by its words, or ``to``, with what its PRAGMAs say.

    Raises:
        CompileError: EP220, it has words of two; EP204, a PRAGMA says what it cannot.
    """
    pragmas = [each for each in query.prologue.declarations if isinstance(each, syntax.Pragma)]
    named = next((each for each in pragmas if each.name == "dialect"), None)
    name = to or (query.dialect if named is None else named.value.lower())
    found = _DIALECTS.get(_recognised(query, text) if name is None else name)
    if found is None:
        assert named is not None, "the languages of the command line are known ones"
        raise _wrong(named, text)
    found = replace(found, starting_at=query.starting_at)
    for each in pragmas:
        if each.name in _SETTINGS:
            _, set_by = _SETTINGS[each.name]
            setting = set_by(found, each, text)
            if setting is None:
                raise _wrong(each, text)
            found = setting
    return found


def _wrong(pragma: syntax.Pragma, text: QueryText) -> CompileError:
    message = f"{pragma.name} cannot be {pragma.value!r}"
    return text.error("EP204", message, pragma.span, hint=DIALECT_PRAGMAS[pragma.name])


def _recognised(query: syntax.Query, text: QueryText) -> DialectName:
    signs = dict(reversed(list(_signs(query))))
    if len(signs) > 1:
        (name, node), (other, _) = sorted(signs.items(), key=lambda sign: -sign[1].span.start)[:2]
        hint = f"keep to the words of one, or say whose rules hold: PRAGMA dialect {other}, or {name}"
        message = (
            f"this is of {_DIALECTS[name].title}, but the query begins as one of {_DIALECTS[other].title}"
        )
        raise text.error("EP220", message, node.span, hint=hint)
    return next(iter(signs), "rspql")


def _signs(query: syntax.Query) -> Iterator[tuple[DialectName, syntax.Node]]:
    """What only one dialect has."""
    apart = any(isinstance(each, syntax.StreamPattern) and each.extent is None for each in walk(query.form))
    for window in query.form.windows:
        if window.word != "STREAM":
            yield "rspql", window
        elif not apart and isinstance(window.extent, syntax.PastExtent | syntax.NowExtent):
            yield "sparqlstream", window
        else:
            yield "csparql", window
    for node in walk(query.form):
        if isinstance(node, syntax.StreamPattern) and node.extent is not None:
            yield "cqels", node
        elif isinstance(node, syntax.WindowPattern | syntax.MatchPattern):
            yield "rspql", node


# ---- PRAGMAs --------------------------------------------------------------------------------------------

_Setting = Callable[[Dialect, syntax.Pragma, QueryText], "Dialect | None"]


def _bounds(dialect: Dialect, pragma: syntax.Pragma, _text: QueryText) -> Dialect | None:
    closed_open = {"open-closed": False, "closed-open": True}.get(pragma.value.lower())
    return None if closed_open is None else replace(dialect, closed_open=closed_open)


def _switch(name: Literal["partial", "moving", "nonempty", "consumption"]) -> _Setting:
    """That of a field of `Dialect` which is on or off."""

    def switched(dialect: Dialect, pragma: syntax.Pragma, _text: QueryText) -> Dialect | None:
        value = {"on": True, "off": False}.get(pragma.value.lower())
        return None if value is None else replace(dialect, **{name: value})  # type: ignore[arg-type]

    return switched


def _report(dialect: Dialect, pragma: syntax.Pragma, _text: QueryText) -> Dialect | None:
    report = Report.__members__.get(pragma.value.upper())
    return None if report is None else replace(dialect, report=report, slides=True)


def _time_unit(dialect: Dialect, pragma: syntax.Pragma, text: QueryText) -> Dialect | None:
    try:
        unit = length_of(syntax.Duration(pragma.value.upper(), span=pragma.span), text, "unit")
    except CompileError:
        return None
    return replace(dialect, time_unit=unit)


def _starting_at(dialect: Dialect, pragma: syntax.Pragma, _text: QueryText) -> Dialect | None:
    try:
        return replace(dialect, starting_at=parse_time(pragma.value))
    except ValueError:
        return None


def _selection(dialect: Dialect, pragma: syntax.Pragma, _text: QueryText) -> Dialect | None:
    selection = next((each for each in get_args(Selection) if each == pragma.value.lower()), None)
    return None if selection is None else replace(dialect, selection=selection)


_ON_OR_OFF: Final = "it is on or off"
_SETTINGS: Final[Mapping[str, tuple[str, _Setting]]] = MappingProxyType(
    {
        "window-bounds": ("it is open-closed or closed-open", _bounds),
        "partial-windows": (_ON_OR_OFF, _switch("partial")),
        "open-windows": (_ON_OR_OFF, _switch("moving")),
        "nonempty": (_ON_OR_OFF, _switch("nonempty")),
        "report": ("it is close, change or arrival", _report),
        "time-unit": ("it is a duration above zero, such as PT1S", _time_unit),
        "starting-at": ("it is a time, such as 2026-01-01T00:00:00Z", _starting_at),
        "selection": (f"it is one of {', '.join(get_args(Selection))}", _selection),
        "consumption": (_ON_OR_OFF, _switch("consumption")),
    }
)
"""The values that a PRAGMA can have, and what it makes of a dialect; None for another value."""

DIALECT_PRAGMAS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dialect": f"it is one of {', '.join(_DIALECTS)}",
        **{name: values for name, (values, _) in _SETTINGS.items()},
    }
)
"""The PRAGMAs of windows on streams, and what they can be."""
