"""What tests of streams share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import Batch

Drain = Callable[[Iterator[Batch]], tuple[list[Batch], DataError]]


@pytest.fixture
def drain() -> Drain:
    """Reads a stream to its error: the batches before it, and the error."""

    def read(batches: Iterator[Batch]) -> tuple[list[Batch], DataError]:
        got: list[Batch] = []
        try:
            for batch in batches:
                got.append(batch)  # noqa: PERF402 - a comprehension would lose them
        except DataError as error:
            return got, error
        pytest.fail("there was no error")

    return read
