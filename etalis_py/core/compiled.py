"""Native libraries: compiled at their first use, kept in the user's cache."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from etalis_py.core.cache import checked_number, new_file, ready_folder, seal

__all__ = ["CannotCompileError", "compiled"]

_MORE: Final = "ETALIS_NATIVE_OPTIONS"
"""Names more options of the compiler, as ``make sanitize`` does."""
_OPTIONS: Final = (
    *("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"),
    *os.environ.get(_MORE, "").split(),
)


class CannotCompileError(Exception):
    """The text says why; ``hint`` what to do, if that is known."""

    def __init__(self, why: str, hint: str | None = None) -> None:
        super().__init__(why)
        self.hint = hint


def compiled(sources: Path, compiler: str, options: Sequence[str] = (), platform: str = "") -> Path:
    """The library that the C files in a folder make, with more ``options``; one for each ``platform``.

    Raises:
        CannotCompileError: it is not there yet, and cannot be made.
    """
    name = f"{_digest(sources, platform)}.so"
    kept = sources / name  # of a package that was compiled before it came here
    if not kept.is_file():
        kept = _folder() / name
        if checked_number(kept) is None:
            _compile(sources, kept, compiler, options)
    return kept


def _folder() -> Path:
    """Where libraries are kept; without a cache a folder that goes with this process."""
    if (folder := ready_folder("native")) is not None:
        return folder
    made = TemporaryDirectory(prefix="etalis-")
    atexit.register(made.cleanup)
    return Path(made.name)


def _digest(sources: Path, platform: str) -> str:
    """Of what is compiled and what compiles it."""
    total = hashlib.blake2b(f"{platform} {_OPTIONS}\n".encode(), digest_size=20)
    for source in sorted((*sources.glob("*.c"), *sources.glob("*.h"))):
        text = source.read_bytes()
        total.update(f"\n{source.name} {len(text)}\n".encode())
        total.update(text)
    return total.hexdigest()


def _compile(sources: Path, kept: Path, compiler: str, options: Sequence[str]) -> None:
    found = shutil.which(compiler) or shutil.which("cc")
    if found is None:
        hint = "install one (Debian: apt install gcc); etalis doctor says what else is needed"
        raise CannotCompileError("there is no C compiler", hint)
    with new_file(kept.parent, ".so") as made:
        command = [found, *_OPTIONS, *options, *map(str, sorted(sources.glob("*.c"))), "-o", str(made)]
        own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # for this process
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=own
        )
        if done.returncode:
            raise CannotCompileError(done.stderr.strip().partition("\n")[0])
        seal(made, 0)
        made.replace(kept)
