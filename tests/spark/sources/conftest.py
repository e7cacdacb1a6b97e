"""What tests of ``rdf-stream`` share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError, EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.core.terms import ntriples
from etalis_py.streams import Batch

Row = tuple[int, int, str, str, str]


@pytest.fixture
def golden(tmp_path: Path) -> Callable[[EtalisError], None]:
    """Compares the message of an error with its golden text; the folder of the test is called DIR there."""

    def compare(error: EtalisError) -> None:
        text = str(error).replace(str(tmp_path), "DIR") + "\n"
        path = MESSAGES / f"{error.code}.txt"
        if os.environ.get("UPDATE_GOLDEN"):
            path.write_text(text)
        assert text == path.read_text()

    return compare


def rows(batches: Iterable[Batch]) -> list[Row]:
    """Occurrences as rows, in their order."""
    found: list[Row] = []
    for each in batches:
        columns = [list(map(ntriples, column)) for column in (each.s, each.p, each.o)]
        found += zip(each.start, each.end, *columns, strict=True)
    return found


def up_to_error(batches: Iterator[Batch]) -> tuple[list[Row], DataError]:
    """The rows before an error, and the error."""
    found: list[Batch] = []
    try:
        for each in batches:
            found.append(each)  # noqa: PERF402 - a comprehension would lose them
    except DataError as error:
        return rows(found), error
    pytest.fail("there was no error")
