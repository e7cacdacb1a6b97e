"""Read recordings of DART buoys in the text form of the National Data Buoy Center (NDBC).

A recording is a header and one reading a line::

    #YY  MM DD hh mm ss T   HEIGHT
    #yr  mo dy hr mn  s -        m
    2011 03 11 05 48 45 3 5662.347

Times are UTC, ``HEIGHT`` is the water column above the sensor in metres with three decimals, ``9999.000``
says "missing", and ``T`` is the kind of reading: 1 every 15 minutes, 2 every minute, 3 every 15 seconds.
Files come newest first or oldest first, plain or gzipped. Definition: NDBC, "Measurement Descriptions and
Units", section "DART (Tsunameter)". Does not drop or sort anything: that is ``clean``.
"""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from etalis_py.core.errors import DataError, Place
from etalis_py.demos.tsunami.dart_errors import first_bad_row, header_error, truncated_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MISSING_MM", "SIMULATED", "Recording", "buoy_of", "read_recording", "recording_of"]

MISSING_MM = 9_999_000
"""What a recording says where it has no height (``9999.000`` m), in millimetres."""

DEEPEST_MM = 11_000_000
"""No water column is higher: the deepest place of the oceans, in millimetres."""

SIMULATED = "# SIMULATED"
"""How a recording begins that was never measured."""

_COLUMNS = 8
_HEADER = re.compile(
    r"#?\s*(?:YY|YYYY|yr)\s+(?:MM|mo)\s+(?:DD|dy)\s+(?:hh|hr)\s+(?:mm|mn)\s+(?:ss?)\s+(?:T|-)\s+(?:HEIGHT|m)\b",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """The rows of one file, in the file's order; three arrays of one length.

    ``second`` counts from 1970-01-01T00:00:00Z, ``kind`` is NDBC's T (3 is the finest), ``height_mm`` is in
    millimetres and ``MISSING_MM`` where the buoy gave none. ``simulated`` files say so in their first line.
    """

    buoy: str
    second: NDArray[np.int64]
    kind: NDArray[np.int64]
    height_mm: NDArray[np.int64]
    simulated: bool = False


def buoy_of(path: Path) -> str:
    """The buoy a file is named for: ``21418.txt``, ``21418t2011.txt.gz`` and ``dart-21418.dart`` are 21418.

    >>> buoy_of(Path("data/21418t2011.txt.gz"))
    '21418'
    >>> buoy_of(Path("32d12.dart"))
    '32d12'
    >>> buoy_of(Path("my-buoy.txt"))
    'my-buoy'
    """
    stem = path.name.split(".")[0]
    station = re.search(r"(?<![0-9A-Za-z])(\d\d[0-9a-z]\d\d)(?=t\d{4}|[^0-9A-Za-z]|$)", stem)
    return station.group(1) if station else re.sub(r"[^0-9A-Za-z_-]", "_", stem) or "unnamed"


def read_recording(path: Path) -> Recording:
    """Read one file.

    Raises ``DataError``: EP451 (unreadable), EP452 (no readings), EP453 (another header), EP454 (a row that
    is not a reading), EP455 (the file stops in the middle of a row), EP456 (a value no buoy can have).
    """
    return recording_of(_bytes(path), path)


def recording_of(data: bytes, path: Path) -> Recording:
    """As `read_recording`, of what is in the file ``path``."""
    if not data.strip():
        raise DataError(
            "EP452",
            "the recording is empty",
            place=Place(str(path)),
            hint="fetch the file again from the buoy's page",
        )
    skip = _header_rows(data, path)
    last = truncated_row(data, str(path))
    if last is not None:
        raise last
    if not any(line.strip() and not line.startswith(b"#") for line in islice(BytesIO(data), skip, None)):
        raise DataError(
            "EP452", "the recording has a header and no readings", place=Place(str(path)),
            hint="fetch the file again from the buoy's page",
        )  # fmt: skip
    try:
        table = np.loadtxt(
            BytesIO(data), dtype=np.float64, comments="#", skiprows=skip, ndmin=2, encoding="latin-1"
        )
    except ValueError as error:
        raise first_bad_row(data, skip, str(path)) from error
    if table.shape[1] != _COLUMNS or not _plausible(table):
        raise first_bad_row(data, skip, str(path))
    return Recording(
        buoy_of(path), _seconds(table), table[:, 6].astype(np.int64), _millimetres(table[:, 7]),
        simulated=data.startswith(SIMULATED.encode()),
    )  # fmt: skip


def _bytes(path: Path) -> bytes:
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as file:
                return file.read()
        return path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError(
            "EP451", f"the recording cannot be read: {reason}", place=Place(str(path)),
            hint="give the path of an NDBC DART file (.txt, .dart, also gzipped as .gz)",
        ) from error  # fmt: skip


def _header_rows(data: bytes, path: Path) -> int:
    """How many lines to skip: up to the header; a form of before 2007 has it without ``#``."""
    first: tuple[str, int] | None = None
    for number, line in enumerate(BytesIO(data), start=1):
        text = line.decode("utf-8-sig", errors="replace").strip()
        if _HEADER.match(text):
            return number
        first = first or ((text, number) if text else None)
        if text and not text.startswith("#"):
            break
    raise header_error(*(first or ("", 1)), str(path))


def _seconds(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """Seconds since the epoch, UTC, of the rows' first six columns."""
    year, month, day, hour, minute, second = table[:, :6].astype(np.int64).T
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    return np.asarray(days * 86_400 + hour * 3_600 + minute * 60 + second, dtype=np.int64)


def _millimetres(metres: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(metres * 1000).astype(np.int64)


def _plausible(table: NDArray[np.float64]) -> bool:
    """Whether every value is in its range; ``dart_errors`` has the same ranges, row by row."""
    low = np.array([1980, 1, 1, 0, 0, 0, 1, 0.001])
    high = np.array([2200, 12, 31, 23, 59, 59, 3, MISSING_MM / 1000])
    if not bool(np.all((table >= low) & (table <= high))):  # nan is in no range
        return False
    whole = table[:, :7]
    height = _millimetres(table[:, 7])
    months = ((whole[:, 0].astype(np.int64) - 1970) * 12 + whole[:, 1].astype(np.int64) - 1).astype(
        "datetime64[M]"
    )
    in_month = ((months + 1).astype("datetime64[D]") - months.astype("datetime64[D]")).astype(np.int64)
    return bool(
        np.all(whole == np.floor(whole))
        and np.all(whole[:, 2] <= in_month)
        and np.all((height <= DEEPEST_MM) | (height == MISSING_MM))
    )
