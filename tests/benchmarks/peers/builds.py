"""Peers that a tool builds once, into the user's cache.

A build is kept under a name that is made of its sources, so a change of them builds anew.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from etalis_py.core.cache import cache_folder
from tests.benchmarks.workload import Unavailable

__all__ = ["built_folder"]

PEERS: Final = Path(__file__).resolve().parent
PATIENCE: Final = 900
"""Seconds for a tool, which fetches libraries the first time."""
_SOURCES: Final = (".java", ".xml", ".js", ".json")


def built_folder(name: str, tool: str, command: Sequence[str]) -> Path:
    """The folder of this name beside this file, as it is after ``command`` has run in a copy of it.

    Raises:
        Unavailable: the ``tool`` cannot build it (offline, with an empty cache).
    """
    sources = PEERS / name
    folder = cache_folder() / "peers" / f"{name}-{_digest(sources)}"
    if not folder.is_dir():
        _build(sources, folder, tool, command)
    return folder


def _digest(sources: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in sources.rglob("*") if path.suffix in _SOURCES):
        digest.update(path.relative_to(sources).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def _build(sources: Path, folder: Path, tool: str, command: Sequence[str]) -> None:
    """Build in a folder beside it, which is renamed when it is complete."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="building-") as place:
            work = Path(place) / "work"
            shutil.copytree(sources, work, ignore=shutil.ignore_patterns("target", "node_modules"))
            run = subprocess.run(
                command, cwd=work, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            if run.returncode:
                said = [*run.stdout.splitlines(), *run.stderr.splitlines()]
                lines = [line for line in said if "error" in line.lower()] or ["no message"]
                raise Unavailable(f"{tool} cannot build {sources.name}: {lines[0]}")
            work.rename(folder)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{tool} took more than {PATIENCE} s to build {sources.name}") from None
    except OSError as error:
        if not folder.is_dir():  # else another process was quicker
            raise Unavailable(f"{folder} cannot be made: {error.strerror}") from error
