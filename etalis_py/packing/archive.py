"""``pack``: files are gathered in a folder, tried out there, and written as one archive."""

from __future__ import annotations

import gzip
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from etalis_py.packing.entries import Entry
from etalis_py.packing.interpreter import interpreter_files, packages_folder
from etalis_py.packing.launcher import LIBRARIES, write_launchers
from etalis_py.packing.libraries import needed_libraries
from etalis_py.packing.packages import (
    is_built_here,
    native_libraries,
    package_files,
    project_files,
    required,
)
from etalis_py.packing.problems import PackError
from etalis_py.packing.prolog_home import prolog_files, prolog_home
from etalis_py.packing.trial import try_out

__all__ = ["SUFFIXES", "Packed", "pack"]

SUFFIXES: Final = (".tar.gz", ".tgz")
"""Spark unpacks zip files as well, but these forget which files are programs."""

_LEVEL: Final = 4
"""Of compression, from 1 to 9: from here on it takes longer than it saves."""


@dataclass(frozen=True, slots=True)
class Packed:
    """``size`` is that of the archive, ``unpacked`` that of its files, both in bytes."""

    archive: Path
    size: int
    unpacked: int
    about: dict[str, str]


def pack(archive: Path, packages: Iterable[str] = ()) -> Packed:
    """Write the archive, complete or not at all, in place of what was there.

    Args:
        archive: its path, with one of the ``SUFFIXES``. Its folder also takes the unpacked files meanwhile.
        packages: names of installed distributions that jobs need besides etalis_py.

    Raises:
        PackError: EP611, what is missing here, that the packed engine does not work, or that it cannot be
            written.
    """
    if sys.platform != "linux":
        raise PackError(
            "EP611", f"an archive is made of files for Linux, and this is {sys.platform}",
            hint="make it in a container that is like the workers' machines",
        )  # fmt: skip
    chosen = required(packages).values()
    home, version = prolog_home()
    with _cannot_write(archive), tempfile.TemporaryDirectory(prefix=".pack-", dir=archive.parent) as made:
        root = Path(made, "environment")
        folder = packages_folder()
        native = [
            *interpreter_files(),
            *prolog_files(home),
            *package_files(filter(is_built_here, chosen), folder),
        ]
        wheels = package_files((each for each in chosen if not is_built_here(each)), folder)
        _copy((*native, *wheels, *project_files(folder)), root)
        needed = needed_libraries(each.source for each in native if _is_binary(each))
        _copy((Entry(source, LIBRARIES / name) for name, source in needed.items()), root)
        about = write_launchers(root, version)
        _copy(native_libraries(folder), root)
        try_out(root)
        new = Path(made, "new")
        _write(root, new)
        unpacked = sum(each.stat().st_size for each in root.rglob("*") if each.is_file())
        new.replace(archive)
    return Packed(archive, archive.stat().st_size, unpacked, about)


def _is_binary(entry: Entry) -> bool:
    return ".so" in entry.name.suffixes or entry.name.parts[0] == "bin"


def _copy(entries: Iterable[Entry], root: Path) -> None:
    made = set()
    for entry in entries:
        target = root / entry.name
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        shutil.copy2(entry.source, target)


def _write(root: Path, target: Path) -> None:
    """The files without their owners, who are nobody elsewhere."""
    with (
        gzip.open(target, "wb", compresslevel=_LEVEL) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        for name in sorted(each.name for each in root.iterdir()):
            tar.add(root / name, name, filter=_anyone)


def _anyone(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mode |= 0o644 | (0o111 if member.isdir() or member.mode & 0o100 else 0)
    return member


@contextmanager
def _cannot_write(archive: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = f"{error.strerror}: {error.filename}" if error.filename else str(error.strerror or error)
        raise PackError("EP611", f"the archive {archive} cannot be made: {reason}") from error
