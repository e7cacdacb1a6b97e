"""The folder that a run is kept in: one file with the last checkpoint, replaced as a whole, and a lock.

A checkpoint is written to another name, brought to the disk, renamed, and the folder brought to the disk:
after a kill or a power failure there is the old one or the new one.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from etalis_py.core.errors import Place, RunTimeError, UsageError
from etalis_py.core.value_class import value_class

__all__ = ["Checkpoint", "StateFolder", "open_folder", "write_whole"]

FORMAT: Final = 1
"""The number of the form of checkpoints. It changes with whatever is in them."""
_MARK: Final = b"etalis run\n"
_FRONT: Final = struct.Struct(">H16s")
_LENGTH: Final = struct.Struct(">I")


@value_class
class Checkpoint:
    """A run between two batches.

    ``program``: what must be the same for the run to go on, by what it is called; ``sha256:`` stands before
    what is a digest. ``streams``: the positions of its streams. ``output``: how far it was written.
    ``pending``: what else decides what is written later. ``engine``: the snapshot of its engine.
    """

    program: dict[str, str]
    streams: list[dict[str, Any]]
    output: dict[str, Any]
    pending: dict[str, Any]
    engine: bytes


class StateFolder:
    """An open folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def kept(self) -> Checkpoint | None:
        """The checkpoint that is in it, None for a run that begins; it is read each time.

        Raises:
            UsageError: EP517, it is damaged, or cannot be read.
        """
        path = self._path / "checkpoint"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unusable(path, error.strerror or str(error)) from error
        return _unpacked(data, path)

    def commit(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint; it is on the disk when this returns.

        Raises:
            RunTimeError: EP517, it cannot be written; the one before is still there.
        """
        try:
            write_whole(self._path / "checkpoint", _packed(checkpoint))
        except OSError as error:
            message = f"the state of the run cannot be written to {self._path}: {error.strerror or error}"
            hint = "make room; the run then continues from the previous checkpoint"
            raise RunTimeError("EP517", message, hint=hint) from error


@contextmanager
def open_folder(name: str) -> Iterator[StateFolder]:
    """The folder by this name, made where it is not there, and locked for as long as this is entered.

    Raises:
        UsageError: EP517, it cannot be used; EP577, another run uses it.
    """
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            hint = "wait until it ends, or use another folder"
            raise UsageError("EP577", f"another run uses the state folder {path}", hint=hint) from error
        except OSError as error:
            raise _unusable(path, f"it cannot be locked: {error.strerror}") from error
        yield StateFolder(path)
    finally:
        os.close(lock)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file: after a kill or a power failure there is what it had, or all of the new content."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    _to_disk(path.parent)


def _to_disk(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _packed(checkpoint: Checkpoint) -> bytes:
    header = {name: getattr(checkpoint, name) for name in ("program", "streams", "output", "pending")}
    about = json.dumps(header, separators=(",", ":")).encode()
    body = _LENGTH.pack(len(about)) + about + checkpoint.engine
    return _MARK + _FRONT.pack(FORMAT, _digest(body)) + body


def _unpacked(data: bytes, path: Path) -> Checkpoint:
    begin = len(_MARK) + _FRONT.size
    if not data.startswith(_MARK) or len(data) < begin:
        raise _unusable(path, "it is not a checkpoint of a run")
    version, digest = _FRONT.unpack_from(data, len(_MARK))
    if version != FORMAT:
        raise _unusable(
            path, f"it is in format {version}, but this version of etalis_py reads format {FORMAT}"
        )
    if _digest(data[begin:]) != digest:
        raise _unusable(path, "it is damaged: its checksum does not match")
    begin += _LENGTH.size
    end = begin + _LENGTH.unpack_from(data, begin - _LENGTH.size)[0]
    return Checkpoint(**json.loads(data[begin:end]), engine=data[end:])


def _digest(body: bytes) -> bytes:
    return blake2b(body, digest_size=16).digest()


def _unusable(path: Path, reason: str) -> UsageError:
    hint = "name another folder, or empty this one to start again"
    return UsageError(
        "EP517", f"the state of a run cannot be kept here: {reason}", place=Place(str(path)), hint=hint
    )
