"""N-Quads files that are read in columns: the same batches and errors as line by line."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import nquads_reader, plain_quads
from etalis_py.streams.lines import Text
from etalis_py.streams.nquads_reader import read_nquads
from etalis_py.streams.plain_quads import PlainQuads

GENERATED = "<http://www.w3.org/ns/prov#generatedAtTime>"
ENDED = "<http://www.w3.org/ns/prov#endedAtTime>"
STARTED = "<http://www.w3.org/ns/prov#startedAtTime>"
DATETIME = "^^<http://www.w3.org/2001/XMLSchema#dateTime>"
OBJECTS = (
    "<urn:b>",
    '"text"',
    '"hi"@EN-gb',
    '"ä: <>. @"',
    '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>',
    '"x"^^<urn:type>',
)
UNUSUAL = (
    '_:b <urn:p> "1" <urn:g1> .',
    '<urn:a> <urn:p> "a\\nb" <urn:g1> .',
    '<urn:\\u0061> <urn:p> "1" <urn:g1> .',
    "# a comment",
    "",
    '<urn:a>\t<urn:p> "1" <urn:g1> .',
    '<urn:a> <urn:p> "1" <urn:g1> . # behind',
    '<urn:a><urn:p>"1"@en<urn:g1>.#',
    '<urn:a> <urn:p> "1"@ <urn:g1> .',
    '<urn:a> <urn:p> "1"^^<urn:t <urn:g1> .',
    "<urn:a> <urn:p> _:ä <urn:g1> .",
    "_:b. <urn:p> _:c <urn:g1> .",
    '<urn:a> <urn:p> "\\" <urn:g1> .',
    '<urn:a> <urn:p> <urn:b> "g" .',
    "<urn:a> <urn:p> <urn:b> <urn:g1> <urn:g2> .",
    '<urn:a> <urn:p> "1" <urn:g1> .\r',
    '<urn:a> <urn:p> "1" .',
    "<urn:a> <urn:p> <b> <urn:g1> .",
    '<urn:a> "p" <urn:b> <urn:g1> .',
    "<urn:a> <urn:p> <urn:b> <urn:untimed> .",
    f'<urn:g1> {GENERATED} "2011-02-30T00:00:00Z"{DATETIME} .',
    f'<urn:g1> {GENERATED} "2011-03-11T24:00:00Z"{DATETIME} .',
    f'<urn:new> {GENERATED} "2011-03-11T24:00:00Z"{DATETIME} .',
    f'<urn:new> {GENERATED} "2011-03-11T05:46:23"{DATETIME} .',
    f'<urn:new> {GENERATED} "2011-03-11T05:46:23.1234567Z"{DATETIME} .',
    f'<urn:new> {GENERATED} "0000-03-11T05:46:23Z"{DATETIME} .',
    f'<urn:new> {GENERATED} "1600-02-29T05:46:23.5Z"{DATETIME} .',
    f'<urn:new> {STARTED} "2011-03-11T05:46:23Z"{DATETIME} .',
    f'<urn:g1> {ENDED} "2011-03-11T05:00:00Z"{DATETIME} .',
    f'<urn:g1> {STARTED} "2011-03-11T05:46:23Z"{DATETIME} .',
    f"<urn:new> {GENERATED} <urn:b> .",
    "not a quad",
)


def lines_of(chance: random.Random) -> list[str]:
    """Plain elements, their times before, behind or amid them; some at one time, some mixed with others."""
    lines = []
    for graph in range(chance.randrange(1, 30)):
        second, fraction = chance.randrange(60), chance.choice(["", ".5", ".000001", ".120"])
        time = f'"2011-03-11T05:{chance.randrange(4):02}:{second:02}{fraction}Z"{DATETIME}'
        own = [
            f"<urn:s{chance.randrange(9)}> <urn:p> {chance.choice(OBJECTS)} <urn:g{graph}> ."
            for _ in range(chance.randrange(4))
        ]
        for kind in chance.choice([(GENERATED,), (GENERATED,), (STARTED, ENDED)]):
            own.insert(chance.randrange(len(own) + 1), f"<urn:g{graph}> {kind} {time} .")
            time = time.replace("11T05", "11T06")
        lines += own
    if chance.random() < 0.3:
        chance.shuffle(lines)
    return lines


def texts(lines: list[str], chance: random.Random, *, ended: bool) -> Iterator[Text]:
    first = 0
    while first < len(lines):
        last = min(first + chance.choice([1, 3, 20, 100]), len(lines))
        end = "\n" if last < len(lines) or ended else ""
        yield Text("\n".join(lines[first:last]) + end, first + 1)
        first = last


def found(lines: list[str], seed: int, *, ended: bool, stream: str | None, bad: bool) -> list[Any]:
    chance, told, rows = random.Random(seed), [], []
    pieces = texts(lines, chance, ended=ended)
    on_bad = (lambda error, text: told.append((str(error), text))) if bad else None
    given = read_nquads(pieces, "file.nq", scope="b0", live=False, batch_rows=7, on_bad=on_bad, stream=stream)
    try:
        for batch in given:
            rows.append([list(column or ()) for column in (
                batch.start, batch.end, batch.s, batch.p, batch.o, batch.graph, batch.rows, batch.stream
            )])  # fmt: skip
            rows[-1].append(list(batch.sources))
    except DataError as error:
        told.append(str(error))
    return [rows, told]


@pytest.mark.parametrize("kind", ["plain", "unusual"])
@pytest.mark.parametrize("seed", range(150))
def test_the_same_as_line_by_line(monkeypatch: pytest.MonkeyPatch, kind: str, seed: int) -> None:
    chance = random.Random(seed)
    lines = lines_of(chance)
    if kind == "unusual":
        lines.insert(chance.randrange(len(lines) + 1), UNUSUAL[seed % len(UNUSUAL)])
    options = {
        "ended": chance.random() < 0.8,
        "stream": chance.choice([None, "urn:stream"]),
        "bad": chance.random() < 0.3,
    }
    natively = found(lines, seed, **options)
    monkeypatch.setattr(plain_quads, "text_library", lambda: None)
    assert natively == found(lines, seed, **options)


def test_plain_files_are_read_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nquads_reader, "_QuadReader", None)  # the reader of lines is not asked
    for seed in range(50):
        lines = lines_of(random.Random(seed))
        if any(" <urn:g" in line for line in lines):
            found(lines, seed, ended=True, stream=None, bad=False)


def test_what_is_too_much_is_left_to_the_reader_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etalis_py.streams.plain_quads.MOST_GRAPHS", 3)
    quads = PlainQuads("")
    for number in range(4):
        time = f'<urn:g{number}> {GENERATED} "2011-03-11T05:46:23Z"{DATETIME} .\n'
        assert quads.add(Text(f"{time}<urn:a> <urn:p> <urn:b> <urn:g{number}> .\n", 2 * number + 1))
    assert quads.batches("file.nq", 10, None) is None


def test_an_error_of_the_file_comes_after_what_is_before_it() -> None:
    time = f'<urn:g> {GENERATED} "2011-03-11T05:46:23Z"{DATETIME} .'

    def broken() -> Iterator[Text]:
        yield Text(f"<urn:a> <urn:p> <urn:b> <urn:g> .\n{time}\n<urn:a> <urn:p> <urn:b> <urn:h> .\n", 1)
        raise DataError("EP401", "the stream cannot be read")

    batches = read_nquads(broken(), "file.nq", scope="", live=False, batch_rows=7)
    assert list(next(batches).rows) == [1]
    with pytest.raises(DataError, match="EP401"):
        next(batches)
