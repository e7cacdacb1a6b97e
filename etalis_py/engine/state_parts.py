"""Engine state as bytes: a frame by which other bytes are recognised and refused.

A part is a snapshot, or the changes after one. It begins with a mark, the number of the format, the kind and
a checksum; behind these, compressed, come a header (JSON) and the texts that Prolog made
(``rules/engine/snapshot.pl``). A part of changes names the checksum of the part before it. Does not know what
a header means: ``snapshots.py`` does.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Final, Literal

from etalis_py.core.errors import UsageError

__all__ = ["FORMAT", "Part", "chained", "pack", "unpack"]

FORMAT: Final = 3
"""The number of the form in which this version writes state. It changes with whatever state holds."""
_MARK: Final = b"etalis state\n"
_FRONT: Final = struct.Struct(">HB16s")
_LENGTHS: Final = struct.Struct(">II")
_LENGTH: Final = struct.Struct(">I")
_KINDS: Final = ("snapshot", "changes")
_LEVEL: Final = 1
"""Of zlib: a third of the size that serialized terms have, at three times the speed of level 6."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part that was read; ``digest`` names it, ``after`` the one before it (empty for a snapshot)."""

    kind: Literal["snapshot", "changes"]
    header: dict[str, Any]
    texts: tuple[str, ...]
    digest: str

    @property
    def after(self) -> str:
        """The digest of the part that these changes follow."""
        return str(self.header.get("after", ""))


def pack(
    kind: Literal["snapshot", "changes"], header: dict[str, Any], texts: Sequence[str]
) -> tuple[bytes, str]:
    """A part, and its digest. ``texts`` have characters up to 255.

    >>> data, digest = pack("snapshot", {"clock": 7}, ["abc"])
    >>> part = unpack(data)
    >>> part.header, part.texts, part.digest == digest
    ({'clock': 7}, ('abc',), True)
    """
    about = json.dumps(header, separators=(",", ":")).encode()
    inner = b"".join(
        (
            _LENGTHS.pack(len(about), len(texts)),
            about,
            *(_LENGTH.pack(len(text)) for text in texts),
            *(text.encode("latin-1") for text in texts),
        )
    )
    body = zlib.compress(inner, _LEVEL)
    number = _KINDS.index(kind)
    digest = _digest(number, body)
    return _MARK + _FRONT.pack(FORMAT, number, digest) + body, digest.hex()


def unpack(data: bytes) -> Part:
    """Read one part.

    Raises:
        UsageError: EP572, the bytes are something else or damaged; EP573, they are in another format.
    """
    data = bytes(data)
    behind = len(_MARK) + _FRONT.size
    if not data.startswith(_MARK):
        hint = "`Engine.snapshot` makes them"
        raise UsageError("EP572", "these bytes are not the state of an engine", hint=hint)
    if len(data) < behind:
        raise _damaged()
    form, number, digest = _FRONT.unpack_from(data, len(_MARK))
    if form != FORMAT:
        message = f"the state is in format {form}, but this version of etalis_py reads format {FORMAT}"
        raise UsageError("EP573", message, hint="use the version that wrote it, or start again")
    body = data[behind:]
    if digest != _digest(number, body):
        raise _damaged()
    inner = zlib.decompress(body)
    header_length, count = _LENGTHS.unpack_from(inner)
    place = _LENGTHS.size + header_length
    header = json.loads(inner[_LENGTHS.size : place])
    lengths = struct.unpack_from(f">{count}I", inner, place)
    texts = tuple(_cut(inner, place + _LENGTH.size * count, lengths))
    return Part(_KINDS[number], header, texts, digest.hex())


def chained(parts: Iterable[bytes]) -> list[Part]:
    """Read a snapshot and the changes after it.

    Raises:
        UsageError: EP572 and EP573 as `unpack`; EP575, a part is missing, or they are in another order.
    """
    read = [unpack(each) for each in parts]
    hint = "give one snapshot, then all changes after it in the order in which they were taken"
    if not read or read[0].kind != "snapshot":
        raise UsageError("EP575", "the parts of the state do not begin with a snapshot", hint=hint)
    for number, (before, part) in enumerate(pairwise(read), start=2):
        if part.kind != "changes" or part.after != before.digest:
            message = f"part {number} of the state does not follow the one before it"
            raise UsageError("EP575", message, hint=hint)
    return read


def _cut(inner: bytes, place: int, lengths: Iterable[int]) -> Iterator[str]:
    for length in lengths:
        yield inner[place : place + length].decode("latin-1")
        place += length


def _digest(number: int, body: bytes) -> bytes:
    return blake2b(bytes([number]) + body, digest_size=16).digest()


def _damaged() -> UsageError:
    return UsageError(
        "EP572",
        "the state of the engine is damaged: its checksum does not match",
        hint="use an older snapshot, or start again",
    )
