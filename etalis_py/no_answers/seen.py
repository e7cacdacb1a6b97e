"""Which properties and classes events have, which streams they are from, and how often."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches

from etalis_py.compiler.lint.nearest import nearest
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM, RDF_TYPE
from etalis_py.streams.batch import Batch

__all__ = ["Seen", "local_name"]


class Seen:
    """Counts properties, classes and streams of the events that pass."""

    def __init__(self) -> None:
        self.events = 0
        self.is_whole = True
        self.properties: Counter[Encoded] = Counter()
        self.classes: Counter[Encoded] = Counter()
        self.streams: Counter[Encoded] = Counter()

    def add(self, batch: Batch) -> None:
        """Take in a batch."""
        self.events += len(batch)
        if batch.stream is None:
            self.streams[DEFAULT_STREAM] += len(batch)
        else:
            self.streams.update(name or DEFAULT_STREAM for name in batch.stream)
        here = Counter(batch.p)
        self.properties.update(here)
        if RDF_TYPE in here:
            pairs = zip(batch.p, batch.o, strict=True)
            self.classes.update(target for predicate, target in pairs if predicate == RDF_TYPE)

    def near(self, iri: str, *, is_class: bool, slips_alone: bool = False) -> str | None:
        """The name in the stream that is most like ``iri``: by its local part, wherever it stands.

        ``slips_alone``: only one that differs by its namespace, or by one slip of the pen.
        """
        counts = self.classes if is_class else self.properties
        by_local = {local_name(each): each for each in reversed(counts) if isinstance(each, str)}
        wanted = local_name(iri)
        if wanted in by_local:
            return by_local[wanted]
        close = nearest(wanted, by_local)
        if close is None and not slips_alone:
            close = next(iter(get_close_matches(wanted, by_local, n=1)), None)
        return None if close is None else by_local[close]


def local_name(iri: str) -> str:
    """What stands behind the last ``#``, ``/`` or ``:``."""
    return iri[max(map(iri.rfind, "#/:")) + 1 :]
