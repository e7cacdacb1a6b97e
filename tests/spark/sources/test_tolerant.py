"""What is put aside is what is wrong, and what is left is as if it had never been there."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from etalis_py.spark_udfs.sources.files import file_batches
from etalis_py.spark_udfs.sources.listing import list_files
from etalis_py.spark_udfs.sources.options import ReadOptions
from tests.spark.sources.conftest import Row, rows, up_to_error

TIME = "http://www.w3.org/ns/prov#generatedAtTime"
DATETIME = "http://www.w3.org/2001/XMLSchema#dateTime"
GOOD = st.tuples(st.integers(0, 99), st.sampled_from(["<urn:o>", '"a, b"', '"line\\nend"@en']))
BAD = st.sampled_from(["time", "term", "shape", "bytes"])
RECORDS = st.lists(st.one_of(GOOD, BAD), min_size=1, max_size=12)


def read(folder: Path, name: str, aside: bool = True) -> tuple[list[Row], list[dict[str, object]]]:
    """The rows of a file, and what was put aside of it."""
    bad = folder / "bad"
    options = ReadOptions((), aside=str(bad) if aside else None)
    (file,) = list_files([str(folder / name)], None)
    found = rows(file_batches(file, options))
    told = [json.loads(line) for each in bad.glob("*") for line in each.read_text().splitlines()]
    for each in bad.glob("*"):
        each.unlink()
    return found, told


def csv_row(record: tuple[int, str] | str, multiline: bool) -> bytes:
    if record == "shape":
        return b"1,<urn:s>,<urn:p>\n"
    if record == "bytes":
        record = "term"  # a byte that is not UTF-8 breaks off a CSV
    start, o = ("soon", "<urn:o>") if record == "time" else (1, "urn:o") if record == "term" else record
    o = o.replace("\\n", "\r\n") if multiline and record == "term" else o
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([start, "<urn:s>", "<urn:p>", o])
    return line.getvalue().encode()


def json_row(record: tuple[int, str] | str, _: bool) -> bytes:
    if record == "shape":
        return b'{"start": 1, "s": "<urn:s>", "p": "<urn:p>"\n'
    if record == "bytes":
        return b'{"start": 1, "s": "<urn:\xff>", "p": "<urn:p>", "o": "<urn:o>"}\n'
    start, o = ("soon", "<urn:o>") if record == "time" else (1, "urn:o") if record == "term" else record
    return json.dumps({"start": start, "s": "<urn:s>", "p": "<urn:p>", "o": o}).encode() + b"\n"


@pytest.mark.parametrize(
    ("name", "header", "write"), [("a.csv", b"start,s,p,o\n", csv_row), ("a.ndjson", b"", json_row)]
)
@given(records=RECORDS, multiline=st.booleans())
def test_rows(tmp_path_factory, name: str, header: bytes, write, records, multiline: bool) -> None:
    folder = tmp_path_factory.mktemp("rows")
    lines = [write(record, multiline) for record in records]
    (folder / name).write_bytes(header + b"".join(lines))
    found, told = read(folder, name)
    good = [line for line, record in zip(lines, records, strict=True) if not isinstance(record, str)]
    assert [row[0] for row in found] == [record[0] for record in records if not isinstance(record, str)]
    assert len(told) == len(lines) - len(good)
    if good:
        (folder / name).write_bytes(header + b"".join(good))
        assert found == read(folder, name, aside=False)[0]
    ends = [header.count(b"\n") + number for number in range(1, len(lines) + 1)]
    expected = [end for end, record in zip(ends, records, strict=True) if isinstance(record, str)]
    assert sorted(each["line"] for each in told) == expected


@given(records=RECORDS)
def test_quads(tmp_path_factory, records) -> None:
    folder = tmp_path_factory.mktemp("quads")
    lines, good, bad = [], [], 0
    for number, record in enumerate(records):
        start, o = (number, "<urn:o>") if isinstance(record, str) else record
        time = f"1970-01-01T00:01:{start % 60:02}Z" if record != "time" else "soon"
        told = f'<urn:g{number}> <{TIME}> "{time}"^^<{DATETIME}> .\n'.encode()
        quad = f"<urn:s{number}> <urn:p> {o} <urn:g{number}> .\n".encode()
        if record in ("term", "shape", "bytes"):
            wrong = {"term": b"<urn:s> <urn:p> <o> <urn:g%d> .\n", "shape": b"<urn:s> <urn:g%d> .\n"}
            quad += wrong.get(record, b"<urn:\xff> <urn:p> <urn:o> <urn:g%d> .\n") % number
        bad += isinstance(record, str)
        lines += [told, quad]
        if record != "time":
            good.append(f"<urn:s{number}>")
    Random(len(lines)).shuffle(lines)
    (folder / "a.nq").write_bytes(b"".join(lines))
    found, told_of = read(folder, "a.nq")
    assert sorted(row[2] for row in found) == sorted(good)
    assert len(told_of) == bad
    assert [row[1] for row in found] == sorted(row[1] for row in found)


def test_many_bad_rows(tmp_path: Path) -> None:
    choice = Random(5)
    records = [(number, "<urn:o>") if choice.random() < 0.9 else "term" for number in range(5000)]
    (tmp_path / "a.csv").write_bytes(b"start,s,p,o\n" + b"".join(csv_row(each, False) for each in records))
    found, told = read(tmp_path, "a.csv")
    assert [row[0] for row in found] == [each[0] for each in records if not isinstance(each, str)]
    assert [each["line"] for each in told] == [at + 2 for at, each in enumerate(records) if each == "term"]


def test_rows_that_span_lines_and_the_pieces_of_a_long_file(tmp_path: Path) -> None:
    """A note of several lines in each row, over two megabytes: a file is read one at a time."""
    note = '"' + "x" * 150 + "\n" + "y" * 150 + '\n"'
    lines = [f"{n if n % 97 else 'soon'},<urn:s>,<urn:p>,<urn:o>,{note}\n" for n in range(7000)]
    (tmp_path / "a.csv").write_text("start,s,p,o,note\n" + "".join(lines))
    found, told = read(tmp_path, "a.csv")
    assert [row[0] for row in found] == [n for n in range(7000) if n % 97]
    assert [each["line"] for each in told] == [4 + 3 * n for n in range(0, 7000, 97)]


def test_a_csv_whose_quotes_do_not_close(tmp_path: Path) -> None:
    text = "start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n2,<urn:s>,<urn:p>,x\n3,<urn:s>,<urn:p>,<urn:o>\n"
    (tmp_path / "a.csv").write_text(text + '4,"<urn:s>,<urn:p>,<urn:o>\n5,<urn:s>,<urn:p>,<urn:o>\n')
    found, told = read(tmp_path, "a.csv")
    assert [row[0] for row in found] == [1, 3]
    assert [(each["code"], each["line"]) for each in told] == [("EP407", 3), ("EP405", 5)]
    assert told[1]["record"] is None


def test_parquet(tmp_path: Path) -> None:
    column = ["<urn:a>", "b", "<urn:c>", '"literal"', "<urn:e>"]
    table = pa.table({"start": [1, 2, 3, 4, 5], "s": column, "p": ["<urn:p>"] * 5, "o": ["<urn:o>"] * 5})
    pq.write_table(table, tmp_path / "a.parquet")
    found, told = read(tmp_path, "a.parquet")
    assert [row[0] for row in found] == [1, 3, 5]
    assert [(each["code"], each["row"]) for each in told] == [("EP407", 2), ("EP408", 4)]
    assert json.loads(str(told[0]["record"]))["s"] == "b"
    (tmp_path / "a.parquet").write_bytes(b"PAR1 is not enough")
    found, told = read(tmp_path, "a.parquet")
    assert (found, told[0]["code"]) == ([], "EP415")


def test_graphs_whose_times_are_wrong(tmp_path: Path) -> None:
    def time(graph: str, text: str) -> str:
        return f'<urn:{graph}> <{TIME}> "{text}"^^<{DATETIME}> .\n'

    text = time("good", "1970-01-01T00:00:01Z") + "<urn:good> { <urn:a> <urn:p> <urn:b> }\n"
    text += time("two", "1970-01-01T00:00:01Z") + time("two", "1970-01-01T00:00:02Z")
    text += "<urn:two> { <urn:c> <urn:p> <urn:d> }\n<urn:none> { <urn:e> <urn:p> <urn:f> }\n"
    text += time("empty", "soon")
    (tmp_path / "a.trig").write_text(text)
    found, told = read(tmp_path, "a.trig")
    assert [row[2] for row in found] == ["<urn:a>"]
    assert sorted(str(each["code"]) for each in told) == ["EP409", "EP414", "EP416"]
    records = {each["code"]: each["record"] for each in told}
    assert records["EP414"] == "<urn:c> <urn:p> <urn:d> <urn:two> ."
    assert records["EP409"] is None
    (tmp_path / "a.trig").write_text(text + "<urn:x> {")
    found, told = read(tmp_path, "a.trig")
    assert (found, [each["code"] for each in told]) == ([], ["EP412"])


def test_empty_files_and_times_out_of_range(tmp_path: Path) -> None:
    (tmp_path / "a.nq").write_text("")
    assert read(tmp_path, "a.nq")[1][0]["code"] == "EP402"
    (tmp_path / "a.csv").write_text(
        f"start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n{1 << 63},<urn:s>,<urn:p>,<urn:o>\n"
    )
    found, told = read(tmp_path, "a.csv")
    assert (len(found), told[0]["code"]) == (1, "EP606")


def test_a_time_out_of_range_is_an_error_where_nothing_is_put_aside(tmp_path: Path, golden) -> None:
    (tmp_path / "a.csv").write_text(
        f"start,s,p,o\n1,<urn:s>,<urn:p>,<urn:o>\n{1 << 63},<urn:s>,<urn:p>,<urn:o>\n"
    )
    (file,) = list_files([str(tmp_path)], None)
    found, error = up_to_error(file_batches(file, ReadOptions(())))
    assert len(found) == 1
    golden(error)
