"""The note that a finished set-up leaves, so that the next run sees in a moment that nothing is to be done."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from etalis_py.provision.lock_file import digest
from etalis_py.provision.places import LOCK_FILE, PROJECT, VENV, VENV_PYTHON
from etalis_py.provision.swipl import Swipl

__all__ = ["Stamp", "is_current", "leave", "left"]

_FILE = VENV / "setup.json"

FORMAT = 1
"""Raised when set-up itself changes in a way that old environments must not outlive."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the environment was made from and for."""

    format: int
    inputs: str
    project: str
    python: str
    swipl: str
    swipl_version: str


def _stamp(swipl_program: str, swipl_version: str) -> Stamp:
    return Stamp(
        format=FORMAT,
        inputs=digest(LOCK_FILE, PROJECT / "pyproject.toml", PROJECT / "setup.py"),
        project=str(PROJECT),
        python="{}.{}".format(*sys.version_info),
        swipl=swipl_program,
        swipl_version=swipl_version,
    )


def leave(swipl: Swipl) -> None:
    """Note that the environment is whole."""
    _FILE.write_text(json.dumps(asdict(_stamp(str(swipl.program), swipl.version_text)), indent=2) + "\n")


def left() -> Stamp | None:
    """The stamp of the last finished set-up."""
    try:
        return Stamp(**json.loads(_FILE.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def is_current() -> bool:
    """Whether the environment was made from what is here now, and its SWI-Prolog is still there."""
    before = left()
    return (
        before is not None
        and before == _stamp(before.swipl, before.swipl_version)
        and Path(before.swipl).is_file()
        and VENV_PYTHON.exists()
    )
