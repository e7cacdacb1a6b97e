"""Which classes and properties the streams of ``etalis check`` have, and what queries ask for beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from etalis_py.cli.query_files import QueryFile
from etalis_py.cli.rates import Sample
from etalis_py.compiler.algebra.algebra import Constant, TriplePattern
from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.explain.readable import readable_for
from etalis_py.compiler.lint.findings import Check, Finding, Subject
from etalis_py.compiler.lint.linter import ALL_CHECKS
from etalis_py.compiler.lint.names import asked_names, unknown_names
from etalis_py.compiler.plan.plan import ConstructPlan
from etalis_py.core.errors import QueryError, UsageError
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import RDF, RDF_TYPE, RDFS
from etalis_py.no_answers.seen import Seen
from etalis_py.streams import Batch, StreamFile, open_stream

if TYPE_CHECKING:
    from etalis_py.core.times import TimeUnit
    from etalis_py.engine.knowledge import Knowledge

__all__ = ["MOST_EVENTS", "StreamNames", "names_of_streams"]

MOST_EVENTS: Final = 10_000
"""So many events of each stream are looked at."""


@dataclass(slots=True)
class StreamNames:
    """What is in the streams, and the triples that the queries themselves make (CONSTRUCT)."""

    seen: Seen
    made: Sequence[TriplePattern]
    _made_names: dict[bool, set[Encoded | None]] = field(init=False)
    """By whether they are classes; None stands for any."""

    def __post_init__(self) -> None:
        self._made_names = {True: set(), False: set()}
        for triple in self.made:
            predicate = triple.predicate.value if isinstance(triple.predicate, Constant) else None
            self._made_names[False].add(predicate)
            if predicate in (None, RDF_TYPE):
                self._made_names[True].add(
                    triple.object.value if isinstance(triple.object, Constant) else None
                )

    def checks(self, knowledge: Knowledge) -> tuple[Check, ...]:
        """All checks; that for names of the background looks at those of the streams, too."""

        def unknown(subject: Subject) -> Iterator[Finding]:
            return self._unknown(subject, knowledge)

        return tuple(unknown if each is unknown_names else each for each in ALL_CHECKS)

    def _unknown(self, subject: Subject, knowledge: Knowledge) -> Iterator[Finding]:
        """EW10: a class or property that neither the streams nor the background have, and no query makes.

        Of a stream that is not read to its end only what is nearly the name of another one.
        """
        readable = readable_for(subject.query)
        for iri, is_class, span in asked_names(subject):
            if self._has(iri, is_class=is_class) or knowledge.has_name(iri, is_class=is_class):
                continue
            near = knowledge.near(iri, is_class=is_class) or self.seen.near(
                iri, is_class=is_class, slips_alone=not self.seen.is_whole
            )
            if near is None and (not self.seen.is_whole or iri.startswith((RDF, RDFS))):
                continue
            what = f"{'class' if is_class else 'property'} {readable.iri(iri)}"
            where = "the stream has no" if knowledge.module is None else "neither background nor stream has a"
            if not self.seen.is_whole:
                where = f"in its first {self.seen.events:,} events {where}"
            counts = self.seen.classes if is_class else self.seen.properties
            names = [readable.term(name) for name, _ in counts.most_common(5)]
            hint = f"the stream has {', '.join(names)}" if names else "the stream has no rdf:type triples"
            if near is not None:
                hint = f"did you mean {readable.iri(near)}?"
            elif is_class and knowledge.module is None:
                hint += "; if the background has it: --background FILE"
            yield Finding("EW10", f"{where} {what}", span, hint)

    def _has(self, iri: str, *, is_class: bool) -> bool:
        counts = self.seen.classes if is_class else self.seen.properties
        made = self._made_names[is_class]
        return bool(counts[iri]) or iri in made or None in made


def names_of_streams(
    streams: Iterable[StreamFile],
    files: Iterable[QueryFile],
    stream_format: str | None,
    time_unit: TimeUnit | None,
) -> StreamNames | None:
    """The names in the first `MOST_EVENTS` of each stream; None where there are no streams, or no events.

    Raises:
        UsageError: EP521 to EP524, a stream cannot be opened.
        DataError: EP4xx, it cannot be read.
    """
    seen = Seen()
    for file in streams:
        sample = Sample(_opened(file, stream_format, time_unit), MOST_EVENTS, stdin=file.path == "-")
        if sample.error is not None:
            raise sample.error
        before = seen.events
        for batch in sample.first:
            seen.add(batch)
        seen.is_whole = seen.is_whole and seen.events - before < MOST_EVENTS
    return StreamNames(seen, list(_made(files))) if seen.events else None


def _opened(file: StreamFile, stream_format: str | None, time_unit: TimeUnit | None) -> Iterator[Batch]:
    try:
        return open_stream(
            file.path,
            format=stream_format,
            time_unit=time_unit,
            stream=file.stream,
            mapping=file.mapping,
            prefixes=file.prefixes,
        )
    except UsageError as error:
        if error.code != "EP522":
            raise
    # Its triples have no times, and none are asked for.
    return open_stream(file.path, format=stream_format, at=0, stream=file.stream)


def _made(files: Iterable[QueryFile]) -> Iterator[TriplePattern]:
    for file in files:
        with suppress(QueryError):  # reported when the file is checked
            for query in compile_program(
                file.text, name=file.name, source=file.path, base=file.base, language=file.language
            ):
                if isinstance(query.plan, ConstructPlan):
                    yield from query.plan.template
