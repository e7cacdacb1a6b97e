"""The shared libraries that programs and extension modules need, apart from those of every Linux."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from etalis_py.packing.problems import PackError

__all__ = ["is_of_the_system", "needed_libraries"]

_OF_THE_SYSTEM: Final = re.compile(
    r"^(?:ld-linux.*|linux-vdso.*|lib(?:c|m|dl|pthread|rt|util|anl|mvec|resolv|BrokenLocale|thread_db"
    r"|nss_\w+|stdc\+\+|gcc_s))[.-].*"
)
_LINE: Final = re.compile(r"^\s*(\S+) => (/\S+) \(", re.MULTILINE)
_AT_ONCE: Final = 40


def is_of_the_system(library: str) -> bool:
    """Whether a library belongs to the C library or the compiler: those are one with the machine's kernel
    and loader, and are never taken to another one (PEP 600 leaves out the same).

    >>> is_of_the_system("libc.so.6"), is_of_the_system("libcrypto.so.3"), is_of_the_system("libstdc++.so.6")
    (True, False, True)
    """
    return _OF_THE_SYSTEM.match(library) is not None


def needed_libraries(files: Iterable[Path]) -> dict[str, Path]:
    """By the name that the loader asks for, all that the files need directly and through others."""
    objects = sorted(set(files))
    found: dict[str, Path] = {}
    for begin in range(0, len(objects), _AT_ONCE):
        for name, place in _LINE.findall(_ldd(objects[begin : begin + _AT_ONCE])):
            if not is_of_the_system(name):
                found.setdefault(name, Path(place))
    return found


def _ldd(objects: Iterable[Path]) -> str:
    """What ``ldd`` prints; it fails for a file that needs no library, and says the rest all the same."""
    try:
        done = subprocess.run(["ldd", *map(str, objects)], capture_output=True, check=False)
    except OSError as error:
        raise PackError(
            "EP611", f"ldd, which lists the libraries a file needs, does not run: {error}"
        ) from error
    return done.stdout.decode(errors="replace")
