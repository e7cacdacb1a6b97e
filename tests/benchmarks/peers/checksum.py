"""One number for many answers, the same in whatever order they come and in whatever language it is made.

It is the sum, modulo 2^64, of the CRC-32 of each answer's text: start, end and values with commas between
them. A number that is not whole is the double next to it, written as its 64 bits in hexadecimal digits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from zlib import crc32

from tests.benchmarks.workload import Row

__all__ = ["checksum", "checksum_of_lines"]

_ALL = (1 << 64) - 1


def checksum(rows: Iterable[Row]) -> int:
    """The checksum of answers; start and end are the last two of a row.

    >>> rows = [("urn:k1", 1, 0, 5), ("urn:k2", 2.5, 0, 7)]
    >>> checksum(rows) == checksum(reversed(rows))
    True
    """
    return sum(crc32(_text(row)) for row in rows) & _ALL


def checksum_of_lines(lines: Iterable[bytes]) -> int:
    """The same of lines of text as they are."""
    return sum(map(crc32, lines)) & _ALL


def _text(row: Row) -> bytes:
    *values, start, end = row
    return ",".join((str(start), str(end), *map(_value, values))).encode()


def _value(value: object) -> str:
    if isinstance(value, str | int):
        return str(value)
    number = float(value)  # type: ignore[arg-type]
    return str(int(number)) if number.is_integer() else struct.pack(">d", number).hex().lstrip("0")
