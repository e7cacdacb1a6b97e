"""The files of the SWI-Prolog that janus was built with.

Does not load it: a Prolog that crashes ends another process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from etalis_py.packing.entries import Entry, files_below
from etalis_py.packing.problems import PackError
from etalis_py.provision.commands import output_of

__all__ = ["HOME", "prolog_files", "prolog_home"]

HOME: Final = PurePosixPath("swipl")
"""As `etalis_py.embedding.undisturbed` has it."""

_LEFT_OUT: Final = frozenset({"bin", "cmake", "demo", "doc", "include", "man", "test", "xpce"})
_NOT_FOR_WORKERS: Final = ("janus.so", "sweep-module.so", "libswipl.")
"""What embeds Python or Emacs in Prolog, and the library that lies among the other shared libraries."""

_ASK: Final = """
import json
from etalis_py.embedding.prolog import call
print(json.dumps([call("system", "current_prolog_flag", name) for name in ("home", "version")]))
"""


def prolog_home() -> tuple[Path, str]:
    """The home, and the version as people write it. Raises PackError."""
    said = output_of([sys.executable, "-c", _ASK]) or ""
    try:
        home, version = json.loads(said.splitlines()[-1])
    except (ValueError, IndexError):
        raise PackError(
            "EP611",
            f"SWI-Prolog does not run here: {(said.strip().splitlines() or ['it ends abnormally'])[-1]}",
            hint="run etalis doctor to see what is wrong",
        ) from None
    return Path(home), f"{version // 10000}.{version // 100 % 100}.{version % 100}"


def prolog_files(home: Path, leave_out: Collection[str] = ()) -> Iterator[Entry]:
    """The library, its extension modules and what the engine boots from; ``leave_out`` are more names."""
    for entry in files_below(home, HOME, {*_LEFT_OUT, *leave_out}):
        if not entry.name.name.startswith(_NOT_FOR_WORKERS):
            yield entry
