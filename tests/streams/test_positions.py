"""A stream is left in the middle, and another reader goes on there: the same rows, each once."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.errors import DataError, UsageError
from etalis_py.streams import open_streams
from etalis_py.streams.positions import Track

COUNT = 137
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
DATE = "<http://www.w3.org/2001/XMLSchema#dateTime>"
Row = tuple[Any, ...]


def times(number: int) -> list[int]:
    """In order, but for some that are late."""
    chance = random.Random(number)
    return [*sorted(chance.randrange(60) for _ in range(COUNT - 4)), 70, 3, 71, 71]


def write(folder: Path, kind: str, number: int = 0) -> str:
    path = folder / f"s{number}.{kind}"
    rows = [(time, f"<urn:s{n}>", "<urn:p>", f'"{n}"') for n, time in enumerate(times(number))]
    match kind:
        case "csv":
            lines = [f'{time},{s},{p},"""{n}""","a\n{n}"' for n, (time, s, p, _) in enumerate(rows)]
            path.write_text("\ufeffstart,s,p,o,note\r\n" + "\r\n".join(lines) + "\r\n", newline="")
        case "ndjson" | "ndjson.gz":
            text = "\n".join(
                json.dumps(dict(zip(("start", "s", "p", "o"), row, strict=True))) for row in rows
            )
            data = (text.replace("\n", "\n\n", 3) + "\n").encode()
            path.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
        case "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            columns = dict(zip(("start", "s", "p", "o"), map(list, zip(*rows, strict=True)), strict=True))
            pq.write_table(pa.table({**columns, "o": ['"x"'] * COUNT}), path)
        case "nq" | "trig":
            nodes = ["_:b" if kind == "nq" or n % 3 else "[]" for n in range(COUNT)]
            triples = [(n, f"{s} {p} {nodes[n]}") for n, (_, s, p, _) in enumerate(rows)]
            form = "<urn:g{0}> {{ {1} }}\n" if kind == "trig" else "{1} <urn:g{0}> .\n"
            told = [
                f'<urn:g{n}> {TIME} "1970-01-01T00:00:{time % 60:02}Z"^^{DATE} .\n'
                for n, (time, *_) in enumerate(rows)
            ]
            path.write_text("".join(form.format(n, triple) for n, triple in triples) + "".join(told))
    return str(path)


def read(paths: list[str], positions: list[Any] | None = None, batches: int | None = None, size: int = 10):
    """Rows of so many batches, or all; and the positions after them. The last batch is not confirmed."""
    tracks = [Track(each) for each in positions or [None] * len(paths)]
    found: list[Row] = []
    for batch in open_streams(paths, batch_rows=size, tracks=tracks):
        if batches == 0:
            break
        batches = batches and batches - 1
        found += zip(
            batch.start, batch.s, batch.o, batch.rows, batch.graph or [None] * len(batch), strict=True
        )
        for track in tracks:
            track.confirm()
    # as they are kept
    return found, json.loads(json.dumps([track.position() for track in tracks]))


def text_of(path: Path) -> str:
    """Its text, with line ends as they are."""
    return path.read_bytes().decode()


def put(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


KINDS = ["csv", "ndjson", "ndjson.gz", "parquet", "nq", "trig"]


@pytest.mark.parametrize("kinds", [*([kind] for kind in KINDS), KINDS[:3], ["parquet", "csv"], ["csv"] * 3])
def test_each_row_comes_once(tmp_path: Path, kinds: list[str]) -> None:
    paths = [write(tmp_path, kind, number) for number, kind in enumerate(kinds)]
    whole, _ = read(paths, size=10_000)
    assert len(whole) == COUNT * len(kinds)
    chance = random.Random(7)
    for _ in range(6):
        found: list[Row] = []
        positions: list[Any] | None = None
        while True:
            # batches are cut anew in each run
            more, positions = read(paths, positions, chance.randrange(4), chance.choice([1, 7, 10, 64]))
            found += more
            if len(found) >= len(whole):
                break
        assert found == whole
        assert read(paths, positions)[0] == []


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_bytes_before_the_mark_are_not_parsed_again(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind)
    _, positions = read([path], batches=5, size=10)
    mark = positions[0]["mark"]
    rows = positions[0]["rows"]
    assert mark["rows"] == rows
    data = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf")
    assert f"urn:s{rows - 1}>".encode() in data[: mark["offset"]]
    assert f"urn:s{rows}>".encode() in data[mark["offset"] :]


@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_a_stream_that_has_grown(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path, kind)
    whole, positions = read([path])
    assert len(whole) == COUNT
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), path)
    else:
        with Path(path).open("a", newline="") as file:
            file.write(
                '80,<urn:s>,<urn:p>,<urn:o>,\r\n' if kind == "csv"
                else '{"start": 80, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}\n'
            )  # fmt: skip
    more, _ = read([path], positions)
    assert [row[3] for row in more] == [COUNT + 1]


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_last_line_without_its_end(tmp_path: Path, kind: str) -> None:
    path = Path(write(tmp_path, kind))
    put(path, text_of(path).rstrip())
    whole, positions = read([str(path)])
    assert len(whole) == COUNT
    assert read([str(path)], positions)[0] == []
    kept = text_of(path)
    row = (
        "80,<urn:s>,<urn:p>,<urn:o>,"
        if kind == "csv"
        else '{"start": 80, "s": "<urn:s>", "p": "<urn:p>", "o": "_:b"}'
    )
    put(path, f"{kept}\n{row}")
    more, again = read([str(path)], positions)
    assert [row[0] for row in more] == [80]
    put(path, f"{kept}\n{row}\n{row}\n")
    assert [row[3] for row in read([str(path)], again)[0]] == [COUNT + 2]
    put(path, f"{kept} {row}\n")
    assert "has grown" in refused(str(path), positions)


def refused(path: str, positions: list[Any]) -> str:
    with pytest.raises(UsageError) as raised:
        read([path], positions)
    assert raised.value.code == "EP579"
    return raised.value.message


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_that_is_another_one(tmp_path: Path, kind: str) -> None:
    path = Path(write(tmp_path, kind))
    _, positions = read([str(path)], batches=3, size=20)
    other = write(tmp_path, kind, 1)
    assert "have changed" in refused(other, positions)


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_what_was_not_taken_may_change(tmp_path: Path, kind: str) -> None:
    path = Path(write(tmp_path, kind))
    whole, positions = read([str(path)], batches=5, size=10)
    text = text_of(path)
    put(path, text[: text.rindex("urn:s60")] + "broken\n")
    with pytest.raises(DataError):
        read([str(path)], positions)
    put(path, text)
    assert len(read([str(path)], positions)[0]) == COUNT - len(whole)


@pytest.mark.parametrize("kind", ["csv", "ndjson"])
def test_a_change_after_the_mark_is_seen(tmp_path: Path, kind: str) -> None:
    """Of two streams that are merged, a batch of one is taken in part."""
    paths = [write(tmp_path, kind, number) for number in (0, 1)]
    _, positions = read(paths, batches=2, size=50)
    number = next(n for n in (0, 1) if positions[n]["rows"] > positions[n]["mark"]["rows"])
    path = Path(paths[number])
    name = f"urn:s{positions[number]['rows'] - 1}>"
    put(path, text_of(path).replace(name, "urn:other>"))
    with pytest.raises(UsageError, match="rows have changed"):
        read(paths, positions)


@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_that_is_shorter(tmp_path: Path, kind: str) -> None:
    path = Path(write(tmp_path, kind))
    _, positions = read([str(path)])
    match kind:
        case "parquet":
            import pyarrow.parquet as pq

            pq.write_table(pq.read_table(path).slice(0, 50), path)
        case "ndjson.gz":
            path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:3000].rpartition(b"\n")[0]))
        case "csv" | "ndjson":
            put(path, text_of(path)[:3000].rpartition("\n")[0])
        case _:
            lines = [line for line in text_of(path).splitlines() if "urn:g13>" not in line]
            put(path, "\n".join(line for line in lines if "urn:g136>" not in line))
    assert any(word in refused(str(path), positions) for word in ("were read", "other ones"))
