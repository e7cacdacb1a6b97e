"""Where things lie: the checkout, its virtual environment and the user's cache."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["LOCK_FILE", "PROJECT", "SETUP_LOG", "VENV", "VENV_PYTHON", "cache_folder", "locked"]

PROJECT = Path(__file__).resolve().parents[2]
"""The checkout. In an installed wheel, the folder the package lies in."""

VENV = PROJECT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
SETUP_LOG = PROJECT / ".setup.log"
LOCK_FILE = PROJECT / "requirements.lock"


def cache_folder() -> Path:
    """The user cache for what is built once: ``ETALIS_CACHE``, else ``etalis_py`` in the XDG cache folder.

    A user without a home, as containers have them, gets a folder that cannot be made: to do without a cache
    is better than to share one with whoever can write to a folder for all. A relative ``XDG_CACHE_HOME`` does
    not count (XDG Base Directory Specification), and neither does a relative ``HOME``.
    """
    nowhere = Path(os.devnull) / "etalis_py"
    try:
        if chosen := os.environ.get("ETALIS_CACHE"):
            return Path(chosen).expanduser().resolve()
        base = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not base.is_absolute():
            if os.environ.get("HOME") == "":  # which Path.home takes for the root
                return nowhere
            base = Path.home() / ".cache"
    except (RuntimeError, ValueError):
        return nowhere
    return base / "etalis_py" if base.is_absolute() else nowhere


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other set-ups out of ``folder``, until this one is done with it or ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".setup.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
