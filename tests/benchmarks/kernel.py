"""The yardstick: Prolog written by hand for one job, fed and emptied as sparingly as a careful hand would.

It takes the same Arrow table as the engine. Each batch is dictionary-encoded by pyarrow, so a term is read
once a batch; columns cross to Prolog as integers; the answers of a batch come back as rows. Knows nothing of
queries, of instants, of errors in the data.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import janus_swi  # noqa: TID251 - the yardstick is Prolog by hand
import pyarrow as pa

from tests.benchmarks.workload import Batches, Contender, Outcome, Run

__all__ = [
    "CHUNK",
    "PREFIX",
    "by_hand",
    "columns_of",
    "inferences",
    "kept_by_prolog",
    "pure_loop",
    "settle",
    "started",
    "swipl_version",
]

KERNELS = Path(__file__).resolve().parent / "kernels"
CHUNK = 50_000
"""Rows of a batch, for the engine and for kernels alike."""
PREFIX = "urn:bench:"

Predicates: TypeAlias = Sequence[str] | Mapping[str, int]


def by_hand(
    name: str, table: Batches, predicates: Predicates, option: Any = 0, *, before: Batches | None = None
) -> Contender:
    """Arrow in, rows out, by ``kernels/NAME.pl``.

    ``predicates`` are IRIs, or local names under `PREFIX`; the kernel is told their number (from 1, where
    they have none of their own), or 0 for others. ``option`` is what its ``start/1`` takes; ``before`` is fed
    before the clock runs.
    """
    numbers = _numbers(predicates)

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with started(name, option) as module:
            if before is not None:
                _feed(module, before, numbers, keep=False)
            yield lambda: _feed(module, table, numbers, keep=keep)

    return Contender(ready)


def pure_loop(
    name: str, table: Batches, predicates: Predicates, option: Any = 0, *, before: Batches | None = None
) -> Contender:
    """The same loop over columns that are in Prolog already, its answers only counted."""
    numbers = _numbers(predicates)

    @contextmanager
    def ready(_keep: bool) -> Iterator[Run]:
        with started(name, option) as module:
            if before is not None:
                _feed(module, before, numbers, keep=False)
            columns = columns_of(pa.Table.from_batches(table.to_batches(max_chunksize=CHUNK)), numbers)

            def run() -> Outcome:
                answers, seconds = janus_swi.apply_once(module, "loop", *columns)
                return Outcome(answers, seconds)

            yield run

    return Contender(ready)


def _numbers(predicates: Predicates) -> dict[str, int]:
    if not isinstance(predicates, Mapping):
        predicates = {name: number for number, name in enumerate(predicates, 1)}
    whole = ((name if ":" in name else f"{PREFIX}{name}", number) for name, number in predicates.items())
    return {f"<{name}>": number for name, number in whole}


@contextmanager
def started(name: str, option: Any) -> Iterator[str]:
    """The kernel's module, empty; it is emptied again afterwards."""
    janus_swi.query_once("use_module(Path, [])", {"Path": str(KERNELS / f"{name}.pl")})
    module = f"etalis_kernel_{name}"
    janus_swi.cmd(module, "start", option)
    yield module
    janus_swi.cmd(module, "start", option)


def _feed(module: str, table: Batches, numbers: dict[str, int], *, keep: bool) -> Outcome:
    call: Callable[..., list[list[Any]]] = janus_swi.apply_once
    count, kept = 0, []
    for batch in table.to_batches(max_chunksize=CHUNK):
        columns = columns_of(batch, numbers)
        gc.disable()
        rows = call(module, "batch", *columns)
        gc.enable()
        count += len(rows)
        if keep:
            kept += [tuple(row) for row in rows]
    return Outcome(count, rows=kept if keep else None)


def columns_of(batch: Any, numbers: dict[str, int]) -> list[list[Any]]:
    """Different terms; positions in them of subjects and objects, from 1; numbers of predicates; times."""
    subjects, subject_codes = _encoded(batch, "s")
    objects, object_codes = _encoded(batch, "o")
    predicates, predicate_codes = _encoded(batch, "p")
    kinds = [numbers.get(text, 0) for text in predicates]
    shift = len(subjects) + 1
    return [
        [*map(_value, subjects), *map(_value, objects)],
        [code + 1 for code in subject_codes],
        [kinds[code] for code in predicate_codes],
        [code + shift for code in object_codes],
        _plain(batch.column("start")),
    ]


def _encoded(batch: Any, name: str) -> tuple[list[str], list[int]]:
    column = batch.column(name)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    column = column.dictionary_encode()
    return column.dictionary.to_pylist(), _plain(column.indices)


def _plain(column: Any) -> list[int]:
    """Numbers without a copy by Arrow's own objects, which takes ten times as long."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    width = {4: "i", 8: "q"}[column.type.bit_width // 8]
    numbers = memoryview(column.buffers()[1]).cast("B").cast(width)  # type: ignore[call-overload]
    return list(numbers[column.offset : column.offset + len(column)])


def _value(text: str) -> str | int:
    """An IRI as its text, an integer as such: the streams of the suite hold nothing else."""
    return text[1:-1] if text[0] == "<" else int(text[1 : text.index('"', 1)])


def settle() -> None:
    """Let Prolog collect what it has put off, so that it does not fall into what is timed.

    A closed engine's module is taken apart in the background, some time later: wait until nothing changes.
    """
    before = None
    for _ in range(100):
        janus_swi.query_once("garbage_collect, garbage_collect_clauses, garbage_collect_atoms")
        kept = kept_by_prolog()
        now = kept["clauses"], kept["codes"], kept["atoms"]
        if now == before:
            return
        before = now
        time.sleep(0.01)


def inferences() -> int:
    """How many steps Prolog has made in this thread."""
    count: int = janus_swi.query_once("statistics(inferences, N)")["N"]
    return count


def kept_by_prolog() -> dict[str, int]:
    """What Prolog keeps, to tell where memory goes: numbers of things, bytes of ``space`` and ``stack``."""
    keys = (
        "atoms", "atom_space", "agc", "agc_gained", "clauses", "erased", "codes", "functors", "stack",
        "cgc_gained",
    )  # fmt: skip
    found = {}
    for key in keys:
        answer = janus_swi.query_once("catch(statistics(Key, Value), _, fail)", {"Key": key})
        if answer["truth"]:
            found[key] = answer["Value"]
    return found


def swipl_version() -> str:
    """As in 9.2.9."""
    return str(janus_swi.version_str(janus_swi.query_once("current_prolog_flag(version, V)")["V"]))
