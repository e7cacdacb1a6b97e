"""The files of the Python that runs this: its program and its standard library.

A Python finds its library by where its program lies, so it works in any folder; the one of a virtual
environment does not, which is why the Python below it is taken. Not the packages: ``packages.py`` has them.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from etalis_py.packing.entries import Entry, files_below
from etalis_py.packing.problems import PackError
from etalis_py.provision.commands import output_of

__all__ = ["PROGRAM", "interpreter_files", "packages_folder"]

PROGRAM: Final = PurePosixPath("bin", "python{}.{}".format(*sys.version_info))
"""The interpreter itself; ``bin/python`` is the script that starts it."""

_LEFT_OUT: Final = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip"}
)
_LEFT_OUT_SUFFIXES: Final = (".a", ".o")


def interpreter_files() -> Iterator[Entry]:
    """The program and the standard library. Raises PackError."""
    prefix = Path(sys.base_prefix)
    yield Entry(_program(), PROGRAM)
    base = {"installed_base": str(prefix), "installed_platbase": str(prefix), "platbase": str(prefix)}
    folders = {Path(sysconfig.get_path(kind, vars=base)) for kind in ("stdlib", "platstdlib")}
    for folder in sorted(folders):
        inside = PurePosixPath(folder.relative_to(prefix).as_posix())
        for entry in files_below(folder, inside, _LEFT_OUT):
            if _is_needed(entry):
                yield entry


def _is_needed(entry: Entry) -> bool:
    is_build_setting = any(part.startswith("config-") for part in entry.name.parts)
    is_window_system = entry.name.name.startswith("_tkinter.")
    return entry.name.suffix not in _LEFT_OUT_SUFFIXES and not is_build_setting and not is_window_system


def packages_folder() -> PurePosixPath:
    """Where this Python looks for packages, seen from its prefix; Debian's has a name of its own for it."""
    ask = "import site, sys; print(site.getsitepackages([sys.prefix])[-1])"
    said = output_of([str(_program()), "-I", "-c", ask])
    if said is None:
        raise PackError("EP611", f"the Python {_program()} does not start")
    return PurePosixPath(Path(said.strip()).relative_to(sys.base_prefix).as_posix())


def _program() -> Path:
    base = getattr(sys, "_base_executable", None) or sys.executable
    return Path(base).resolve()
