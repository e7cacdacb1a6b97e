"""What a windowed query means: SPARQL over what its windows hold, at each instant at which it is evaluated.

By the formulas of RSP-QL and RSEP-QL alone. Every microsecond is looked at, and every window is filled anew:
nothing is known of from when until when an element is in one. Streams are those of an example, so times are
small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, TypeAlias

from typing_extensions import assert_never

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.core.terms import Encoded, encode_literal
from etalis_py.core.vocabulary import XSD_BOOLEAN
from tests.oracle.entailment import Closure
from tests.oracle.events import Consumption
from tests.oracle.orders import standard_key
from tests.oracle.places import Element, entailed, merged
from tests.oracle.rows import QueryEvaluator
from tests.oracle.solutions import Dataset, Placed, Triple
from tests.oracle.windows import length_of

__all__ = ["Evaluation", "Row", "evaluations", "rows_given"]

Row: TypeAlias = frozenset[tuple[str, Encoded]]
Contents: TypeAlias = "frozenset[Element | Placed]"
"""Elements, or triples of the stream by themselves: what they entail is theirs."""

MOST_INSTANTS: Final = 100_000
_UNITS: Final = {
    "ms": 10**3,
    "s": 10**6,
    "m": 60 * 10**6,
    "min": 60 * 10**6,
    "h": 3600 * 10**6,
    "d": 86400 * 10**6,
}


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What holds where a query does not say so: the table of dialects in docs/windows.md."""

    to_stream: RelationToStream = "RSTREAM"
    closed_open: bool = False
    on_arrival: bool = False
    nonempty: bool = False
    partial: bool = False
    start: int | None = None
    selection: str = "unrestricted"
    consumes: bool = False
    report: str | None = None
    moving: bool = True
    """On CHANGE and ARRIVAL a window with steps is looked at before it closes."""

    @staticmethod
    def of(query: syntax.Query) -> _Dialect:
        """That of a query: its words say which, a PRAGMA may say it otherwise."""
        said = {
            each.name: each.value for each in query.prologue.declarations if isinstance(each, syntax.Pragma)
        }
        words = {each.word for each in query.form.windows}
        found = _Dialect()
        apart = any(
            isinstance(each, syntax.StreamPattern) and each.extent is None for each in walk(query.form)
        )
        if said.get("dialect") == "csparql" or ("STREAM" in words and (apart or not _is_past(query))):
            found = _Dialect(closed_open=True, nonempty=True, partial=True)
        elif "STREAM" in words:
            found = _Dialect(closed_open=True, nonempty=True)
        elif any(_inline(query)):
            found = _Dialect("ISTREAM", on_arrival=True, nonempty=True)
        if "window-bounds" in said:
            found = replace(found, closed_open=said["window-bounds"] == "closed-open")
        if "partial-windows" in said:
            found = replace(found, partial=said["partial-windows"] == "on")
        found = replace(found, moving=said.get("open-windows") != "off")
        if "report" in said:
            found = replace(found, report=said["report"].upper())
        if "nonempty" in said:
            found = replace(found, nonempty=said["nonempty"] == "on")
        policy = said.get("policy", "unrestricted")
        consumes = said.get("consumption", "off" if policy == "unrestricted" else "on") == "on"
        found = replace(found, selection=said.get("selection", policy), consumes=consumes)
        return replace(found, start=int(said["starting-at"]) if "starting-at" in said else None)


def _is_past(query: syntax.Query) -> bool:
    return any(isinstance(each.extent, syntax.PastExtent | syntax.NowExtent) for each in query.form.windows)


def _inline(query: syntax.Query) -> list[syntax.StreamPattern]:
    """The windows that stand in patterns, as CQELS has them."""
    return [each for each in walk(query.form) if isinstance(each, syntax.StreamPattern) and each.extent]


