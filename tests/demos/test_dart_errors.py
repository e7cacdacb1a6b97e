"""What is said of recordings that cannot be read: one golden text a code, and where exactly."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.core.explanations import MESSAGES
from etalis_py.demos.tsunami.dart import read_recording
from etalis_py.demos.tsunami.stations import read_stations
from etalis_py.demos.tsunami.towns import read_towns

HEADER = "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n"
ROW = "2011 03 11 05 48 45 3 5662.347\n"


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def error_of(text: str | bytes | None) -> DataError:
    path = Path("21418.txt")
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(DataError) as caught:
        read_recording(path)
    return caught.value


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("EP451", None),
        ("EP452", ""),
        ("EP453", "#YY MM DD hh mm WDIR WSPD GST\n2011 03 11 05 48 270 5.1 6.0\n"),
        ("EP454", HEADER + ROW + "2011 03 11 05 49 00 3 high\n" + ROW),
        ("EP455", HEADER + ROW + "2011 03 11 05 49 00 3 5662."),
        ("EP456", HEADER + ROW + "2011 13 11 05 49 00 3 5662.366\n"),
    ],
)
def test_message(code: str, text: str | None) -> None:
    assert f"{error_of(text)}\n" == (MESSAGES / f"{code}.txt").read_text()


def test_stations_message() -> None:
    Path("stations.tsv").write_text("station\tlat\tlon\n21418\t38.7\t148.7\n21413\t95\t152.1\n")
    with pytest.raises(DataError) as caught:
        read_stations(Path("stations.tsv"))
    assert f"{caught.value}\n" == (MESSAGES / "EP457.txt").read_text()


def test_towns_message() -> None:
    Path("towns.csv").write_text("town,latitude,longitude\nMiyako,39.64,141.96\nHilo,19.7,\n")
    with pytest.raises(DataError) as caught:
        read_towns(Path("towns.csv"))
    assert f"{caught.value}\n" == (MESSAGES / "EP458.txt").read_text()


@pytest.mark.parametrize(
    "text", [None, b"\xff", b"", b"name,latitude,longitude\n", b"town,latitude,longitude\nHilo,91,2\n"]
)
def test_towns_that_cannot_be_read(text: bytes | None) -> None:
    if text is not None:
        Path("towns.csv").write_bytes(text)
    with pytest.raises(DataError, match="EP458"):
        read_towns(Path("towns.csv"))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (" \n\n", "EP452", None),
        (HEADER, "EP452", None),
        (ROW, "EP453", 1),
        ("\x00\x01\x02 binary", "EP453", 1),
        (HEADER + ROW + "2011 03 11 05 49 00 3\n" + ROW, "EP454", 4),
        (HEADER + "2011 03 11 05 49 00 3\n", "EP454", 3),
        (HEADER + ROW + "2011 03 11 05 49 00 3 5662.1 7\n", "EP454", 4),
        (HEADER + ROW + "2011 03 11 05 49.5 00 3 5662.100\n", "EP454", 4),
        (HEADER + ROW + "2011 03 11 05 49 00 3 nan\n", "EP456", 4),
        (HEADER + ROW + "2011 03 11 05 49 00 3 0.000\n", "EP456", 4),
        (HEADER + ROW + "2011 03 11 05 49 00 3 99999.000\n", "EP456", 4),
        (HEADER + ROW + "2011 03 11 05 49 00 4 5662.366\n", "EP456", 4),
        (HEADER + ROW + "2011 02 29 05 49 00 3 5662.366\n", "EP456", 4),
        (HEADER + ROW + "2011 03 11 24 00 00 3 5662.366\n", "EP456", 4),
        (HEADER + ROW + "0011 03 11 05 49 00 3 5662.366\n", "EP456", 4),
        (HEADER + ROW + "2011 03 1", "EP455", 4),
        (HEADER + ROW + "2011 03 11 05 49 00 3 5662.3", "EP455", 4),
    ],
)
def test_the_first_bad_line_is_named(text: str, code: str, line: int | None) -> None:
    error = error_of(text)
    assert error.code == code
    assert error.hint
    assert error.place is not None
    assert (error.place.source, error.place.line) == ("21418.txt", line)


@pytest.mark.parametrize("name", ["a folder.txt", "broken.txt.gz"])
def test_unreadable(name: str) -> None:
    Path("a folder.txt").mkdir()
    Path("broken.txt.gz").write_bytes(b"\x1f\x8b\x08no gzip at all")
    with pytest.raises(DataError, match="EP451"):
        read_recording(Path(name))
