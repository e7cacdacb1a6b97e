"""What all writers of results share: they take answers, and write to a binary file as UTF-8."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, BinaryIO

from typing_extensions import Self

from etalis_py.core.errors import UsageError
from etalis_py.core.times import format_time
from etalis_py.engine.answer_columns import Answers
from etalis_py.engine.matches import Match
from etalis_py.results.blocks import AnswerBlocks, Block
from etalis_py.results.heads import Form, QueryHead, wrong_form
from etalis_py.texts.lines import MOMENTS, TextColumn, Values, is_native, texts_of

__all__ = ["ColumnWriter", "OneQueryWriter", "TimeTexts", "Writer"]


class Writer(ABC):
    """Writes matches in one format. Use as a context manager, or call `close`, which ends the document.

    The file stays open. What was written is in the file (flushed) when `write` or `write_all` returns,
    except where a format must know more first: table (unless live) and parquet.

    ``is_whole`` is False where the document ends because of an error: there may have been more answers.
    """

    is_whole = True

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, match: Match) -> None:
        """Write one match."""
        self.write_all((match,))

    @abstractmethod
    def write_all(self, matches: Iterable[Match]) -> None:
        """Write matches that were found together, flushed once."""

    @abstractmethod
    def write_answers(self, answers: Answers) -> None:
        """As `write_all`, of answers in columns: takes less time, and writes the same bytes."""

    @abstractmethod
    def close(self) -> None:
        """Write what ends the document."""

    def state(self) -> dict[str, Any]:
        """What decides how later matches are written, as JSON has it."""
        return {}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Write as the writer would that gave the state."""
        assert not state, "a writer with a state goes on from it"

    def _put(self, text: str) -> None:
        self._put_bytes(text.encode())

    def _put_bytes(self, content: bytes) -> None:
        if content:
            self._file.write(content)
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class ColumnWriter(Writer):
    """A writer that takes matches in columns, too."""

    def write_all(self, matches: Iterable[Match]) -> None:
        """Write matches that were found together."""
        self._write(AnswerBlocks.of_matches(matches))

    def write_answers(self, answers: Answers) -> None:
        """Write answers that were found together."""
        self._write(AnswerBlocks.of_answers(answers))

    @abstractmethod
    def _write(self, blocks: AnswerBlocks) -> None: ...


class TimeTexts(dict[int, str]):
    """The text of times, as `format_time` has it; near matches share theirs, times of one second most of it.

    >>> TimeTexts()[-1], TimeTexts()[1_500_000], TimeTexts()[253402300800_000_000]
    ('1969-12-31T23:59:59.999999Z', '1970-01-01T00:00:01.5Z', '10000-01-01T00:00:00Z')
    """

    def __init__(self) -> None:
        super().__init__()
        self._seconds: dict[int, str] = {}

    def __missing__(self, microseconds: int) -> str:
        if len(self) > 10_000:
            self.clear()
            self._seconds.clear()
        second, rest = divmod(microseconds, 1_000_000)
        known = self._seconds.get(second)
        if known is None:
            known = self._seconds[second] = format_time(second * 1_000_000)[:-1]
        fraction = f".{rest:06d}".rstrip("0") if rest else ""
        text = self[microseconds] = f"{known}{fraction}Z"
        return text

    def columns(self, block: Block, before: str = "", after: str = "") -> list[TextColumn]:
        """The texts of the starts and of the ends of answers for `write_lines`, with texts around them; empty
        where there was no instant.
        """
        if not block.has_instant:
            return [[""] * len(block)] * 2
        return [self._column(times, before, after) for times in (block.starts, block.ends)]

    def _column(self, times: Sequence[int], before: str, after: str) -> TextColumn:
        numbers = as_int64(times) if is_native() else None
        if numbers is not None:
            return Values(MOMENTS, numbers, None, before, after)
        return [f"{before}{self[time]}{after}" for time in times]

    def texts(self, block: Block) -> list[Iterable[str]]:
        """The texts of the starts and of the ends."""
        return [texts_of(column, len(block)) for column in self.columns(block)]


def as_int64(numbers: Sequence[int]) -> array[int] | None:
    """Whole numbers as an array; None where one is beyond 64 bits."""
    try:
        return numbers if isinstance(numbers, array) and numbers.typecode == "q" else array("q", numbers)
    except OverflowError:
        return None


class OneQueryWriter(ColumnWriter):
    """A writer whose document belongs to one query: its head is given, or taken from the first match.

    Raises UsageError: EP525 for a second query, EP526 if the query has not one of ``forms``.
    """

    format: str
    forms: tuple[Form, ...]

    def __init__(self, file: BinaryIO, heads: tuple[QueryHead, ...], *, at_mode: bool) -> None:
        super().__init__(file)
        self._at_mode = at_mode
        self._head: QueryHead | None = None
        for head in heads:
            self._know(head)

    def _know(self, head: QueryHead) -> None:
        known = self._head
        if known is None:
            if head.form not in self.forms:
                raise wrong_form(self.format, head)
            self._head = head
        elif known.name != head.name:
            raise UsageError(
                "EP525",
                f"{self.format} can hold only one query, and there are {known.name!r} and {head.name!r}",
                hint="use ndjson, which names the query on each line, or run the queries one by one",
            )

    def _accept(self, blocks: AnswerBlocks) -> QueryHead | None:
        """The head of the one query; None before its first answer."""
        for block in blocks.blocks:
            self._know(block.head)
        return self._head
