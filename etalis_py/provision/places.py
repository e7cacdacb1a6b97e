"""Where things lie: the checkout and its virtual environment."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["LOCK_FILE", "PROJECT", "SETUP_LOG", "VENV", "VENV_PYTHON", "locked"]

PROJECT = Path(__file__).resolve().parents[2]
"""The checkout. In an installed wheel, the folder the package lies in."""

VENV = PROJECT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
SETUP_LOG = PROJECT / ".setup.log"
LOCK_FILE = PROJECT / "requirements.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other set-ups out of ``folder``, until this one is done with it or ends."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".setup.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
