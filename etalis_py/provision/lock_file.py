"""Reading the lock file: exact versions, hashes and who asks for each package, written by ``make lock``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from pathlib import Path

__all__ = ["digest", "listed", "needed_by", "requirements", "selection"]


def requirements(text: str) -> dict[str, list[str]]:
    r"""The requirements of a lock file by normalized name; one name may stand there once for each Python.

    >>> list(requirements("# by make lock\nlark==1.3.1 \\\n    --hash=sha256:00\nJanus_Swi==1.5.3\n"))
    ['lark', 'janus-swi']
    """
    found: dict[str, list[str]] = {}
    for entry in re.split(r"\n(?=[A-Za-z0-9])", f"\n{text}")[1:]:
        name = re.split(r"[=\s\[;]", entry, maxsplit=1)[0]
        found.setdefault(_normalized(name), []).append(entry)
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


def listed(project: str, *lists: str) -> set[str]:
    r"""The packages in some lists of a ``pyproject.toml``, which Python 3.10 cannot read by itself.

    >>> sorted(listed('demo = [\n  "numpy>=1",\n]\nsite = ["mkdocs>=1"] # pages\n', "demo", "site"))
    ['mkdocs', 'numpy']
    """
    found: set[str] = set()
    for name in lists:
        (text,) = re.findall(rf"^{name} = \[\n?(.*?)\](?: *#.*)?$", project, re.MULTILINE | re.DOTALL)
        found.update(map(_normalized, re.findall(r'"([\w.-]+)[^"]*"', text)))
    return found


def needed_by(text: str, names: Collection[str]) -> set[str]:
    """Those of a lock file that these packages need, directly or by others; with them."""
    askers: dict[str, set[str]] = {
        name: {_normalized(asker) for entry in entries for asker in _askers(entry)}
        for name, entries in requirements(text).items()
    }
    found = set(names)
    while more := {name for name, by in askers.items() if name not in found and by & found}:
        found |= more
    return found


def _askers(entry: str) -> list[str]:
    """The packages that a lock file gives as the reason of an entry: after ``# via``, one a line."""
    _, _, reasons = entry.partition("# via")
    return re.findall(r"^(?:    #  )? ([\w.-]+)", reasons, re.MULTILINE)


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def digest(*files: Path) -> str:
    """One hash over the contents of ``files``."""
    total = hashlib.sha256()
    for file in files:
        total.update(file.read_bytes())
        total.update(b"\0")
    return total.hexdigest()
