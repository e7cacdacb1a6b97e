"""Finding a SWI-Prolog that the engine can live in, and saying what is wrong with one that will not do.

The rules use big integers and rationals, threads (janus), and the libraries in ``LIBRARIES``; building janus
needs the headers and the shared library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from etalis_py.core.cache import cache_folder
from etalis_py.provision.commands import output_of

__all__ = ["LIBRARIES", "OLDEST", "Swipl", "cached_builds", "on_path", "probe", "version_number"]

OLDEST = (9, 1, 12)
"""The first SWI-Prolog that janus works with."""

LIBRARIES = ("macros", "md5", "pcre", "plunit", "semweb/rdf11", "sha", "time", "uri")
"""Libraries without which some rule or its tests cannot load; not every distribution package holds all."""

_CHECK = (
    "forall((member(L,[{libraries}]), \\+ catch(use_module(library(L)),_,fail)),"
    " format('library(~w)~n',[L])),"
    "forall(\\+ catch((X is 2**100 rdiv 3, rational(X)),_,fail), format('rational numbers~n',[])),"
    "forall(\\+ current_prolog_flag(threads,true), format('threads~n',[]))"
)


@dataclass(frozen=True, slots=True)
class Swipl:
    """A ``swipl`` program and what is known of it. ``lacks`` is empty where the engine can use it."""

    program: Path
    version: tuple[int, int, int]
    home: Path
    lacks: tuple[str, ...]

    @property
    def version_text(self) -> str:
        """The version as people write it."""
        return ".".join(map(str, self.version))

    def __str__(self) -> str:
        return f"SWI-Prolog {self.version_text} ({self.program})"


def version_number(text: str) -> tuple[int, int, int]:
    """The upstream version in a package's or an archive's version.

    >>> version_number("9.2.9+dfsg-1")
    (9, 2, 9)
    >>> version_number("1:10.0")
    (10, 0, 0)
    """
    found = re.match(r"(?:\d+:)?(\d+)(?:\.(\d+))?(?:\.(\d+))?", text)
    if found is None:
        return 0, 0, 0
    major, minor, patch = (int(part or 0) for part in found.groups())
    return major, minor, patch


def probe(program: Path) -> Swipl | None:
    """What ``program`` is and lacks; ``None`` where it does not run."""
    printed = output_of([str(program), "--dump-runtime-variables"], env=_own_home())
    variables = dict(_assignments(printed or ""))
    if "PLVERSION" not in variables or "PLBASE" not in variables:
        return None
    number = int(variables["PLVERSION"])
    version = (number // 10000, number // 100 % 100, number % 100)
    home = Path(variables["PLBASE"])
    shared = Path(variables["PLLIBSWIPL"]) if variables.get("PLSHARED") == "yes" else None
    lacks = [] if version >= OLDEST else [f"a version from {'.'.join(map(str, OLDEST))} on"]
    if not lacks:
        lacks += [] if (home / "include" / "SWI-Prolog.h").is_file() else ["its C headers"]
        lacks += [] if shared and shared.is_file() else ["its shared library"]
        lacks += _missing_features(program)
    return Swipl(program, version, home, tuple(lacks))


def on_path() -> Iterator[Swipl]:
    """Every working ``swipl`` on PATH, in PATH's order."""
    for folder in os.get_exec_path():
        program = Path(folder) / "swipl"
        if os.access(program, os.X_OK) and (found := probe(program)):
            yield found


def cached_builds() -> Iterator[Swipl]:
    """The SWI-Prologs that set-up built earlier, the newest first."""
    builds = sorted(
        cache_folder().glob("swipl-[0-9]*"),
        key=lambda folder: version_number(folder.name.removeprefix("swipl-")),
        reverse=True,
    )
    for folder in builds:
        if found := probe(folder / "bin" / "swipl"):
            yield found


def _missing_features(program: Path) -> list[str]:
    goal = _CHECK.format(libraries=",".join(LIBRARIES))
    printed = output_of([str(program), "-f", "none", "-g", goal, "-t", "halt"], env=_own_home())
    if printed is None:
        return ["the ability to run a small program"]
    return [line for line in printed.splitlines() if line.startswith(("library(", "rational", "threads"))]


def _own_home() -> dict[str, str]:
    """The environment without what would give a ``swipl`` another one's home."""
    return {name: value for name, value in os.environ.items() if name not in ("SWI_HOME_DIR", "SWIPL")}


def _assignments(printed: str) -> Iterator[tuple[str, str]]:
    for line in printed.splitlines():
        name, _, value = line.partition("=")
        yield name, value.removesuffix(";").strip('"')
