"""How the Python of an archive starts: scripts that lead it, and what tells it that it is in an archive."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path, PurePosixPath
from typing import Final

import etalis_py
from etalis_py.embedding.undisturbed import ABOUT
from etalis_py.packing.interpreter import PROGRAM

__all__ = ["CACHE", "LIBRARIES", "write_launchers"]

LIBRARIES: Final = PurePosixPath("lib", "shared")
CACHE: Final = PurePosixPath("cache")

_PYTHON: Final = """\
#!/bin/sh
# The Python of an archive of etalis_py, wherever it was unpacked.
here=$(cd "${0%/*}/.." && pwd -P) || exit 1
export LD_LIBRARY_PATH="$here/%LIBRARIES%${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONNOUSERSITE=1  # ignore the packages of the worker's user
unset PYTHONHOME
if [ -z "$ETALIS_CACHE" ] && [ -w "$here/%CACHE%" ]; then
    export ETALIS_CACHE="$here/%CACHE%"  # the rules are compiled in it
fi
exec "$here/%PROGRAM%" "$@"
"""
_ETALIS: Final = """\
#!/bin/sh
exec "${0%/*}/python" -m etalis_py "$@"
"""


def write_launchers(root: Path, prolog_version: str) -> dict[str, str]:
    """Write ``bin/python``, ``bin/python3``, ``bin/etalis`` and the note about the archive; give the note."""
    text = _PYTHON
    for mark, path in {"%LIBRARIES%": LIBRARIES, "%CACHE%": CACHE, "%PROGRAM%": PROGRAM}.items():
        text = text.replace(mark, str(path))
    for name, script in {"python": text, "python3": text, "etalis": _ETALIS}.items():
        file = root / "bin" / name
        file.write_text(script, encoding="utf-8")
        file.chmod(0o755)
    (root / CACHE).mkdir()
    about = _about(prolog_version)
    (root / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


def _about(prolog_version: str) -> dict[str, str]:
    return {
        "etalis_py": etalis_py.__version__,
        "python": platform.python_version(),
        "swipl": prolog_version,
        "machine": f"{platform.system()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()),
        "made": os.uname().version,
    }