def _apart(query: syntax.Query, names: Names) -> Iterator[tuple[syntax.StreamPattern, syntax.StreamWindow]]:
    """``STREAM :s { }`` without a window, and that of FROM STREAM which it looks at by itself."""
    for pattern in walk(query.form):
        if isinstance(pattern, syntax.StreamPattern) and pattern.extent is None:
            for window in query.form.windows:
                if window.word == "STREAM" and names.resolve(window.stream) == names.resolve(pattern.name):
                    yield pattern, window


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The rows that a query has at an instant: a bag, in the order of ORDER BY."""

    time: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class _Window:
    """A window of the query: its name, the elements of its stream, and what it holds at an instant.

    The name is None where it belongs to the default graph; it is the pattern where it stands in one.
    """

    name: str | syntax.StreamPattern | None
    elements: Contents
    contents: Callable[[int], Contents]
    closes: Callable[[int], bool]
    reach: int = 0
    """So long after an element it may be empty for good; of what never empties that does not matter."""
    never_empties: bool = False
    """By its kind, whether it holds something yet or not."""


def evaluations(
    query: syntax.Query,
    placed: Iterable[Placed],
    background: frozenset[Triple] = frozenset(),
    graphs: Mapping[str, frozenset[Triple]] | None = None,
    *,
    at_end_stop: bool = False,
    passed: int = 0,
) -> Iterator[Evaluation]:
    """The evaluations of a windowed query over a finite stream; time has ``passed`` until then, at least."""
    names = Names(query.prologue, text=query.text)
    stream = frozenset(placed)
    dialect = _Dialect.of(query)
    report = _report(query, dialect)
    windows = []
    inline = [(each, each.name, each.extent) for each in _inline(query)]
    apart = list(_apart(query, names))
    declared = [each for each in query.form.windows if all(each is not window for _, window in apart)]
    for name, iri, extent in [
        *((_own_name(each, names), each.stream, each.extent) for each in declared),
        *inline,
        *((pattern, window.stream, window.extent) for pattern, window in apart),
    ]:
        if isinstance(iri, syntax.Variable):
            raise NotImplementedError
        assert extent is not None
        moving = report in ("CHANGE", "ARRIVAL") and dialect.moving
        windows.append(
            _window(
                name,
                names.resolve(iri),
                extent,
                stream,
                dialect,
                moving=moving,
                registration=query.registration,
            )
        )
    closure = Closure.of(background)
    consumption = Consumption() if dialect.consumes else None
    for time in _instants(query, windows, report, dialect, at_end_stop=at_end_stop, passed=passed):
        data = _dataset(query, names, windows, time, stream, closure, background, graphs or {})
        data = replace(data, selection=dialect.selection, consumption=consumption)
        found = QueryEvaluator(names, data, data).rows(query.form)
        if consumption is not None:
            consumption.evaluated()
        rows = [frozenset(each.mapping.items()) for each in found]
        if isinstance(query.form, syntax.Describe):
            rows = _described(query.form, names, data, rows)
        if isinstance(query.form, syntax.Ask):
            rows = [frozenset({("boolean", encode_literal(str(bool(rows)).lower(), XSD_BOOLEAN, None))})]
        yield Evaluation(time, rows)


def _described(form: syntax.Describe, names: Names, data: Dataset, solutions: Iterable[Row]) -> list[Row]:
    """The triples with what a solution names as their subject, in any window or the background."""
    named = {each.name for each in form.subjects or () if isinstance(each, syntax.Variable)}
    described = {names.resolve(each) for each in form.subjects or () if not isinstance(each, syntax.Variable)}
    described |= {term for row in solutions for name, term in row if form.subjects is None or name in named}
    held = (each.triple for placed in (*data.windows.values(), *data.inline.values()) for each in placed)
    there = {*(triple for triple, _ in data.facts), *held}
    return [frozenset(zip("spo", triple, strict=True)) for triple in there if triple[0] in described]


def _own_name(window: syntax.StreamWindow, names: Names) -> str | None:
    return None if window.name is None or window.word == "STREAM" else names.resolve(window.name)


def rows_given(query: syntax.Query, found: Iterable[Evaluation]) -> list[tuple[int, Counter[Row]]]:
    """What is given at each instant: all rows, those that are new, or those that are gone.

    R(t) = W(t);  I(t) = W(t) - W(t-);  D(t) = W(t-) - W(t), as bags; t- is the evaluation before,
    W(t-) empty at the first.
    """
    given = []
    before: Counter[Row] = Counter()
    for each in found:
        now = Counter(each.rows)
        match _to_stream(query):
            case "RSTREAM":
                given.append((each.time, now))
            case "ISTREAM":
                given.append((each.time, now - before))
            case "DSTREAM":
                given.append((each.time, before - now))
        before = now
    return [(time, rows) for time, rows in given if rows]


def _to_stream(query: syntax.Query) -> RelationToStream:
    form, registration = query.form, query.registration
    if isinstance(form, syntax.Select | syntax.Construct) and form.to_stream is not None:
        return form.to_stream
    if registration is not None and registration.word not in ("STREAM", "QUERY"):
        return registration.word
    return _Dialect.of(query).to_stream


# ---- at which instants -----------------------------------------------------------------------------------


def _report(query: syntax.Query, dialect: _Dialect) -> str:
    registration = query.registration
    if registration is not None and registration.every is not None:
        return "EVERY"
    if registration is not None and registration.report is not None:
        return registration.report
    if dialect.report is not None:
        return dialect.report
    if dialect.on_arrival:
        return "ARRIVAL"
    extents = [each.extent for each in (*query.form.windows, *_inline(query))]
    steps = any(
        isinstance(each, syntax.TimeExtent | syntax.PastExtent) and each.step is not None for each in extents
    )
    return "CLOSE" if steps else "CHANGE"


def _instants(
    query: syntax.Query,
    windows: Sequence[_Window],
    report: str,
    dialect: _Dialect,
    *,
    at_end_stop: bool,
    passed: int,
) -> Iterator[int]:
    """CLOSE: each closing instant from the first element on; CHANGE: whenever a window has become another;
    ARRIVAL: whenever an element comes; EVERY: at multiples. All until the first of them, behind the last
    element, at which the windows are empty for good or can never be.
    """
    ends = [each.interval[1] for window in windows for each in window.elements]
    if not ends:
        return
    first, last = min(ends), max(ends)
    registration = query.registration
    never_empties = any(window.never_empties for window in windows)
    is_over = False
    longest = last + max(window.reach for window in windows)
    held = [time for time in range(last, longest + 1) if any(each.contents(time) for each in windows)]
    for time in count(first):
        if report == "ARRIVAL" and time > last:
            return
        contents = [window.contents(time) for window in windows]
        match report:
            case "CLOSE":
                is_evaluated = any(window.closes(time) for window in windows)
            case "CHANGE":
                is_evaluated = any(
                    window.contents(time - 1) != now for window, now in zip(windows, contents, strict=True)
                )
            case "ARRIVAL":
                is_evaluated = time in ends
            case _:
                assert registration is not None
                assert registration.every is not None
                is_evaluated = _is_multiple(time, registration, dialect)
        skips_empty = dialect.nonempty or (registration is not None and registration.nonempty)
        if is_evaluated and (time <= last or not at_end_stop) and (any(contents) or not skips_empty):
            yield time
        from_here_on = max(last, passed) if never_empties else max([last, *(each + 1 for each in held)])
        is_over = is_over or (time >= last and at_end_stop) or (is_evaluated and time >= from_here_on)
        if (is_over and time >= passed) or (report == "CHANGE" and time > longest):
            return
        if time > last + MOST_INSTANTS:
            raise NotImplementedError("times are too large for an oracle")


def _is_multiple(time: int, registration: syntax.Registration, dialect: _Dialect) -> bool:
    assert registration.every is not None
    period = microseconds(registration.every)
    begin = dialect.start if registration.starting_at is None else moment(registration.starting_at)
    if begin is None:
        return time % period == 0
    return time >= begin and (time - begin) % period == 0


# ---- what a window holds ---------------------------------------------------------------------------------


def _window(
    name: str | syntax.StreamPattern | None,
    stream: str,
    extent: syntax.StreamExtent,
    placed: frozenset[Placed],
    dialect: _Dialect,
    *,
    moving: bool,
    registration: syntax.Registration | None = None,
) -> _Window:
    """A window; ``registration`` says when it starts if it does not say so itself."""
    own = frozenset(
        Element(each.stream, each.graph, each.interval) for each in placed if each.stream == stream
    )
    match extent:
        case syntax.TimeExtent(width=None):
            return _Window(name, own, lambda t: _ended(own, lambda e: e <= t), _never, never_empties=True)
        case syntax.Landmark(begin=begin):
            t0 = moment(begin)
            return _Window(
                name, own, lambda t: _ended(own, lambda e: t0 <= e <= t), _never, never_empties=True
            )
        case syntax.NowExtent():
            return _Window(name, own, lambda t: _ended(own, lambda e: e == t), _never)
        case syntax.PastExtent(begin=begin, end=None) if begin is not None and _starts(dialect, registration):
            said = None if registration is None else registration.starting_at
            ranged = syntax.TimeExtent(begin, extent.step, said, span=extent.span)
            return _time_window(name, own, ranged, dialect, moving=False)
        case syntax.PastExtent():
            return _past_window(name, own, extent, dialect)
        case syntax.CountExtent(count=number, triples=triples, step=step):
            by_steps = 1 if step is None else step
            counted: Contents = (
                frozenset(each for each in placed if each.stream == stream) if triples else own
            )
            return _Window(
                name,
                counted,
                lambda t: _newest(counted, number, by_steps, t),
                _never,
                never_empties=True,
            )
        case syntax.TimeExtent():
            if extent.starting_at is None and registration is not None:
                extent = replace(extent, starting_at=registration.starting_at)
            return _time_window(name, own, extent, dialect, moving=moving)
        case _:
            assert_never(extent)


def _starts(dialect: _Dialect, registration: syntax.Registration | None) -> bool:
    return dialect.start is not None or (registration is not None and registration.starting_at is not None)


def _never(_time: int) -> bool:
    return False


def _ended(elements: frozenset[Element], fits: Callable[[int], bool]) -> Contents:
    return frozenset(each for each in elements if fits(each.interval[1]))


def _newest(elements: Contents, number: int, step: int, time: int) -> Contents:
    """The newest of those that make whole steps."""
    past = [each for each in elements if each.interval[1] <= time]
    past.sort(key=_age)
    return frozenset(past[: len(past) // step * step][-number:])


def _age(each: Element | Placed) -> tuple[Any, ...]:
    (start, end), triple = each.interval, each.triple if isinstance(each, Placed) else ()
    return end, start, each.graph or "", *map(standard_key, triple)


def _past_window(
    name: str | syntax.StreamPattern | None,
    own: frozenset[Element],
    extent: syntax.PastExtent,
    dialect: _Dialect,
) -> _Window:
    """(t - a, t - b], or [t - a, t - b): with a step t is the last multiple of it."""
    a, b = (0 if each is None else microseconds(each) for each in (extent.begin, extent.end))
    step = 1 if extent.step is None else microseconds(extent.step)

    def content(time: int) -> Contents:
        t = time // step * step
        if dialect.closed_open:
            return _ended(own, lambda end: t - a <= end < t - b)
        return _ended(own, lambda end: t - a < end <= t - b)

    closes = _never if extent.step is None else lambda time: time % step == 0
    return _Window(name, own, content, closes, a + step)


def _time_window(
    name: str | syntax.StreamPattern | None,
    own: frozenset[Element],
    extent: syntax.TimeExtent,
    dialect: _Dialect,
    *,
    moving: bool,
) -> _Window:
    """a: the range, b: the step. It closes at t0 + a + k b (k >= 0); at k b, any k, without t0.

    Where windows may be partial, also at those before it that are after t0.
    """
    assert extent.width is not None
    a = microseconds(extent.width)
    b = None if extent.step is None else microseconds(extent.step)
    t0 = dialect.start if extent.starting_at is None else moment(extent.starting_at)

    def closes(time: int) -> bool:
        if b is None:
            return t0 is None or time >= t0
        if t0 is None:
            return time % b == 0
        return (time > t0 if dialect.partial else time >= t0 + a) and (time - t0 - a) % b == 0

    def content(time: int) -> Contents:
        if moving and b is not None:  # SECRET's active window: the earliest one that is still open
            close = next(c for c in count(time + dialect.closed_open) if closes(c))
            newest = time
        else:
            found = next((c for c in range(time, time - (b or 1), -1) if closes(c)), None)
            if found is None:
                return frozenset()
            close = newest = found

        def fits(start: int, end: int) -> bool:
            begin = start if extent.whole else end
            if dialect.closed_open:
                is_new = end < newest if newest == close else end <= newest
                return close - a <= begin and is_new and (t0 is None or end >= t0)
            return close - a < begin and end <= newest and (t0 is None or end > t0)

        return frozenset(each for each in own if fits(*each.interval))

    starts = 0 if t0 is None else abs(t0)
    reach = a + (b or 0) + starts
    return _Window(name, own, content, closes if b is not None else _never, reach)


def microseconds(written: syntax.Duration | syntax.Length) -> int:
    """A length as it is written."""
    if isinstance(written, syntax.Duration):
        return length_of(written)
    assert written.unit is not None
    return written.number * _UNITS[written.unit]


def moment(written: syntax.Literal) -> int:
    """A time as it is written: microseconds."""
    return int(written.lexical)


# ---- the data set --------------------------------------------------------------------------------------


def _dataset(
    query: syntax.Query,
    names: Names,
    windows: Sequence[_Window],
    time: int,
    stream: frozenset[Placed],
    closure: Closure,
    background: frozenset[Triple],
    graphs: Mapping[str, frozenset[Triple]],
) -> Dataset:
    """The default graph: the background, and what windows without a name hold; a graph for each other one."""

    def triples(window: _Window) -> frozenset[Placed]:
        there = window.contents(time)
        held = [
            each
            for each in stream
            if each in there or Element(each.stream, each.graph, each.interval) in there
        ]
        return entailed(closure, held)

    held = frozenset().union(*(triples(each) for each in windows if each.name is None))
    merged_in = frozenset(replace(each, interval=(time, time)) for each in held)
    named = {each.name: triples(each) for each in windows if isinstance(each.name, str)}
    inline = {each.name: triples(each) for each in windows if isinstance(each.name, syntax.StreamPattern)}
    default = [names.resolve(each.iri) for each in query.form.datasets if not each.named]
    known = closure.triples
    if query.form.datasets:
        known = frozenset(triple for graph in default for triple in graphs.get(graph, ()))
    return Dataset(
        merged(merged_in), known, graphs, None, time, background, merged_in, windows=named, inline=inline
    )
