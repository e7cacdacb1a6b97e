"""A slow pipe is answered line by line; a stream that stops within a line says so, after what came before."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import Batch, open_stream

Drain = Callable[[Iterator[Batch]], tuple[list[Batch], DataError]]
EVENT = '{"start": %d, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}\n'
TIME = (
    "<urn:g{0}> <http://www.w3.org/ns/prov#generatedAtTime> "
    '"1970-01-01T00:00:0{0}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
)
QUAD = "<urn:s> <urn:p> <urn:o> <urn:g{0}> .\n"


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        with contextlib.suppress(OSError):
            os.close(descriptor)


def test_ndjson_is_given_as_it_comes(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    batches = open_stream("-", format="ndjson", stdin=reading)
    for second in range(3):
        os.write(writing, (EVENT % second).encode())
        assert list(next(batches).end) == [second]
    os.write(writing, (EVENT % 7).encode() + (EVENT % 8).encode() + b'{"start": 9, ')
    assert list(next(batches).end) == [7, 8], "a line that is not there yet holds nothing up"
    os.write(writing, (EVENT % 9)[13:].encode())
    assert list(next(batches).end) == [9]
    os.close(writing)
    assert next(batches, None) is None


def test_csv_is_given_as_it_comes(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    batches = open_stream("-", format="csv", stdin=reading)
    os.write(writing, b"start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n")
    assert list(next(batches).end) == [1]
    os.write(writing, b"2,<urn:s>,<urn:p>,<urn:o>\n")
    assert list(next(batches).end) == [2]


def test_an_element_is_given_when_the_next_begins(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    batches = open_stream("-", format="nq", stdin=reading)
    os.write(writing, (TIME.format(1) + QUAD.format(1)).encode())
    os.write(writing, TIME.format(2).encode())
    assert list(next(batches).graph or []) == ["urn:g1"]
    os.write(writing, (QUAD.format(2) + QUAD.format(3)).encode())
    assert list(next(batches).graph or []) == ["urn:g2"]
    os.write(writing, TIME.format(3).encode())
    os.close(writing)
    assert list(next(batches).graph or []) == ["urn:g3"]


def test_a_named_pipe_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(EVENT % 1,))
    writer.start()
    assert [list(batch.end) for batch in open_stream(path)] == [[1]]
    writer.join()


@pytest.mark.parametrize(
    ("name", "text", "before"),
    [
        ("a.ndjson", EVENT % 1 + (EVENT % 2)[:30], 1),
        ("a.csv", "start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n2,<urn:s>,<ur", 1),
        ("a.csv", "start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n2,<urn:s>,<urn:p>,<urn:", 1),
        ("a.csv", 'start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n2,<urn:s>,<urn:p>,"""hel', 1),
        ("a.nq", TIME.format(1) + QUAD.format(1) + QUAD.format(2)[:20], 0),
    ],
)
def test_a_stream_cut_off_within_a_line(
    tmp_path: Path, name: str, text: str, before: int, drain: Drain
) -> None:
    path = tmp_path / name
    path.write_text(text)
    got, error = drain(open_stream(path))
    assert sum(map(len, got)) == before
    assert error.code == "EP411"
    assert error.place is not None
    assert error.place.line == text.count("\n") + 1


def test_a_long_line_in_small_pieces(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    line = '{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "\\"%s\\""}\n' % ("x" * 1_000_000)
    writer = threading.Thread(target=lambda: (write_all(writing, line.encode()), os.close(writing)))
    writer.start()
    (batch,) = open_stream("-", format="ndjson", stdin=reading)
    assert len(batch.o[0][0]) == 1_000_000  # type: ignore[arg-type]
    writer.join()


def write_all(descriptor: int, data: bytes) -> None:
    for first in range(0, len(data), 5000):
        os.write(descriptor, data[first : first + 5000])
