"""The project's own errors, on their way from a worker to the driver.

Spark brings the text of an exception and nothing else. So an error leaves the worker with a line at the end
of its text from which it is made again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from etalis_py.core import errors
from etalis_py.core.errors import DataError, EtalisError, Place, RunTimeError
from etalis_py.spark_udfs.execution.causes import known_cause
from etalis_py.streams.columns import shown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TaskError", "about_row", "from_text", "project_errors", "sent_home", "to_text"]

_find_exception = re.compile(r"[\w.$]+(?:Exception|Error): ").search
_split_exceptions = re.compile(r"[\w.$]+(?:Exception|Error): ").split
_MARK: Final = "etalis_py error: "
_ALL_IT_SAYS: Final = "all it says: etalis run --verbose; in a program, this error's __cause__"


class TaskError(Exception):
    """What a Spark task raises for an error of the project: with its text, and the line with all of it."""

    def __init__(self, error: EtalisError) -> None:
        super().__init__(f"{error}\n{_MARK}{to_text(error)}")


def about_row(error: DataError, row: pa.RecordBatch) -> DataError:
    """The error with the one row that it is about in its place: its number in a task tells nothing."""
    place = Place(source="events", excerpt=shown(row.to_pylist()[0], 400))
    return DataError(error.code, error.message, place=place, hint=error.hint)


@contextmanager
def sent_home() -> Iterator[None]:
    """In a worker: let an error of the project within this reach the driver."""
    try:
        yield
    except EtalisError as error:
        raise TaskError(error) from None


@contextmanager
def project_errors() -> Iterator[None]:
    """Let an action on answers of ``detect`` raise errors of the project, with Spark's as their cause.

    Without it the action raises Spark's exception, whose text has the error's text in it.

    Raises:
        EtalisError: the error of a worker.
        RunTimeError: EP612 to EP615, what is wrong with the workers (`causes.py`); EP305, Spark could not go
            on for another reason of its own.
    """
    try:
        yield
    except EtalisError:
        raise
    except Exception as error:
        found = _find(error)
        if found is None and not _is_of_spark(error):
            raise
        raise (found or _of_spark(error)) from error


def to_text(error: EtalisError) -> str:
    """An error as one line of text."""
    parts = {
        "class": type(error).__name__,
        "code": error.code,
        "message": error.message,
        "place": None if error.place is None else asdict(error.place),
        "hint": error.hint,
    }
    return json.dumps(parts)


def from_text(line: str) -> EtalisError:
    """The error that ``to_text`` wrote."""
    parts: dict[str, Any] = json.loads(line)
    kind: type[EtalisError] = getattr(errors, parts["class"], RunTimeError)
    place = None if parts["place"] is None else Place(**parts["place"])
    return kind(parts["code"], parts["message"], place=place, hint=parts["hint"])


def _with_stack_trace(error: Exception) -> str:
    """All that Spark knows: of a stream, only Java's stack trace tells what began it."""
    traces = (getattr(error, name, None) for name in ("_stackTrace", "_stacktrace"))
    return "\n".join([str(error), *(each for each in traces if isinstance(each, str))])


def _find(error: Exception) -> EtalisError | None:
    for line in _with_stack_trace(error).splitlines():
        _, mark, rest = line.partition(_MARK)
        if mark:
            return from_text(rest)
    return None


def _is_of_spark(error: Exception) -> bool:
    return type(error).__module__.split(".")[0] in ("pyspark", "py4j")


def _of_spark(error: Exception) -> RunTimeError:
    return known_cause(_with_stack_trace(error)) or RunTimeError(
        "EP305", f"Spark could not go on: {_reason(error)}", hint=_ALL_IT_SAYS
    )


def _reason(error: Exception) -> str:
    """The first sentence of the innermost exception that Spark's text begins with."""
    lines = [line.strip() for line in str(error).splitlines()]
    first = next((line for line in lines if _after_exception(line)), next(filter(None, lines), ""))
    text = _after_exception(first) or first or type(error).__name__
    return text.partition(". ")[0]


def _after_exception(line: str) -> str:
    return _split_exceptions(line)[-1] if _find_exception(line) else ""
