"""Stream elements in N-Quads, line by line, answered while they come.

Each named graph is one element (`etalis_py.streams.elements`); its triples and its time may stand in any
order. From a pipe an element is given once it has a triple and its time **and a quad of another element
comes**: a quad in another graph, or a time about another graph; or the input ends. The quads of one graph
must therefore not be mixed with those of others once it has its time. A file is read as a whole and given
in order of end times; there quads may stand in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from etalis_py.core.errors import DataError, Place
from etalis_py.core.terms import Encoded, TermCache, TermPositionError
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import shown
from etalis_py.streams.elements import Element, Elements, to_batches
from etalis_py.streams.lines import Text
from etalis_py.streams.plain_quads import PlainQuads
from etalis_py.streams.problems import OnBad, cut_off
from etalis_py.streams.source import Source

__all__ = ["read", "read_nquads"]

# Only finds where each term ends; the terms themselves are read by TermCache, which is strict.
_TERM: Final = r'(<[^>]*>|"[^"\\]*(?:\\.[^"\\]*)*"(?:\^\^<[^>]*>|@[A-Za-z0-9\-]+)?|_:[^\s<"]+)'
_match_line = re.compile(
    rf"[ \t]*{_TERM}[ \t]*{_TERM}[ \t]*{_TERM}[ \t]*{_TERM}?[ \t]*\.[ \t]*(?:#.*)?\r?"
).fullmatch
_HINT: Final = "an N-Quads line is: subject predicate object graph ."


def read(source: Source) -> Iterator[Batch]:
    """Batches of an N-Quads stream."""
    return read_nquads(
        source.text(source.on_bad),
        source.name,
        scope=source.scope,
        live=source.pipe,
        batch_rows=source.batch_rows,
        on_bad=source.on_bad,
        stream=source.stream,
    )


def read_nquads(
    texts: Iterator[Text],
    source: str,
    *,
    scope: str,
    live: bool,
    batch_rows: int,
    on_bad: OnBad | None = None,
    stream: str | None = None,
) -> Iterator[Batch]:
    """Batches of the elements of an N-Quads stream; ``live``: as they are complete, else all at the end.

    Bad lines, and graphs whose times are wrong, go to ``on_bad``; without it the first ends the reading.

    Raises DataError after the elements before it: EP412 no quad, EP407 and EP408 a wrong term, EP411 cut
    off, EP409, EP410, EP414, EP416 a wrong or missing time.
    """
    if not live:
        plain = _read_plain(texts, scope)
        found = plain.quads and plain.quads.batches(source, batch_rows, stream)
        if found:
            yield from found
            return
        texts = plain.again()
    reader = _QuadReader(source, scope)
    elements = Elements(source, live=live, rows_are_lines=True, on_bad=on_bad)
    done: list[Element] = []
    problem: DataError | None = None
    try:
        for text in texts:
            for line, number in reader.lines(text):
                try:
                    quad = reader.quad(line, number)
                except DataError as wrong:
                    if on_bad is None:
                        raise
                    on_bad(reader.problem(wrong), line)
                    continue
                complete = elements.add(*quad, number)
                if complete is not None:
                    done.append(complete)
            yield from to_batches(done, source, batch_rows, stream)
            done = []
    except DataError as found:
        problem = reader.problem(found)
    rest, untimed = elements.finish(broken=problem is not None)
    yield from to_batches(done + rest, source, batch_rows, stream)
    error = problem or untimed
    if error is not None:
        raise error


@dataclass(slots=True)
class _Plain:
    """The texts of a file that were taken to see whether all of it is plain, and its quads if it may be."""

    texts: Iterator[Text]
    taken: list[Text] = field(default_factory=list)
    quads: PlainQuads | None = None
    error: DataError | None = None

    def again(self) -> Iterator[Text]:
        """All texts, from the first one on."""
        yield from self.taken
        if self.error is not None:
            raise self.error
        yield from self.texts


def _read_plain(texts: Iterator[Text], scope: str) -> _Plain:
    plain, quads = _Plain(texts), PlainQuads(scope)
    try:
        for text in texts:
            plain.taken.append(text)
            if not quads.add(text):
                return plain
        plain.quads = quads
    except DataError as error:
        plain.error = error
    return plain


@dataclass(slots=True)
class _QuadReader:
    """Reads the lines of one source as quads; ``unfinished_line`` is that without a line end, once seen."""

    source: str
    scope: str
    unfinished_line: int | None = None
    _caches: tuple[TermCache, TermCache, TermCache, TermCache] = field(init=False)

    def __post_init__(self) -> None:
        self._caches = (
            TermCache("subject", self.scope),
            TermCache("predicate", self.scope),
            TermCache("object", self.scope),
            TermCache("graph", self.scope),
        )

    def lines(self, text: Text) -> Iterator[tuple[str, int]]:
        """The lines that are not comments, with their numbers."""
        lines = text.text.split("\n")
        if text.unfinished:
            self.unfinished_line = text.line + len(lines) - 1
        for number, line in enumerate(lines, text.line):
            begin = line.lstrip(" \t\r")
            if begin and begin[0] != "#":
                yield line, number

    def quad(self, line: str, number: int) -> tuple[Encoded, Encoded, Encoded, Encoded | None]:
        """Subject, predicate, object and graph (None: the default graph) of one line."""
        match = _match_line(line)
        if match is None:
            where = Place(self.source, line=number, excerpt=shown(line))
            raise DataError("EP412", "the line is not a quad", place=where, hint=_HINT)
        subjects, predicates, objects, graphs = self._caches
        try:
            s, p, o, g = match.groups()
            return subjects[s], predicates[p], objects[o], None if g is None else graphs[g]
        except ValueError as error:
            raise self._wrong_term(match, number, error) from error

    def problem(self, error: DataError) -> DataError:
        """The error; of the line without a line end, that it is cut off."""
        at = None if error.place is None else error.place.line
        return error if at is None or at != self.unfinished_line else cut_off(error)

    def _wrong_term(self, match: re.Match[str], number: int, error: ValueError) -> DataError:
        for cache, text in zip(self._caches, match.groups(), strict=True):
            try:
                if text is not None:
                    cache[text]
            except ValueError:
                where = Place(self.source, line=number, excerpt=shown(text))
                code = "EP408" if isinstance(error, TermPositionError) else "EP407"
                return DataError(code, f"the {cache.position} {error}", place=where, hint=_HINT)
        raise AssertionError("one of the terms is wrong")
