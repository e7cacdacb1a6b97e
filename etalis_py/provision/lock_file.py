"""Reading the lock file: exact versions and hashes, written by ``make lock``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

__all__ = ["digest", "requirements", "selection"]


def requirements(text: str) -> dict[str, list[str]]:
    r"""The requirements of a lock file by normalized name; one name may stand there once for each Python.

    >>> list(requirements("# by make lock\nlark==1.3.1 \\\n    --hash=sha256:00\nJanus_Swi==1.5.3\n"))
    ['lark', 'janus-swi']
    """
    found: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?=[A-Za-z0-9])", f"\n{text}")[1:]:
        name = re.split(r"[=\s\[;]", entry, maxsplit=1)[0]
        found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), []).append(entry)
    return found


def selection(text: str, only: Collection[str] = (), without: Collection[str] = ()) -> str:
    """The part of a lock file about the packages ``only`` (all where empty), less those of ``without``."""
    chosen = [
        entry
        for name, entries in requirements(text).items()
        if (not only or name in only) and name not in without
        for entry in entries
    ]
    return "\n".join(chosen)


def digest(*files: Path) -> str:
    """One hash over the contents of ``files``."""
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
        total.update(b"\0")
    return total.hexdigest()
