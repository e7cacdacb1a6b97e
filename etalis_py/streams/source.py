"""One stream as its reader is given it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from etalis_py.core.times import TimeUnit
from etalis_py.core.value_class import value_class
from etalis_py.streams.batch import Batch
from etalis_py.streams.columns import RowReader
from etalis_py.streams.lines import Text, read_text
from etalis_py.streams.positions import Marks, Track
from etalis_py.streams.problems import OnBad
from etalis_py.streams.term_texts import TermTexts

if TYPE_CHECKING:
    from etalis_py.streams.mapping.yarrrml import StreamMap

__all__ = ["Reader", "Source"]


@value_class
class Source:
    """A stream in the format ``format``, called ``name`` in messages, which is its path.

    ``opened``: an open file, or what is in it, read instead of the path. ``pipe``: no regular file, so given
    as it comes.
    ``stream`` is its IRI, None for the default stream. With a ``mapping`` it has records.
    ``texts`` are those of sources that were read before. The others are as of `open_stream`.
    """

    name: str
    format: str
    opened: int | bytes | None
    pipe: bool
    at: int | None
    batch_rows: int
    scope: str
    on_read: Callable[[int], None] | None
    track: Track | None
    unit: TimeUnit | None
    on_bad: OnBad | None
    stream: str | None
    mapping: StreamMap | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    texts: TermTexts | None = None

    @property
    def marks(self) -> Marks | None:
        """Where the reader may begin, and what it adds to."""
        return None if self.track is None else self.track.marks

    def text(self, on_bad: OnBad | None = None) -> Iterator[Text]:
        """The lines; ``on_bad`` takes those that are not UTF-8."""
        return read_text(self.name, self.opened, self.on_read, self.marks, on_bad)

    def rows(self) -> RowReader:
        """What makes occurrences of columns."""
        goes_on = self.track is not None and self.track.rows > 0
        unit = self.unit or ("us" if goes_on else None)  # the first row was looked at when the stream began
        texts = self.texts or TermTexts(self.scope, self.prefixes)
        return RowReader(self.name, texts, unit, self.on_bad, self.stream)


class Reader(Protocol):
    """What the module of a format has."""

    @staticmethod
    def read(source: Source) -> Iterator[Batch]:
        """Batches of a stream.

        Raises DataError: the first bad record where the source has no ``on_bad``, after the good ones before
        it, and what is about no record.
        """
