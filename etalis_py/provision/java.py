"""Finding a Java for Spark: in JAVA_HOME, on PATH, or where systems put it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from etalis_py.provision.commands import output_of
from etalis_py.provision.console import SetupError

__all__ = ["OLDEST", "PACKAGES", "Java", "find_java", "lead_spark_to_java"]

OLDEST = 17
"""The first Java that Spark 4 runs on."""

PACKAGES = tuple(f"openjdk-{version}-jre-headless" for version in (17, 21, 25))
"""What distributions call it, the best tried with Spark first."""

_USUAL_PLACES = ("/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/jdk*", "~/.sdkman/candidates/java/*")


@dataclass(frozen=True, slots=True)
class Java:
    """A Java found: its home, as in ``JAVA_HOME``, and its major version."""

    home: Path
    version: int

    def __str__(self) -> str:
        return f"Java {self.version} ({self.home})"


def find_java() -> Java | None:
    """The first Java new enough for Spark. Spark itself looks in ``JAVA_HOME``, then on PATH only."""
    for home in _homes():
        version = _version(home)
        if version is not None and version >= OLDEST:
            return Java(home, version)
    return None


def lead_spark_to_java() -> Java:
    """Set ``JAVA_HOME`` for the Spark that this process is about to start, and give the Java it names.

    Raises ``SetupError`` (EP535) if there is none, before Spark can fail with its own message.
    """
    found = find_java()
    if found is None:
        raise SetupError(
            "EP535",
            f"Spark needs Java {OLDEST} or newer, and none was found",
            hint=f"install one (Debian: {PACKAGES[0]}) or name one in JAVA_HOME; everything but "
            "Spark works without",
        )
    os.environ["JAVA_HOME"] = str(found.home)
    return found


def _homes() -> Iterator[Path]:
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named)
    if program := shutil.which("java"):
        yield Path(program).resolve().parents[1]
    for place in _USUAL_PLACES:
        pattern = Path(place).expanduser()
        yield from sorted(pattern.parent.glob(pattern.name))


def _version(home: Path) -> int | None:
    """The major version, from the ``release`` file where there is one: starting a Java is slow."""
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    try:
        printed = (home / "release").read_text(errors="replace")
    except OSError:
        printed = output_of([str(program), "-version"]) or ""
    return major_version(printed)


def major_version(printed: str) -> int | None:
    """The major version in what ``java -version`` prints or in a ``release`` file.

    >>> major_version('openjdk version "17.0.15" 2025-04-15')
    17
    >>> major_version('JAVA_VERSION="1.8.0_402"')
    8
    """
    found = re.search(r'(?:version |JAVA_VERSION=)"(?:1\.)?(\d+)', printed)
    return int(found[1]) if found else None
