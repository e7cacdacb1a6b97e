"""What all writers of results share: they take matches, and write to a binary file as UTF-8."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, BinaryIO, Literal

from typing_extensions import Self

from etalis_py.core.errors import UsageError
from etalis_py.core.terms import Encoded
from etalis_py.core.times import format_time
from etalis_py.core.vocabulary import XSD_BOOLEAN, XSD_DATETIME
from etalis_py.engine.matches import Match

__all__ = [
    "Form",
    "OneQueryWriter",
    "QueryHead",
    "TimeTexts",
    "Writer",
    "cells_of",
    "columns_of",
    "head_of",
    "interval_terms",
    "wrong_form",
]

Form = Literal["select", "construct", "ask", "describe"]


@dataclass(frozen=True, slots=True)
class QueryHead:
    """What a writer has to know of a query before its first match: name, form, variables in their order.

    ``prefixes`` (prefix without colon, to namespace) let the table show short names.
    """

    name: str
    form: Form = "select"
    variables: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)


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
    def close(self) -> None:
        """Write what ends the document."""

    def state(self) -> dict[str, Any]:
        """What decides how later matches are written, as JSON has it."""
        return {}

    def go_on_from(self, state: dict[str, Any]) -> None:
        """Write as the writer would that gave the state."""
        assert not state, "a writer with a state goes on from it"

    def _put(self, text: str) -> None:
        if text:
            self._file.write(text.encode())
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


def columns_of(head: QueryHead) -> tuple[str, ...]:
    """The columns beside start and end: variables, ``boolean`` for an ASK, or those of triples."""
    return {"select": head.variables, "ask": ("boolean",)}.get(head.form, ("s", "p", "o"))


def cells_of(match: Match) -> tuple[Encoded | None, ...]:
    """The terms of a solution, or the boolean of an ASK, in the order of `columns_of`."""
    return match.values if match.boolean is None else ((match.boolean, XSD_BOOLEAN),)


def interval_terms(match: Match) -> tuple[Encoded | None, Encoded | None]:
    """Start and end as terms; unbound where there has been no instant."""
    if match.interval is None:
        return None, None
    return (match.start, XSD_DATETIME), (match.end, XSD_DATETIME)


def head_of(match: Match) -> QueryHead:
    """The head of a query of which nothing is known but a match."""
    form: Form = "select" if match.encoded_triples is None else "construct"
    if match.boolean is not None:
        form = "ask"
    return QueryHead(match.query, form, match.variables)


class OneQueryWriter(Writer):
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

    def _know(self, head: QueryHead) -> QueryHead:
        known = self._head
        if known is None:
            if head.form not in self.forms:
                raise wrong_form(self.format, head)
            self._head = known = head
        elif known.name != head.name:
            raise UsageError(
                "EP525",
                f"{self.format} can hold only one query, and there are {known.name!r} and {head.name!r}",
                hint="use ndjson, which names the query on each line, or run the queries one by one",
            )
        return known

    def _accept(self, match: Match) -> QueryHead:
        known = self._head
        if known is not None and known.name == match.query:
            return known
        return self._know(head_of(match))


def wrong_form(name: str, head: QueryHead) -> UsageError:
    """EP526 for a query whose answers the format ``name`` cannot hold."""
    what = {
        "select": "a SELECT gives solutions",
        "construct": "a CONSTRUCT gives triples",
        "ask": "an ASK gives yes or no",
        "describe": "a DESCRIBE gives triples",
    }
    triples = head.form in ("construct", "describe")
    hint = "use nquads or ndjson" if triples else "use ndjson, json, csv, tsv or table"
    return UsageError("EP526", f"{head.name!r}: {what[head.form]}, which {name} cannot hold", hint=hint)
