"""A damaged .gz gives the events before the damage, then one error; as background one error."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.engine.engine import Engine
from etalis_py.streams import open_stream

COUNT = 40_000


def cut_off(packed: bytes) -> bytes:
    return packed[: len(packed) * 3 // 4]


def wrong_checksum(packed: bytes) -> bytes:
    return packed[:-8] + bytes(4) + packed[-4:]


def wrong_length(packed: bytes) -> bytes:
    return packed[:-4] + bytes(4)


def not_packed(packed: bytes) -> bytes:
    return gzip.decompress(packed)


def bad_block(packed: bytes) -> bytes:
    """Another member, whose deflate block is of a type that there is not: zlib.error."""
    return packed + gzip.compress(b"")[:10] + b"\xff" * 20


def rest_of_something(packed: bytes) -> bytes:
    return packed + b"something"


DAMAGE: dict[Callable[[bytes], bytes], int] = {
    cut_off: COUNT // 2, wrong_checksum: COUNT, wrong_length: COUNT, not_packed: 0, bad_block: COUNT,
    rest_of_something: COUNT,
}  # fmt: skip
"""How many of the rows can be given at least."""
each_damage = pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)


@each_damage
def test_a_stream(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    lines = "".join(
        f'{{"start": {n}, "s": "<urn:{n * n}>", "p": "<urn:p>", "o": "<urn:o>"}}\n' for n in range(COUNT)
    )
    path = tmp_path / "s.ndjson.gz"
    path.write_bytes(damage(gzip.compress(lines.encode())))
    starts: list[int] = []

    def read() -> None:
        for batch in open_stream(path):
            starts.extend(batch.start)

    with pytest.raises(DataError, match="cannot be unpacked") as raised:
        read()
    assert raised.value.code == "EP401"
    assert starts == list(range(len(starts)))
    assert len(starts) >= DAMAGE[damage]


@each_damage
def test_background(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "b.nt.gz"
    lines = "".join(f"<urn:{n * n}> <urn:p> <urn:o> .\n" for n in range(COUNT // 10))
    path.write_bytes(damage(gzip.compress(lines.encode())))
    with pytest.raises(DataError) as raised:
        Engine([path])
    assert raised.value.code == "EP421"
    assert raised.value.place is not None


def test_several_members_are_one_stream(tmp_path: Path) -> None:
    line = '{"start": 1, "s": "<urn:s>", "p": "<urn:p>", "o": "<urn:o>"}\n'
    path = tmp_path / "s.ndjson.gz"
    path.write_bytes(gzip.compress(line.encode()) + gzip.compress(line.encode() * 2))
    assert sum(map(len, open_stream(path))) == 3
