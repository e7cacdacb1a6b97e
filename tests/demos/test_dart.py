"""Reading recordings, and cleaning them."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import MISSING_MM, buoy_of, read_recording

ROWS = """\
2011 03 11 05 48 45 3 5662.347
2011 03 11 05 49 00 2 5662.463
2011 03 11 05 49 00 3 5662.366
2011 03 11 06 00 00 1 9999.000
2011 03 11 06 00 00 2 5662.100
2011 03 11 06 15 00 1 5662.200
2011 03 11 06 15 00 3 9999.000
"""
HEADER = "#YY  MM DD hh mm ss T   HEIGHT\n#yr  mo dy hr mn  s -        m\n"


def write(folder: Path, text: str, name: str = "21418.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_rows_are_read_exactly(tmp_path: Path) -> None:
    recording = read_recording(write(tmp_path, HEADER + ROWS))
    assert recording.buoy == "21418"
    assert recording.second[:2].tolist() == [1299822525, 1299822540]  # 2011-03-11T05:48:45Z
    assert recording.kind.tolist() == [3, 2, 3, 1, 2, 1, 3]
    assert recording.height_mm.tolist() == [
        5662347, 5662463, 5662366, MISSING_MM, 5662100, 5662200, MISSING_MM,
    ]  # fmt: skip


def test_the_finer_reading_of_an_instant_wins_unless_it_is_missing(tmp_path: Path) -> None:
    readings = clean([read_recording(write(tmp_path, HEADER + ROWS))])
    assert readings.height_mm.tolist() == [5662347, 5662366, 5662100, 5662200]
    assert (readings.missing, readings.repeated) == (2, 1)


def test_the_order_of_the_rows_does_not_matter(tmp_path: Path) -> None:
    rows = (ROWS + "2011 03 11 06 15 00 1 5662.199\n").splitlines(keepends=True)
    one = clean([read_recording(write(tmp_path, HEADER + "".join(rows)))])
    other = clean([read_recording(write(tmp_path, HEADER + "".join(reversed(rows))))])
    np.testing.assert_array_equal(one.height_mm, other.height_mm)
    np.testing.assert_array_equal(one.second, other.second)
    assert one.height_mm[-1] == 5662199  # of two of one kind, the lowest


def test_files_of_one_buoy_are_joined(tmp_path: Path) -> None:
    first, second = ROWS.splitlines(keepends=True)[:3], ROWS.splitlines(keepends=True)[2:]
    files = [
        write(tmp_path, HEADER + "".join(rows), f"21418t{year}.txt")
        for rows, year in ((second, 2012), (first, 2011))
    ]
    assert clean([read_recording(path) for path in files]).height_mm.tolist() == [
        5662347, 5662366, 5662100, 5662200,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        HEADER.replace("\n", "\r\n") + ROWS.replace("\n", "\r\n"),
        HEADER + ROWS.rstrip("\n"),
        "\ufeff" + HEADER + ROWS,
        "# a remark\n" + HEADER + ROWS + "\n\n",
        HEADER + ROWS + HEADER,
        "YYYY MM DD hh mm ss T HEIGHT\n" + ROWS,
    ],
    ids=["CRLF", "no line end", "BOM", "remark", "joined files", "old header"],
)
def test_harmless_forms(tmp_path: Path, text: str) -> None:
    assert len(read_recording(write(tmp_path, text)).second) == 7


def test_gzipped(tmp_path: Path) -> None:
    path = tmp_path / "21418t2011.txt.gz"
    path.write_bytes(gzip.compress((HEADER + ROWS).encode()))
    assert read_recording(path).buoy == "21418"
    assert len(read_recording(path).second) == 7


@pytest.mark.parametrize(
    ("name", "buoy"),
    [
        ("21418.txt", "21418"),
        ("dart_21413-2011.dart", "21413"),
        ("32d12t2009.txt", "32d12"),
        ("a b.txt", "a_b"),
    ],
)
def test_the_buoy_is_in_the_name(name: str, buoy: str) -> None:
    assert buoy_of(Path(name)) == buoy
