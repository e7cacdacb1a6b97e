"""What a sink has begun to write: a folder for each run below ``.staging``, and whose it is.

The name of a run's folder begins with its driver: machine, process and the start of the process. So a later
write can tell what nobody will finish, and leaves alone what another driver is writing.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final
from uuid import uuid4

__all__ = [
    "ABANDONED_AFTER",
    "begun_by_this_driver",
    "remove",
    "remove_abandoned",
    "staging_folder",
    "this_driver",
]

_STAGING: Final = ".staging"

ABANDONED_AFTER: Final = 7 * 24 * 3600
"""Seconds without a change after which what the driver of another machine began counts as given up."""

_GONE: Final = ".gone-"
_read_name = re.compile(r"(?P<machine>[0-9a-f]{8})\.(?P<pid>\d+)\.(?P<start>\d+)\.").match


@cache
def _driver() -> tuple[str, int, int]:
    """Machine, process and its start: of the Java that this process works for, else of this process."""
    pid = own = os.getpid()
    while pid > 1:
        name, parent, start = _process(pid)
        if name == "java":
            return _machine(), pid, start
        pid = parent
    return _machine(), own, _process(own)[2]


def _process(pid: int) -> tuple[str, int, int]:
    """Name, parent and start (ticks since the machine started) of a process; zeros where there is no /proc.

    Raises ProcessLookupError.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        if Path("/proc/self/stat").exists():
            raise ProcessLookupError(pid) from error
        return "", 0, 0
    before, _, after = text.rpartition(")")
    fields = after.split()
    return before.partition("(")[2], int(fields[1]), int(fields[19])


@cache
def _machine() -> str:
    """Processes see each other by number where this is the same: one start of a machine, one name space."""
    try:
        known = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        known += str(Path("/proc/self/ns/pid").readlink())
    except OSError:  # no Linux: only time tells
        return "0" * 8
    return blake2b(known.encode(), digest_size=4).hexdigest()


def this_driver() -> str:
    """What the names of this driver's folders begin with; only the driver knows, and tells its tasks."""
    machine, pid, start = _driver()
    return f"{machine}.{pid}.{start}"


def staging_folder(folder: Path, driver: str, run: str) -> Path:
    """Where the tasks of a run write.

    >>> print(staging_folder(Path("out"), "0a1b2c3d.4711.99", "run"))
    out/.staging/0a1b2c3d.4711.99.run
    """
    return folder / _STAGING / f"{driver}.{run}"


def begun_by_this_driver(folder: Path) -> Iterator[tuple[Path, str]]:
    """The folders of runs of this driver that are there, each with its run."""
    before = f"{this_driver()}."
    for path in _entries(folder):
        if path.name.startswith(before):
            yield path, path.name.removeprefix(before)


def remove_abandoned(folder: Path) -> None:
    """Remove what drivers began that have ended; of drivers that cannot be asked, what is a week old."""
    for path in _entries(folder):
        found = _read_name(path.name)
        if found and found["machine"] == _machine() != "0" * 8:
            gone = not _runs(int(found["pid"]), int(found["start"]))
        else:
            gone = time.time() - _newest_change(path) > ABANDONED_AFTER
        if gone:
            remove(path)


def remove(path: Path) -> None:
    """Remove a run's folder in one step for those that write there by its name, then give back its space."""
    with suppress(OSError):  # another one was first, or nothing was begun
        gone = path if _GONE in path.name else path.rename(f"{path}{_GONE}{uuid4().hex[:8]}")
        if gone.is_dir():
            shutil.rmtree(gone, ignore_errors=True)
        else:
            gone.unlink()


def _entries(folder: Path) -> list[Path]:
    try:
        return list((folder / _STAGING).iterdir())
    except FileNotFoundError:
        return []


def _runs(pid: int, start: int) -> bool:
    try:
        return _process(pid)[2] == start
    except ProcessLookupError:
        return False


def _newest_change(path: Path) -> float:
    """When the newest file or folder in there was last written to; now where it goes away meanwhile."""
    try:
        return max(each.stat().st_mtime for each in (path, *path.rglob("*")))
    except OSError:
        return time.time()
