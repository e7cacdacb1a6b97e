"""A process whose native library is short of memory: python -m tests.engine.failing_allocations NAME...

The library is compiled with ``ETALIS_FAIL_ALLOCATIONS``: it says which of its allocations fails. In each
program, one after the other fails, alone and with all behind it; each time the engine says that it is out of
memory, or gives all answers.
"""

from __future__ import annotations

import ctypes
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow as pa
from rdflib import Literal, URIRef

from etalis_py import Engine, RunTimeError
from etalis_py.embedding import prolog
from tests.engine.test_machine import KNOWN, NAMES, NATIVE, PREFIX, PROLOGS, TAXONOMY, batch
from tests.engine.test_machine_steps import STEPS
from tests.engine.test_straight_groups import STRAIGHT

__all__ = ["PROGRAMS", "Program", "try_all"]

WINDOWED: Final = ("seq", "join", "optional", "bind", "ask", "distinct")
_MANY: Final = 1 << 40
BATCHES: Final = [batch(random.Random(3), first, 25) for first in (0, 30, 60)]


def _batches(engine: Engine) -> None:
    for each in BATCHES:
        engine.send_batch(each)
    engine.finish()


def _arrow(engine: Engine) -> None:
    for each in BATCHES:
        engine.send_batch(pa.table(each))
    engine.finish()


def _one_by_one(engine: Engine) -> None:
    for number in range(30):
        subject, predicate = URIRef(f"urn:{'abc'[number % 3]}"), URIRef(f"urn:{'pq'[number % 2]}")
        engine.send(subject, predicate, Literal(f"text {number}", lang="en"), number // 2)
    engine.finish()


def _queries(*names: str) -> dict[str, str]:
    return {name: PREFIX + (NATIVE | PROLOGS)[name] for name in names}


def _matches(engine: Engine) -> list[str]:
    return list(map(repr, engine.matches()))


def _tables(engine: Engine) -> list[str]:
    return [f"{name}: {table.to_pylist()}" for name, table in engine.tables().items()]


@dataclass(frozen=True)
class Program:
    """Queries, the options of their engine, what it is sent, and how its answers are taken."""

    queries: Mapping[str, str]
    send: Callable[[Engine], None] = _batches
    options: Mapping[str, Any] = field(default_factory=dict)
    take: Callable[[Engine], list[str]] = _matches


PROGRAMS: Final = {
    "batches": Program(_queries(*NATIVE)),
    "chronological": Program(_queries(*WINDOWED), options={"policy": "chronological"}),
    "recent": Program(_queries(*WINDOWED), options={"policy": "recent", "record_changes": True}),
    "single": Program(_queries(*WINDOWED), _one_by_one),
    "words": Program(_queries(*WINDOWED), _arrow),
    "tables": Program(_queries(*WINDOWED, "group-mean"), _arrow, take=_tables),
    "construct": Program(_queries("construct", "pattern")),
    "groups": Program(_queries("group-mean", "group-distinct", "group-ever", "group-seq", "group-optional")),
    "straight-groups": Program({"all": PREFIX + STRAIGHT["all"]}, options={"record_changes": True}),
    "prolog": Program(_queries("order", "describe", "group-mean", "seq")),
    "steps": Program(
        {
            name: PREFIX + STEPS[name]
            for name in ("from-start", "all-shared", "all-if", "all-next", "longest", "skip")
        }
    ),
    "background": Program(
        {name: PREFIX + KNOWN[name] for name in ("names", "graph")}, options={"background": ["names.trig"]}
    ),
    "taxonomy": Program(_queries("pattern", "seq"), options={"background": ["taxonomy.ttl"]}),
    "newest": Program(
        {
            extent: f"{PREFIX} SELECT ?x (COUNT(*) AS ?n) FROM NAMED WINDOW :w ON <urn:etalis:default>"
            f" [{extent}] {{ WINDOW :w {{ ?x ?p ?y }} }} GROUP BY ?x"
            for extent in ("ELEMENTS 4 STEP 2", "TRIPLES 5")
        },
        options={"background": ["taxonomy.ttl"]},
    ),
}


class _Memory:
    """The allocations of the native library."""

    def __init__(self) -> None:
        prolog.load_runtime()
        library = ctypes.CDLL(str(prolog.native_file()))
        self._left = ctypes.c_int64.in_dll(library, "allocations_left")
        self._fail_on = ctypes.c_int.in_dll(library, "allocations_fail_on")

    @contextmanager
    def short(self, number: int, *, fail_on: bool = False) -> Iterator[None]:
        """The allocation with this number fails, and with ``fail_on`` all behind it."""
        self._left.value, self._fail_on.value = number, fail_on
        try:
            yield
        finally:
            self._left.value = -1

    def count(self, work: Callable[[], object]) -> int:
        """How many allocations it makes."""
        with self.short(_MANY):
            work()
            return _MANY - self._left.value


def _answers(program: Program, short: AbstractContextManager[None]) -> list[str] | None:
    """None where the engine was out of memory; it can be closed then. The thread and its columns are new."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_found, program, short).result()


def _found(program: Program, short: AbstractContextManager[None]) -> list[str] | None:
    engine = None
    try:
        with short:
            engine = Engine(**program.options)
            for name, text in program.queries.items():
                engine.register(text, name=name)
            program.send(engine)
            return program.take(engine)
    except MemoryError:  # as a table is made
        return None
    except RunTimeError as error:
        if error.code != "EP312":
            raise
        return None
    finally:
        if engine is not None:
            with suppress(RunTimeError):
                engine.advance(10**12)
            engine.discard()


def try_all(program: Program) -> int:
    """How many times it was out of memory."""
    memory = _Memory()
    expected = _answers(program, nullcontext())
    assert expected
    count = memory.count(lambda: _answers(program, nullcontext()))
    failures = 0
    for fail_on in (False, True):
        for number in _some(count):
            found = _answers(program, memory.short(number, fail_on=fail_on))
            assert found is None or found == expected, f"allocation {number}"
            failures += found is None
    assert _answers(program, nullcontext()) == expected
    return failures


def _some(count: int) -> Iterator[int]:
    """All of the first ones, then fewer and fewer."""
    number = 0
    while number < count:
        yield number
        number += 1 + number // 8


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("names.trig").write_text(NAMES)
        Path("taxonomy.ttl").write_text(TAXONOMY)
        for name in sys.argv[1:]:
            print(name, try_all(PROGRAMS[name]), flush=True)
