"""Runs both sides over the same events, each in an engine of its own."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

from typing_extensions import Unpack

from etalis_py.agreement.agreement import Agreement, Comparison, Row, row_of
from etalis_py.compiler.algebra.algebra import Pattern, TriplePattern, children
from etalis_py.compiler.algebra.stream_windows import Grid
from etalis_py.compiler.algebra.translate import sought
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.rewriting.evaluations import execution_modes
from etalis_py.core.errors import UsageError
from etalis_py.core.times import TimeUnit, format_time
from etalis_py.engine.engine import Engine
from etalis_py.engine.option_values import FileNames, parse_delay
from etalis_py.engine.options import EngineKeywords, EngineOptions
from etalis_py.streams import Batch, StreamFile, open_streams
from etalis_py.streams.finding import found_files

__all__ = ["Question", "agree", "two_modes", "two_queries"]


EventFile: TypeAlias = "str | os.PathLike[str] | StreamFile"


@dataclass(frozen=True, slots=True)
class Question:
    """A query text, and what it is called."""

    text: str
    name: str
    source: str | None = None
    base: str | None = None
    language: LanguageName | None = None


def agree(
    query: str,
    events: EventFile | Sequence[EventFile],
    period: timedelta | str | None = None,
    *,
    other: str | None = None,
    background: FileNames = (),
    time_unit: TimeUnit | None = None,
    **options: Unpack[EngineKeywords],
) -> Agreement:
    """Whether a query with windows has at the end of each ``period`` what it had at arrivals in it.

    With an ``other`` query: whether both give the same rows at each instant, or in each ``period``.
    ``events`` is the path of a stream file, of a folder of them, or several; ``period`` may be ``"10s"``.
    ``time_unit`` is that of times that are numbers, the other options are those of `EngineOptions`.

    Raises:
        QuerySyntaxError, CompileError: for a query; EP222 for one without windows.
        UsageError: EP505 for a period; EP501 where neither it nor another query is given.
        DataError, RunTimeError: for the events, and while running.
    """
    length = parse_delay(period, "period") if isinstance(period, str) else _microseconds(period)
    given = [events] if isinstance(events, str | os.PathLike | StreamFile) else events
    files = found_files(
        each if isinstance(each, StreamFile) else StreamFile(os.fspath(each)) for each in given
    )
    batches, known = open_streams(files, time_unit=time_unit), EngineOptions.of(background, **options)
    if other is not None:
        return two_queries(Question(query, "first"), Question(other, "second"), batches, length, known)
    if length is None:
        hint = "say how often it is pulled, period='10s', or give another query"
        raise UsageError("EP501", "one query needs a period", hint=hint)
    return two_modes(Question(query, "query"), batches, length, known)


def _microseconds(period: timedelta | None) -> int | None:
    if period is None:
        return None
    length = period // timedelta(microseconds=1)
    if length <= 0:
        raise UsageError(
            "EP505", f"period {period}: this is not above zero", hint="write '10s', or a timedelta"
        )
    return length


def two_modes(
    question: Question,
    batches: Iterable[Batch],
    period: int,
    options: EngineOptions,
    time_text: Callable[[int], str] = format_time,
) -> Agreement:
    """Whether pull, each ``period`` microseconds, gives what push gave since the pull before.

    Raises:
        EtalisError: whatever is wrong with the query, options or events; EP222 for a query without windows.
    """
    modes = execution_modes(
        question.text, period, language=question.language, source=question.source, base=question.base
    )
    comparison = Comparison(("push", "pull"), modes.grid)
    gone: defaultdict[Row, list[int]] = defaultdict(list)
    arrivals: list[int] = []
    takers = (
        lambda time, row: comparison.given(0, time, row),
        lambda time, row: comparison.given(1, time, row),
        lambda time, row: gone[row].append(time),
    )
    texts = (modes.push, modes.pull, modes.gone)
    questions = [replace(question, text=text) for text in texts]

    def arrived(time: int) -> None:
        comparison.arrival(time)
        if not arrivals or arrivals[-1] < time:
            arrivals.append(time)

    remarks = _run(questions, _watched(batches, arrived), options, takers)

    def why(side: int, end: int, row: Row) -> str:
        if side == 0:
            left = [time for time in gone[row] if time <= end]
            return f"left at {time_text(left[-1])}" if left else ""
        last = bisect_right(arrivals, end)
        begin = end - modes.grid.period
        return "no arrival" if last == 0 or arrivals[last - 1] <= begin else "came after the last arrival"

    return Agreement(comparison.said(why), time_text, remarks)


def two_queries(
    first: Question,
    second: Question,
    batches: Iterable[Batch],
    period: int | None,
    options: EngineOptions,
    time_text: Callable[[int], str] = format_time,
) -> Agreement:
    """Whether two queries give the same rows: at each instant, or in each ``period``, microseconds.

    Raises:
        EtalisError: whatever is wrong with the queries, options or events.
    """
    comparison = Comparison((first.name, second.name), None if period is None else Grid(period))

    takers = (
        lambda time, row: comparison.given(0, time, row),
        lambda time, row: comparison.given(1, time, row),
    )
    remarks = _run([first, second], _watched(batches, comparison.arrival), options, takers)
    return Agreement(comparison.said(lambda *_: ""), time_text, remarks)


def _watched(batches: Iterable[Batch], arrived: Callable[[int], object]) -> Iterator[Batch]:
    """The same batches; each end of an event is told before its batch is given."""
    for batch in batches:
        for time in batch.end:
            arrived(time)
        yield batch


def _run(
    questions: Iterable[Question],
    batches: Iterable[Batch],
    options: EngineOptions,
    takers: Iterable[Callable[[int, Row], object]],
) -> tuple[str, ...]:
    """Feed an engine for each question, and hand out the rows of its last query; remarks on these."""
    with ExitStack() as stack:
        engines = []
        for each, take in zip(questions, takers, strict=True):
            engine = stack.enter_context(Engine(**options.keywords()))
            names = engine.register(
                each.text, name=each.name, source=each.source, base=each.base, language=each.language
            )
            engines.append((engine, names[-1], take))
        for batch in batches:
            for engine, name, take in engines:
                engine.send_encoded(batch)
                _hand_out(engine, name, take)
        for engine, name, take in engines:
            engine.finish()
            _hand_out(engine, name, take)
        return tuple(dict.fromkeys(_remarks(*engines[0][:2])))


def _hand_out(engine: Engine, name: str, take: Callable[[int, Row], object]) -> None:
    for match in engine.matches():
        if match.query == name:
            for row in row_of(match):
                take(match.end, row)


def _remarks(engine: Engine, name: str) -> Iterator[str]:
    """Patterns of windows that the background can match, too (section 5 of the paper, condition ii)."""
    query = engine.query(name)
    pattern, _ = sought(query.syntax, query.text)
    for triple in _triples(pattern):
        if triple.place is None or triple.place.extent is None:
            continue
        without = TriplePattern(triple.subject, triple.predicate, triple.object, span=triple.span)
        if engine.knowledge.may_match(without):
            written = query.text.written(triple.span)
            yield (
                f"note: the background can match {written}, too: where it is one graph with the windows "
                "there is more than where it is apart"
            )


def _triples(pattern: Pattern) -> Iterator[TriplePattern]:
    if isinstance(pattern, TriplePattern):
        yield pattern
    for each in children(pattern):
        yield from _triples(each)
