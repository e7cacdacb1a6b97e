"""Rows that are read natively: the same batches and errors as in Python, whatever stands there."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import open_bytes, open_stream, plain_lines
from etalis_py.streams.batch import Batch
from etalis_py.streams.term_texts import TermTexts
from etalis_py.texts.library import text_library

COLUMNS = ("start", "end", "s", "p", "o", "stream", "graph")
TIMES = (
    *(
        "2026-03-02T08:00:00Z",
        "2026-03-02T08:00:00.5Z",
        "2024-02-29T23:59:59.000001Z",
        "1600-12-31T00:00:00Z",
    ),
    *("7", "-7", "+7", "999999999999999999"),
)
ODD_TIMES = (
    *("2026-02-29T08:00:00Z", "2026-03-02T24:00:00Z", "2026-03-02T08:00:60Z", "2026-03-02T08:00:00+01:00"),
    *("2026-03-02 08:00Z", "2026-13-01T00:00:00Z", "2026-04-31T00:00:00Z", "", "12345678901234567890", "1.5"),
    *("2026-03-02T08:00:00.1234567Z", "2026-03-02T08:00:00.Z", "later", "0000-01-01T00:00:00Z"),
    *("1773820801", "1773820801250"),
)
TERMS = (
    *("<urn:a>", "<http://example.org/ä>", '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a, b"'),
    *('"with \\"quotes\\""@EN', '"\\u00e4"', "_:b0", '""', "<urn:a#,b>", '"€ 5"'),
)
ODD_TERMS = (
    "<relative>",
    "<urn:a b>",
    "<urn:\\u0061>",
    "plain",
    "",
    '"two\nlines"',
    "<urn:a",
    '"a\rb"',
    "<>",
    "<:>",
)


def one_of(chance: random.Random, usual: tuple[str, ...], odd: tuple[str, ...], rate: float) -> str:
    return chance.choice(odd if chance.random() < rate else usual)


def make_row(chance: random.Random, rate: float) -> dict[str, str]:
    row = {name: one_of(chance, TERMS, ODD_TERMS, rate) for name in "so"}
    row["p"] = one_of(chance, TERMS[:2], ODD_TERMS, rate)
    row["start"] = one_of(chance, TIMES, ODD_TIMES, rate)
    row["end"] = row["start"] if chance.random() < 0.8 else one_of(chance, ("", *TIMES), ODD_TIMES, rate)
    row["graph"] = chance.choice(("", "", "", "<urn:g>", "_:g"))
    row["stream"] = chance.choice(("", "", "<urn:s>", "urn:s"[: 0 if chance.random() > rate else 9]))
    return row


def as_csv(chance: random.Random, rows: list[dict[str, str]], rate: float) -> str:
    names = list(COLUMNS[:5] if chance.random() < 0.5 else COLUMNS)
    chance.shuffle(names)
    out = io.StringIO()
    quoting = chance.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.DictWriter(
        out, names, extrasaction="ignore", quoting=quoting, lineterminator=chance.choice(("\n", "\r\n"))
    )
    writer.writeheader()
    for row in rows:
        writer.writerow(row)
        if chance.random() < rate:
            odd = ("\n", "a,b\n", 'x"y,1,2,3,4\n', '"a"b,1,2,3,4\n', ",,,,\n", " \n", '"\n', "\0,,,,\n")
            out.write(chance.choice(odd))
    return out.getvalue()


def as_ndjson(chance: random.Random, rows: list[dict[str, str]], rate: float) -> str:
    lines = []
    for row in rows:
        items: list[tuple[str, Any]] = [
            (name, value) for name, value in row.items() if value or name in "spo"
        ]
        chance.shuffle(items)
        if row["start"].isdigit():
            items = [(name, int(value) if name == "start" else value) for name, value in items]
        if chance.random() < 0.2:
            items.append(("graph", None) if row["graph"] == "" else ("note", [1]))
        lines.append(json.dumps(dict(items), ensure_ascii=chance.random() < 0.5))
        if chance.random() < rate:
            odd = (
                "",
                " ",
                "{}",
                "[1]",
                '{"start": 01}',
                '{"start": 1.5, "s": "<urn:a>"}',
                "{",
                lines[-1] + "x",
            )
            lines.append(chance.choice(odd))
        elif chance.random() < rate:
            lines.append(lines[-1].replace('"s":', '"s" : "<urn:b>", "s":\t', 1))
    return "\n".join(lines) + ("\n" if chance.random() < 0.8 else "")


def read(path: Path, *, skips: bool) -> tuple[list[Any], list[Any]]:
    rows: list[Any] = []
    errors: list[Any] = []
    on_bad: Callable[..., None] | None = (lambda *bad: errors.append(told(*bad))) if skips else None
    try:
        for batch in open_stream(path, batch_rows=7, on_bad=on_bad):
            rows += rows_of(batch)
    except DataError as error:
        errors.append(told(error))
    return rows, errors


def told(error: DataError, record: str | None = None) -> tuple[Any, ...]:
    return error.code, error.message, error.place, error.hint, record


def rows_of(batch: Batch) -> Iterator[tuple[Any, ...]]:
    names = [[None] * len(batch) if each is None else each for each in (batch.stream, batch.graph)]
    columns = (batch.start, batch.end, batch.s, batch.p, batch.o, *names, batch.sources, batch.rows)
    return zip(*columns, strict=True)


@pytest.mark.parametrize("skips", [False, True])
@pytest.mark.parametrize(("form", "write"), [("csv", as_csv), ("ndjson", as_ndjson)])
def test_native_and_python_read_the_same(
    form: str, write: Callable[..., str], skips: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert text_library() is not None
    for seed in range(150):
        chance = random.Random(seed)
        rate = chance.choice((0, 0.01, 0.1))
        text = write(chance, [make_row(chance, rate) for _ in range(chance.randrange(40))], rate)
        path = tmp_path / f"rows-{seed}.{form}"
        path.write_text(text, encoding="utf-8", newline="")
        natively = read(path, skips=skips)
        with monkeypatch.context() as patch:
            patch.setattr(plain_lines, "text_library", lambda: None)
            assert natively == read(path, skips=skips), seed


def read_body(text: str, form: str, texts: TermTexts | None) -> tuple[list[Any], list[Any]]:
    rows: list[Any] = []
    try:
        for batch in open_bytes(text.encode(), form, name="the body", texts=texts):
            rows += rows_of(batch)
    except DataError as error:
        return rows, [told(error)]
    return rows, []


def test_bodies_that_share_their_texts_are_read_as_each_alone() -> None:
    shared = TermTexts()
    for seed in range(300):
        chance = random.Random(seed)
        rate = chance.choice((0, 0, 0.01, 0.1))
        form, write = chance.choice((("csv", as_csv), ("ndjson", as_ndjson)))
        text = write(chance, [make_row(chance, rate) for _ in range(chance.randrange(40))], rate)
        assert read_body(text, form, shared) == read_body(text, form, None), seed


@pytest.mark.parametrize("time", [TIMES[0], "7"])
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_usual_rows_are_read_natively(
    form: str, time: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    row = {"start": time, "s": "<urn:a>", "p": "<urn:p>", "o": '"a, \\"b\\""', "end": "", "stream": ""}
    rows = [{**row, "graph": ""} for _ in range(20)]
    path = tmp_path / f"rows.{form}"
    path.write_text(as_csv(chance, rows, 0) if form == "csv" else json_lines(rows), encoding="utf-8")

    def refuse(*_arguments: object) -> None:
        raise AssertionError("a row was read in Python")

    monkeypatch.setattr("etalis_py.streams.columns.RowReader.read", refuse)
    assert len(read(path, skips=False)[0]) == 20


def json_lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_words_are_forgotten_where_they_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("etalis_py.texts.words._MOST_WORDS", 10)
    path = tmp_path / "rows.ndjson"
    rows = [
        {"start": 1_000_000 * n, "s": f"<urn:{n % 30}>", "p": "<urn:p>", "o": f'"{n}"'} for n in range(200)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found, errors = read(path, skips=False)
    assert errors == []
    assert [row[2] for row in found] == [f"urn:{n % 30}" for n in range(200)]
    assert [row[4][0] for row in found] == [str(n) for n in range(200)]
