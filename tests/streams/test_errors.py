"""One broken stream for each error code, and the text a user then sees."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from etalis_py.core.errors import EtalisError
from etalis_py.core.explanations import MESSAGES
from etalis_py.core.times import SCALES, TimeUnit
from etalis_py.streams import open_stream

HEADER = b"start,s,p,o\n"
GOOD = b"1970-01-01T00:00:01Z,<urn:s>,<urn:p>,<urn:o>\n"
TIME = (
    b"<urn:g> <http://www.w3.org/ns/prov#%s> "
    b'"1970-01-01T00:00:0%dZ"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
)
QUAD = b"<urn:s> <urn:p> <urn:o> <urn:g> .\n"

CASES = {
    "EP401": ("events.csv", None),
    "EP402": ("events.csv", b""),
    "EP403": ("events.csv", HEADER + GOOD + b'2,<urn:s>,<urn:p>,"""M\xfcnchen"""\n'),
    "EP404": ("events.csv", b"time,subject,predicate,object\n"),
    "EP405": ("events.csv", HEADER + GOOD + b'2,<urn:s>,<urn:p>,"a, b"@en\n'),
    "EP406": ("events.ndjson", b'{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"},\n'),
    "EP407": ("events.csv", HEADER + GOOD + b"2,<urn:s>,<urn:p>,42\n"),
    "EP408": ("events.csv", HEADER + GOOD + b'2,"""text""",<urn:p>,<urn:o>\n'),
    "EP409": ("events.csv", HEADER + GOOD + b"11.3.2011 05:46,<urn:s>,<urn:p>,<urn:o>\n"),
    "EP410": ("events.csv", b"start,end,s,p,o\n2000000,1000000,<urn:s>,<urn:p>,<urn:o>\n"),
    "EP411": ("events.ndjson", b'{"start": 1, "s": "<urn:s>", "p": "<urn'),
    "EP412": ("events.trig", b"<urn:g> { <urn:s> <urn:p> }\n"),
    "EP414": ("events.nq", QUAD + TIME % (b"generatedAtTime", 1) + TIME % (b"generatedAtTime", 2)),
    "EP415": ("events.parquet", b"start,s,p,o\n"),
    "EP416": ("events.nq", QUAD + TIME % (b"startedAtTime", 1)),
    "EP418": ("events.csv", HEADER + b"1773820801,<urn:s>,<urn:p>,<urn:o>\n"),
    "EP419": ("events.csv", b"start,s,p,o,stream\n1,<urn:s>,<urn:p>,<urn:o>,<urn:dock>\n"),
    "EP521": ("events.dat", b"?"),
    "EP522": ("events.ttl", b"<urn:s> <urn:p> <urn:o> .\n"),
}


def compare(code: str, error: EtalisError) -> None:
    golden = MESSAGES / f"{code}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(f"{error}\n")
    assert f"{error}\n" == golden.read_text()


@pytest.mark.parametrize("code", CASES)
def test_message(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name, content = CASES[code]
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(EtalisError) as caught:
        list(open_stream(name, stream="urn:dock" if code == "EP419" else None))
    compare(code, caught.value)


def test_messages_of_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EtalisError) as caught:
        open_stream("events.csv", at=0)
    compare("EP523", caught.value)
    with pytest.raises(EtalisError) as caught:
        open_stream("-", format="parquet")
    compare("EP524", caught.value)
    with pytest.raises(EtalisError, match=r"EP521.*'ndjsn'"):
        open_stream("-", format="ndjsn")
    with pytest.raises(EtalisError, match=r"EP521.*standard input"):
        open_stream("-")


def test_a_value_in_a_message_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(HEADER + b"1,<urn:s>,<urn:p>,\x1b[2J\x07" + b"x" * 1000 + b"\n")
    with pytest.raises(EtalisError) as caught:
        list(open_stream(tmp_path / "a.csv"))
    assert "\\x1b[2J\\x07" in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("kind", ["folder", "locked", "torn.csv.gz"])
def test_what_cannot_be_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / (kind if "." in kind else "a.csv")
    if kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\x1f\x8b\x08\x00torn" if kind.endswith("gz") else HEADER)
    if kind == "locked":
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("this user may read everything")
    with pytest.raises(EtalisError, match="EP401"):
        list(open_stream(path))


def test_a_parquet_file_with_a_wrong_type_or_torn(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {"s": ["<urn:s>"], "p": ["<urn:p>"], "o": ["<urn:o>"]}
    pq.write_table(pa.table({"start": [1.5], **columns}), path)
    with pytest.raises(EtalisError, match=r"EP415.*'start' has the type double"):
        list(open_stream(path))
    pq.write_table(pa.table({"start": pa.array([1500], pa.timestamp("ns")), **columns}), path)
    with pytest.raises(EtalisError, match=r"EP409.*finer than a microsecond"):
        list(open_stream(path))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(EtalisError, match="EP415"):
        list(open_stream(path))


def test_a_header_without_rows_is_no_error(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.csv").write_bytes(HEADER)
    assert list(open_stream(tmp_path / "a.csv")) == []
    assert "there is no event in it" in caplog.text


def said_of(path: Path, content: str) -> str:
    path.write_text(content)
    with pytest.raises(EtalisError) as caught:
        list(open_stream(path))
    return str(caught.value)


TERMS = "<urn:s>,<urn:p>,<urn:o>"
JSON_TERMS = '"p": "<urn:p>", "o": "<urn:o>"'


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "start;s;p;o\n1;<urn:s>;<urn:p>;<urn:o>\n", "the columns are separated by semicolons"),
        ("a.csv", "start\ts\tp\to\n", "the columns are separated by tabs"),
        ("a.csv", "Timestamp,s,p,value\n", "rename 'Timestamp' to 'start', 'value' to 'o'?"),
        ("a.csv", "a,b,c\n", "the columns are 'a', 'b', 'c'; needed are start, s, p, o"),
        ("a.ndjson", f'{{"time": 1, "subject": "<urn:s>", {JSON_TERMS}}}\n', "rename 'time' to 'start'"),
        ("a.csv", f"start,s,p,o\n1773820801.5,{TERMS}\n", "time_unit='s' reads seconds"),
        ("a.ndjson", f'{{"start": 1773820801.5, "s": "<urn:s>", {JSON_TERMS}}}\n', "time_unit='s'"),
        ("a.csv", f"start,s,p,o\n2026-06-01,{TERMS}\n", "is a date without a time of day"),
        ("a.csv", f"1,{TERMS}\n", "is the first line with the column names missing?"),
        ("a.csv", "start,s,p,o\n1,<urn:s>,<urn:p>,4.5\n", 'doubled: """4.5""^^<'),
        ("a.csv", "start,s,p,o\n1,<urn:s>,<urn:p>,dock\n", 'are doubled: """text"""'),
        ("a.ndjson", '{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": 5}\n', 'write "5"^^<http://www.w3.org/2001'),
        ("a.json", "{}", "one object a line is --stream-format ndjson"),
        ("a.rq", "ASK {}", "this is a query"),
    ],
)  # fmt: skip
def test_what_is_told_of_likely_mistakes(name: str, content: str, told: str, tmp_path: Path) -> None:
    assert told in said_of(tmp_path / name, content)


