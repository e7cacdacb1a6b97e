"""Records of NDJSON that are read natively for a mapping: the same events and errors as in Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import DataError
from etalis_py.streams import lines as lines_of_files
from etalis_py.streams import open_stream, plain_lines
from etalis_py.streams.mapping.yarrrml import read_mapping
from etalis_py.texts.library import text_library

REFERENCES = ("id", "at.x", "at.y", "tags[0]", "tags[1].k", "deep.a.b", "a.b", "['c d']", "n")
TEXTS = ("a", "", "ü€😀", "<urn:a>", 'say "x"', "\\", "1", "null", "a/b")
ODD_VALUES = ("two\nlines", "\x01", "\x01true", "\ud800", [], {}, [1, "a"], {"x": 1})
NUMBERS = (0, -0.0, 1, -7, 1.0, 1.5, 1e300, 12345678901234567890, True, False, None, 0.1)
ODD_LINES = (
    *(
        "",
        "  ",
        "[1]",
        "{",
        '{"id": 01}',
        '{"id": 1.}',
        '{"id": tru}',
        '{"id": NaN}',
        '{"id": -Infinity}',
        "{}",
    ),
    *(
        '{"id": "\x02"}',
        '{"id": "\\x"}',
        '{"id": 1,}',
        '{"id" 1}',
        '{"id": 1} x',
        '{"at": {"x": 1}, "at": {}}',
    ),
    *(
        '{"id": "a", "id": "b"}',
        '{"at": [1]}',
        '{"tags": "text"}',
        '{"tags": {"0": 1}}',
        '{"a.b": 3, "a": {"b": 4}}',
    ),
    *('{"n": ' + "1" * 500 + "}", '{"n": 1e999}', '{"n": 1E+2}', '{"x": ' + "[" * 150 + "]" * 150 + "}"),
    *('{"deep": {"a": null}}', '{"deep": 5, "at": true}', '{"id": {"a": 1}}', '{"c d": 1, "[\'c d\']": 2}'),
)


def mapping(chance: random.Random) -> str:
    names = chance.sample(REFERENCES, 4)
    objects = [f'[ex:p{place}, "$({name})"]' for place, name in enumerate(names[1:])]
    time = chance.choice(("$(t)", "{start: $(t), unit: s}", "{start: $(t), end: $(e.t)}", '"$(t)"'))
    subject = f'"ex:$({names[0]})"' if chance.random() < 0.5 else "ex:all"
    return (
        "prefixes: {ex: 'urn:ex:'}\nmappings:\n  m:\n"
        f"    s: {subject}\n    po: [{', '.join(objects)}]\n    time: {time}\n"
    )


def value(chance: random.Random, time: int) -> Any:
    if not time:  # the first has all
        return "first"
    if chance.random() < 0.01:
        return chance.choice(ODD_VALUES)
    return chance.choice(TEXTS if chance.random() < 0.5 else NUMBERS)


def make_line(chance: random.Random, rate: float, time: int) -> str:
    if chance.random() < rate:
        return chance.choice(ODD_LINES)
    moments: tuple[Any, ...] = (f"2026-03-02T08:00:{time % 60:02}Z", time, str(time))
    row: dict[str, Any] = {
        "t": moments[0] if chance.random() < 0.98 else chance.choice((*moments, None, 1.5, "", True)),
        "id": value(chance, time),
        "at": {"x": value(chance, time), "y": value(chance, time), "z": [{"x": [1, 2.5e-3]}]},
        "tags": [value(chance, time), {"k": value(chance, time)}, None],
        "deep": {"a": {"b": value(chance, time), "c": {}}},
        "a": {"b": value(chance, time)},
        "c d": value(chance, time),
        "n": value(chance, time),
        "e": {"t": chance.choice((moments[0], moments[0], None, ""))},
        "other": {"id": [[], {}, "}", {"a": "]"}]},
    }
    items = [(name, each) for name, each in row.items() if name == "t" or not time or chance.random() < 0.9]
    chance.shuffle(items)
    separators = chance.choice(((",", ":"), (", ", ": "), (" ,\t", " : ")))
    text = json.dumps(dict(items), ensure_ascii=chance.random() < 0.5, separators=separators)
    return text.encode(errors="replace").decode()


def read(path: Path, how: str, *, skips: bool) -> tuple[list[Any], list[Any]]:
    rows: list[Any] = []
    errors: list[Any] = []

    def told(error: DataError, record: str | None = None) -> None:
        errors.append((error.code, error.message, error.place, error.hint, record))

    on_bad: Callable[..., None] | None = told if skips else None
    try:
        for batch in open_stream(path, mapping=read_mapping("m.yml", how), batch_rows=7, on_bad=on_bad):
            columns = (batch.start, batch.end, batch.s, batch.p, batch.o, batch.rows)
            rows += map(repr, zip(*columns, strict=True))
    except DataError as error:
        told(error)
    return rows, errors


@pytest.mark.parametrize("skips", [False, True])
def test_native_and_python_read_the_same(
    skips: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert text_library() is not None
    monkeypatch.setattr(lines_of_files, "CHUNK", 1_000)  # after an odd line Python reads on to the end of one
    found = 0
    for seed in range(300):
        chance = random.Random(seed)
        rate = chance.choice((0, 0, 0.02, 0.2))
        how = mapping(chance)
        lines = [make_line(chance, rate, time) for time in range(chance.randrange(40))]
        path = tmp_path / f"rows-{seed}.jsonl"
        end = chance.choice(("\n", "\r\n"))
        path.write_text(end.join(lines) + chance.choice((end, "")), encoding="utf-8", newline="")
        natively = read(path, how, skips=skips), [each.message for each in caplog.records]
        caplog.clear()
        with monkeypatch.context() as patch:
            patch.setattr(plain_lines, "text_library", lambda: None)
            assert natively == (read(path, how, skips=skips), [each.message for each in caplog.records]), seed
        caplog.clear()
        found += len(natively[0][0])
    assert found > (5_000 if skips else 1_000)


def test_usual_records_are_read_natively(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {
            "t": f"2026-03-02T08:00:{n:02}Z",
            "id": f"s{n % 3}",
            "at": {"x": n / 2, "far": None},
            "tags": [True, n],
        }
        for n in range(60)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    how = (
        "prefixes: {ex: 'urn:ex:'}\n"
        "mappings: {m: {s: ex:$(id), po: [[ex:x, $(at.x)], [ex:n, '$(tags[1])']], time: $(t)}}\n"
    )

    def refuse(*_arguments: object, **_named: object) -> None:
        raise AssertionError("a record was read in Python")

    monkeypatch.setattr("etalis_py.streams.mapping.json_records._read_lines", refuse)
    events, errors = read(path, how, skips=False)
    assert errors == []
    assert len(events) == 120
    assert "(0.5, 'http://www.w3.org/2001/XMLSchema#double')" in events[2]
