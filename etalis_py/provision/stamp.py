"""The note that a finished set-up leaves, so that the next one sees in a moment that it has nothing to do."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from etalis_py.provision.lock_file import digest
from etalis_py.provision.places import LOCK_FILE, PROJECT, VENV, VENV_PYTHON

__all__ = ["ALL", "DEMO", "Stamp", "left", "wanted", "write"]

_FILE = VENV / "setup.json"

FORMAT = 2
"""Raised when set-up itself changes in a way that old environments must not outlive."""

ALL = "all"
DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the environment was made from and for; ``packages`` are all, or those of the demo."""

    format: int
    packages: str
    lock: str
    checkout: str
    python: str
    swipl: str
    swipl_version: str

    def has_packages(self, other: Stamp) -> bool:
        """Whether the packages of the other are there, built for the same Python and SWI-Prolog."""
        packages = self.packages if self.packages == ALL else other.packages
        return replace(self, checkout=other.checkout) == replace(other, packages=packages)


def wanted(swipl_program: str, swipl_version: str, packages: str = ALL) -> Stamp:
    """The stamp of an environment made from what is here now."""
    return Stamp(
        format=FORMAT,
        packages=packages,
        lock=digest(LOCK_FILE),
        checkout=f"{PROJECT} {digest(PROJECT / 'pyproject.toml', PROJECT / 'setup.py')}",
        python="{}.{}.{}".format(*sys.version_info),
        swipl=swipl_program,
        swipl_version=swipl_version,
    )


def write(stamp: Stamp) -> None:
    """Note that the environment is whole."""
    _FILE.write_text(json.dumps(asdict(stamp), indent=2) + "\n")


def left() -> Stamp | None:
    """The stamp of the last finished set-up, where what it speaks of is still there."""
    try:
        stamp = Stamp(**json.loads(_FILE.read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return stamp if Path(stamp.swipl).is_file() and VENV_PYTHON.exists() else None
