"""What a query says of its windows on streams (RSP-QL): which there are, when it is evaluated, what it gives.

Does not translate patterns: ``translate_patterns.py`` finds windows by their names, ``snapshots.py`` says
what is done at an instant. What has no rules yet is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from typing_extensions import assert_never

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.dialects import Selection, dialect_of
from etalis_py.compiler.algebra.functions import WINDOW_FUNCTIONS
from etalis_py.compiler.algebra.policies import Policy, matches_events
from etalis_py.compiler.algebra.stream_windows import (
    CountExtent,
    Extent,
    Grid,
    Landmark,
    PastExtent,
    Report,
    Schedule,
    TimeExtent,
    closings,
    holds_arrivals,
    reach,
)
from etalis_py.compiler.algebra.translate_windows import stream_length
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.relation_to_stream import RelationToStream
from etalis_py.compiler.parse.syntax_walk import walk
from etalis_py.compiler.refusals import QueryText
from etalis_py.compiler.spans import Span
from etalis_py.core.errors import CompileError
from etalis_py.core.times import parse_time
from etalis_py.core.value_class import value_class

__all__ = ["StreamWindow", "Windowed", "streams_by_name", "surely_holds", "windowed"]


@value_class
class StreamWindow:
    """A window of a query: the IRI of its stream, None for each of them, and what it holds."""

    stream: str | None
    extent: Extent

    def place(self, span: Span) -> algebra.Place:
        """What patterns on it are matched with."""
        stream = None if self.stream is None else algebra.Constant(self.stream, span=span)
        return algebra.Place(stream, extent=self.extent, span=span)


@value_class
class Windowed:
    """The windows of a query, when it is evaluated, and what it gives then.

    ``named`` are found by their names. What those of ``default`` hold belongs to the default graph.
    ``inline`` has, by what is written, what a STREAM in a pattern looks at: the window that stands there, or
    that of the same stream in FROM STREAM.
    """

    named: Mapping[str, StreamWindow]
    default: tuple[StreamWindow, ...]
    inline: Mapping[syntax.StreamPattern, StreamWindow]
    schedule: Schedule
    to_stream: RelationToStream
    nonempty: bool
    """It gives nothing while all its windows are empty."""
    selection: Selection
    """Which of the pairs of a SEQ in MATCH are chosen."""
    consumes: bool
    """What a MATCH has used is not there for it at the next evaluation."""
    output: str | None
    """What a registered query calls the stream of what it gives: an IRI, or of a SELECT also a word."""

    @property
    def windows(self) -> tuple[StreamWindow, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.named.values(), *self.default, *self.inline.values())))


def windowed(
    query: syntax.Query, resolve: Callable[[syntax.Iri], str], text: QueryText, policy: Policy | None = None
) -> Windowed | None:
    """What a query with windows on streams says of them; None for a query without.

    A ``policy`` is one of selection and of consumption, where the query has no other selection.

    Raises:
        CompileError: EP201 for what cannot be run, EP204 for a PRAGMA, EP210 for a length, EP217 for a name
            of two windows, EP218 where the query would never be evaluated, EP220 for two dialects in one.
    """
    sign = next(_signs(query), None)
    if sign is None:
        return None
    if not query.form.windows and not any(True for _ in _inline(query)):
        hint = "declare one: FROM NAMED WINDOW :w ON :stream [RANGE PT1H STEP PT10M]"
        raise text.error("EP217", "this query declares no window", sign.span, hint=hint)
    return _Reader(query, resolve, text, policy).windowed()


def _inline(query: syntax.Query) -> Iterator[syntax.StreamPattern]:
    """The windows in patterns, as CQELS has them."""
    for node in walk(query.form):
        if isinstance(node, syntax.StreamPattern) and node.extent is not None:
            yield node


def streams_by_name(query: syntax.Query) -> Iterator[tuple[syntax.StreamPattern, syntax.Iri]]:
    """Each ``STREAM name { ... }`` and its name: on the window of that stream in FROM STREAM."""
    for node in walk(query.form):
        if not isinstance(node, syntax.StreamPattern) or node.extent is not None:
            continue
        if not isinstance(node.name, syntax.Variable):
            yield node, node.name


def _signs(query: syntax.Query) -> Iterator[syntax.Node]:
    if query.registration is not None:
        yield query.registration
    yield from query.form.windows
    yield from query.form.events
    if isinstance(query.form, syntax.Select | syntax.Construct) and query.form.to_stream is not None:
        yield query.form
    for node in walk(query.form):
        if (
            isinstance(node, syntax.WindowPattern | syntax.MatchPattern)
            or (isinstance(node, syntax.StreamPattern) and node.extent is not None)
            or (isinstance(node, syntax.BuiltInCall) and node.name in WINDOW_FUNCTIONS)
        ):
            yield node


def surely_holds(schedule: Schedule, windows: Iterable[StreamWindow]) -> bool:
    """Whether some window holds something whenever the query is evaluated."""
    return schedule.report is Report.ARRIVAL and all(holds_arrivals(each.extent) for each in windows)


class _Reader:
    def __init__(
        self,
        query: syntax.Query,
        resolve: Callable[[syntax.Iri], str],
        text: QueryText,
        policy: Policy | None,
    ) -> None:
        self._query = query
        self._policy = policy
        self._registration = query.registration
        self._resolve = resolve
        self._text = text
        self._dialect = dialect_of(query, text)

    def windowed(self) -> Windowed:
        self._refuse_forms()
        named: dict[str, StreamWindow] = {}
        default = []
        apart: dict[str, StreamWindow] = {}
        patterns = {each: self._resolve(name) for each, name in streams_by_name(self._query)}
        for each in self._query.form.windows:
            stream = self._resolve(each.stream)
            window = StreamWindow(stream, self._extent(each.extent))
            if each.word == "STREAM" and stream in patterns.values():
                if apart.setdefault(stream, window) != window:
                    hint = "give each window a name: FROM NAMED WINDOW :w ON :stream [...], WINDOW :w { ... }"
                    message = f"<{stream}> has two windows, and STREAM does not say which"
                    raise self._text.error("EP217", message, each.span, hint=hint)
                continue
            if each.name is None or each.word == "STREAM":
                default.append(window)
                continue
            name = self._resolve(each.name)
            if name in named:
                hint = "give each window a name of its own"
                raise self._text.error("EP217", f"<{name}> is declared twice", each.span, hint=hint)
            named[name] = window
        inline = {each: self._inline(each) for each in _inline(self._query)}
        inline |= {each: apart[stream] for each, stream in patterns.items() if stream in apart}
        windows = [*named.values(), *default, *inline.values()]
        self._refuse_start_of_nothing(windows)
        schedule, to_stream = self._schedule(windows), self._to_stream()
        nonempty = self._dialect.nonempty or (self._registration is not None and self._registration.nonempty)
        nonempty = nonempty and not surely_holds(schedule, windows)
        selection, consumes = self._selection()
        return Windowed(
            named, tuple(default), inline, schedule, to_stream, nonempty, selection, consumes, self._output()
        )

    def _refuse_forms(self) -> None:
        form = self._query.form
        for node in walk(form):
            if isinstance(node, syntax.Select) and node is not form and node.to_stream is not None:
                raise self._unsupported(f"{node.to_stream} in a sub-SELECT", node)
        for each in form.datasets:
            if each.stream:
                written = self._text.written(each.iri.span)
                hint = f"give it one, FROM STREAM {written} [RANGE 10s STEP 5s], or leave it out"
                raise self._unsupported("FROM STREAM without a window, beside windows,", each, hint)
        declared: set[str] = set()
        for event in form.events:
            if event.name in declared:
                hint = "give each event a name of its own"
                raise self._text.error(
                    "EP217", f"the event {event.name} is declared twice", event.span, hint=hint
                )
            declared.add(event.name)
        if form.modifiers.window is not None:
            hint = "aggregates are of what the windows hold: leave out the WINDOW [...] at the end"
            raise self._unsupported("WINDOW of aggregates beside windows on streams", form.modifiers, hint)
        if isinstance(form, syntax.Construct) and form.stream is not None and self._registration is not None:
            raise self._unsupported("a CONSTRUCT into two streams", form)

    def _selection(self) -> tuple[Selection, bool]:
        """Which events a MATCH selects, and whether it consumes them."""
        selection, consumes = self._dialect.selection, self._dialect.consumption
        pragmas = {
            each.name: each for each in self._query.prologue.declarations if isinstance(each, syntax.Pragma)
        }
        about_events = [each for name, each in pragmas.items() if name in ("selection", "consumption")]
        if about_events and not matches_events(self._query):
            message = f"PRAGMA {about_events[0].name} is for queries with MATCH"
            raise self._text.error("EP204", message, about_events[0].span)
        if {"policy", "selection"} <= pragmas.keys():
            hint = "say one of both; PRAGMA consumption on consumes, whatever is selected"
            message = "the policy says what is selected, too"
            raise self._text.error("EP204", message, pragmas["selection"].span, hint=hint)
        policy = self._policy if selection is None else None
        if policy is not None:
            selection = policy.value
        return selection or "unrestricted", policy is not None if consumes is None else consumes

    def _unsupported(
        self,
        what: str,
        node: syntax.Node,
        hint: str = "docs/language.md, Windows on streams, says what can be run",
    ) -> CompileError:
        return self._text.unsupported(what, node.span, hint=hint)

    # ---- windows ----------------------------------------------------------------------------------------

    def _inline(self, pattern: syntax.StreamPattern) -> StreamWindow:
        assert pattern.extent is not None
        extent = self._extent(pattern.extent)
        if not isinstance(pattern.name, syntax.Variable):
            return StreamWindow(self._resolve(pattern.name), extent)
        if isinstance(extent, CountExtent):
            raise self._unsupported("so many elements of each stream, by STREAM with a variable,", pattern)
        return StreamWindow(None, extent)

    def _extent(self, extent: syntax.StreamExtent) -> Extent:
        match extent:
            case syntax.TimeExtent(width=width) if width is not None:
                length = self._length(width)
                step = None if extent.step is None else self._length(extent.step)
                if step is None and not self._dialect.slides and not self._says_when:
                    written = self._text.written(width.span)
                    hint = (
                        f"write [RANGE {written} STEP {written}], or TUMBLING, as CQELS 2 means it, or "
                        "COMPUTED EVERY 10s in the REGISTER line"
                    )
                    message = "a window of C-SPARQL closes by its STEP, and this one has none"
                    raise self._text.error("EP218", message, extent.span, hint=hint)
                moving = step is not None and self._dialect.moving and self._report() is not Report.CLOSE
                return TimeExtent(
                    length, step, self._origin(extent), self._dialect.partial,
                    self._dialect.closed_open, extent.whole, moving,
                )  # fmt: skip
            case syntax.TimeExtent():
                if extent.step is not None or extent.starting_at is not None or extent.whole:
                    raise self._unsupported("RANGE UNBOUNDED with more", extent)
                return Landmark()
            case syntax.Landmark(begin=begin):
                return Landmark(self._moment(begin))
            case syntax.NowExtent():
                return PastExtent(1, 0)
            case syntax.PastExtent():
                old, young = (self._ago(each) for each in (extent.begin, extent.end))
                if old <= young:
                    hint = "the older end comes first, as in [NOW-PT6M TO NOW-PT5M]"
                    raise self._text.error(
                        "EP210", "this window ends before it begins", extent.span, hint=hint
                    )
                step = None if extent.step is None else self._length(extent.step)
                late = int(self._dialect.closed_open)
                if self._start is not None and young == 0:  # what ends now is a RANGE, and begins
                    return TimeExtent(
                        old, step, self._start, self._dialect.partial, self._dialect.closed_open
                    )
                return PastExtent(old + late, young + late, step)
            case syntax.CountExtent():
                return CountExtent(extent.count, extent.triples, extent.step)
            case _:
                assert_never(extent)

    def _refuse_start_of_nothing(self, windows: Sequence[StreamWindow]) -> None:
        registration = self._registration
        if self._start is None or (registration is not None and registration.every is not None):
            return
        if any(isinstance(each.extent, TimeExtent) for each in windows):
            return
        hint = "only [RANGE ...] and EVERY begin at a time: say EVERY 10s, or leave it out"
        pragmas = (each for each in self._query.prologue.declarations if isinstance(each, syntax.Pragma))
        said = next((each for each in pragmas if each.name == "starting-at"), None)
        where: syntax.Node
        if registration is not None and registration.starting_at is not None:
            word, where = "STARTING AT", registration
        elif said is not None:
            word, where = "PRAGMA starting-at", said
        else:
            word, where = "--starting-at", self._query.form
            hint = "only [RANGE ...] and EVERY begin at a time; PRAGMA starting-at says it for one query"
        raise self._unsupported(f"{word} beside windows that do not begin", where, hint)

    @property
    def _says_when(self) -> bool:
        """Whether EVERY or REPORT says when the query is evaluated."""
        registration = self._registration
        return registration is not None and (registration.every or registration.report) is not None

    def _ago(self, written: syntax.Duration | syntax.Length | None) -> int:
        return 0 if written is None else self._length(written, least=0)

    def _origin(self, extent: syntax.TimeExtent) -> int | None:
        """STARTING AT of the window, or of the query."""
        return self._start if extent.starting_at is None else self._moment(extent.starting_at)

    @property
    def _start(self) -> int | None:
        """STARTING AT of the query."""
        written = None if self._registration is None else self._registration.starting_at
        return self._dialect.starting_at if written is None else self._moment(written)

    def _length(self, written: syntax.Duration | syntax.Length, *, least: int = 1) -> int:
        return stream_length(written, self._dialect.time_unit, self._text, least=least)

    def _moment(self, written: syntax.Literal) -> int:
        try:
            return parse_time(written.lexical)
        except ValueError as error:
            message = f"{written.lexical} {error}"
            hint = 'write "2026-01-01T00:00:00Z", or microseconds since 1970'
            raise self._text.error("EP108", message, written.span, hint=hint) from None

    # ---- evaluations ------------------------------------------------------------------------------------

    def _schedule(self, windows: Sequence[StreamWindow]) -> Schedule:
        registration = self._registration
        lasts = any(reach(each.extent) is None for each in windows)
        if registration is not None and registration.every is not None:
            if registration.report is not None:
                hint = "say when it is evaluated once: EVERY, or REPORT"
                what = f"EVERY beside REPORT {registration.report}"
                raise self._unsupported(what, registration, hint)
            return Schedule((Grid(self._length(registration.every), self._start),), lasts)
        found = (closings(each.extent) for each in windows)
        grids = dict.fromkeys(each for each in found if each is not None)
        report = self._report()
        if not grids and all(isinstance(each.extent, CountExtent) and each.extent.step for each in windows):
            report = Report.CHANGE if report is Report.CLOSE else report  # they close when they change
        if report is not Report.CLOSE:
            return Schedule((), lasts, report)
        if not grids:
            assert registration is not None
            hint = "give a window a STEP, or say EVERY PT10S in the REGISTER line"
            message = "windows without STEP do not close, so this query would never be evaluated"
            raise self._text.error("EP218", message, registration.span, hint=hint)
        return Schedule(tuple(grids), lasts)

    def _report(self) -> Report:
        """What REPORT says, or the dialect; else CLOSE where a window has a STEP, and CHANGE elsewhere."""
        registration = self._registration
        if registration is not None and registration.every is not None:
            return Report.CLOSE
        if registration is not None and registration.report is not None:
            return Report[registration.report]
        if self._dialect.report is not None:
            return self._dialect.report
        extents = [each.extent for each in self._query.form.windows]
        extents += [each.extent for each in _inline(self._query) if each.extent is not None]
        stepping = (syntax.TimeExtent, syntax.PastExtent)
        steps = any(isinstance(each, stepping) and each.step is not None for each in extents)
        return Report.CLOSE if steps else Report.CHANGE

    def _to_stream(self) -> RelationToStream:
        form, registration = self._query.form, self._registration
        said = None
        if registration is not None and registration.word != "STREAM" and registration.word != "QUERY":
            said = registration.word
        own = form.to_stream if isinstance(form, syntax.Select | syntax.Construct) else None
        if own is not None and said is not None and own != said:
            raise self._unsupported(f"{own} beside REGISTER {said}", form, "say it once")
        return own or said or self._dialect.to_stream

    def _output(self) -> str | None:
        registration = self._registration
        if registration is None:
            return None
        if not isinstance(registration.name, str):
            return self._resolve(registration.name)
        makes_stream = isinstance(self._query.form, syntax.Construct | syntax.Describe)
        if makes_stream:  # of C-SPARQL: it has an IRI
            return self._resolve(syntax.IriRef(registration.name, span=registration.span))
        return registration.name