@pytest.mark.parametrize(("time", "unit"), [(1_773_820_801, "s"), (1_773_820_801_250, "ms")])
def test_numbers_of_another_unit_are_refused_and_read_where_the_unit_is_told(
    time: int, unit: TimeUnit, tmp_path: Path
) -> None:
    row = {"start": [time], "end": [time + 1], "s": ["<urn:s>"], "p": ["<urn:p>"], "o": ["<urn:o>"]}
    pq.write_table(pa.table(row), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text(f"start,end,s,p,o\n{time},{time + 1},{TERMS}\n")
    line = json.dumps({name: values[0] for name, values in row.items()})
    (tmp_path / "a.ndjson").write_text(f"{line}\n")
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(EtalisError) as caught:
            list(open_stream(path))
        assert caught.value.code == "EP418"
        assert str(caught.value.hint).startswith(f"time_unit='{unit}' reads ")
        (batch,) = open_stream(path, time_unit=unit)
        assert (*batch.start, *batch.end) == (time * SCALES[unit], (time + 1) * SCALES[unit])
        (batch,) = open_stream(path, time_unit="us")
        assert list(batch.start) == [time]


@pytest.mark.parametrize(
    ("time", "told", "hint"),
    [
        ("1773820801000", "s", "time_unit='ms' reads milliseconds"),
        ("1773820801000.5", "s", "time_unit='ms' reads milliseconds"),
        ("1773820801000000", "s", "time_unit='us' reads microseconds"),
        ("1773820801000250", "ms", "time_unit='us' reads microseconds"),
        ("1773820801000250000", "ms", "divide them by 1,000; time_unit='us' reads them then"),
    ],
)
def test_numbers_of_a_finer_unit_than_the_user_says(
    time: str, told: TimeUnit, hint: str, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text(f"start,s,p,o\n{time},{TERMS}\n")
    (tmp_path / "a.ndjson").write_text(f'{{"start": {time}, "s": "<urn:s>", {JSON_TERMS}}}\n')
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(EtalisError, match="2026-03-18T08:00:01") as caught:
            list(open_stream(path, time_unit=told))
        assert (caught.value.code, caught.value.hint) == ("EP418", hint)


def test_a_float_of_a_finer_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text(f'{{"start": 1.773820801e18, "s": "<urn:s>", {JSON_TERMS}}}\n')
    with pytest.raises(EtalisError, match=r"EP418 .*nanoseconds since 1970 \(2026-03-18T08:00:01Z"):
        list(open_stream(path, time_unit="s"))


def test_times_far_from_ours_are_read_in_the_unit_that_the_user_says(tmp_path: Path) -> None:
    units: tuple[TimeUnit, ...] = ("s", "ms", "us")
    for unit in units:
        for moment in (0, 5, -62_135_596_800, 253_402_300_799):  # the years 1 to 9999
            time = moment * 1_000_000 // SCALES[unit]
            (tmp_path / "a.csv").write_text(f"start,s,p,o\n{time},{TERMS}\n9999999999999999,{TERMS}\n")
            batch = next(open_stream(tmp_path / "a.csv", time_unit=unit))
            assert batch.start[0] == moment * 1_000_000


def test_decimals_of_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"start,s,p,o\n1773820801.000001,{TERMS}\n2026-03-18T08:00:01.5Z,{TERMS}\n")
    (batch,) = open_stream(path, time_unit="s")
    assert list(batch.start) == [1_773_820_801_000_001, 1_773_820_801_500_000]
    path.write_text(f"start,s,p,o\n1773820801.0000001,{TERMS}\n")
    with pytest.raises(EtalisError, match="is finer than a microsecond"):
        list(open_stream(path, time_unit="s"))
    path = tmp_path / "a.ndjson"
    path.write_text(f'{{"start": 1773820801.000001, "s": "<urn:s>", {JSON_TERMS}}}\n')
    (batch,) = open_stream(path, time_unit="s")
    assert list(batch.start) == [1_773_820_801_000_001]


def test_columns_that_have_a_type_for_times_have_their_unit(tmp_path: Path) -> None:
    units: list[TimeUnit | None] = [None, "s"]
    for unit in ("s", "ms", "us", "ns"):
        start = pa.array([1_773_820_801], pa.timestamp("s")).cast(pa.timestamp(unit))
        terms = {name: [f"<urn:{name}>"] for name in "spo"}
        pq.write_table(pa.table({"start": start, **terms}), tmp_path / "a.parquet")
        for told in units:
            (batch,) = open_stream(tmp_path / "a.parquet", time_unit=told)
            assert list(batch.start) == [1_773_820_801_000_000]


def test_only_a_first_time_that_can_hardly_be_microseconds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for first in (0, 5, 900_000_000, 700_000_000_000, 1_773_820_801_000_000, -1_773_820_801):
        path.write_text(f"start,s,p,o\n{first},{TERMS}\n1773820801000001,{TERMS}\n")
        assert sum(map(len, open_stream(path))) == 2
    assert "divide them by 1,000" in said_of(path, f"start,s,p,o\n1773820801123456789,{TERMS}\n")
