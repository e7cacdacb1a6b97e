"""One broken stream for each error code, and the text a user then sees."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from etalis_py.errors import EtalisError
from etalis_py.streams import open_stream

GOLDEN = Path(__file__).resolve().parents[1] / "errors"
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
    "EP404": ("events.csv", b"start,subject,p,o\n"),
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
    "EP521": ("events.dat", b"?"),
    "EP522": ("events.ttl", b"<urn:s> <urn:p> <urn:o> .\n"),
}


def compare(code: str, error: EtalisError) -> None:
    golden = GOLDEN / f"{code}.txt"
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
        list(open_stream(name))
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
