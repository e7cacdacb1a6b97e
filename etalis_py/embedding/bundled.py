"""The SWI-Prolog that a wheel for Linux brings (``make wheel``), in a folder of this package."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Final

__all__ = ["ABOUT", "FOLDER", "bundled_home", "load_bundled"]

FOLDER: Final = "bundled"
ABOUT: Final = "about.json"
_PLACE: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), FOLDER)  # noqa: PTH118, PTH120 - at each start


def bundled_home() -> str | None:
    """Its home; None in a checkout, and where this package was installed without it."""
    home = os.path.join(_PLACE, "swipl")  # noqa: PTH118
    return home if os.path.isdir(home) else None  # noqa: PTH112


def load_bundled() -> None:
    """Load its shared libraries, and let janus be found.

    The loader takes a library by its name, and does not look for one that is there: so no paths are built
    into the files. What extends Prolog finds its functions among those of the whole process.
    """
    with open(os.path.join(_PLACE, ABOUT), encoding="utf-8") as note:  # noqa: PTH118, PTH123
        libraries = json.load(note)["libraries"]
    for name in libraries:
        ctypes.CDLL(os.path.join(_PLACE, "lib", name), ctypes.RTLD_GLOBAL)  # noqa: PTH118
    if _PLACE not in sys.path:
        sys.path.append(_PLACE)
