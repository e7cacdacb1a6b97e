"""What an event costs in a window on a stream: the same with a hundred events in it as with ten thousand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest

from etalis_py.embedding import prolog
from etalis_py.engine.engine import Engine
from tests.benchmarks.streams import STEP, iri
from tests.benchmarks.workloads.windows import JOBS, LARGE, SMALL, Job
from tests.engine.counting import steps_of

FILL, MEASURED = 2 * LARGE, LARGE
"""Events before those that are counted, and these: windows that tumble close once at least among them."""
Counted = Callable[[Engine, pa.RecordBatch], int]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_as_many_rows_are_looked_at(job: Job) -> None:
    if job.name == "changes":  # what begins to live is told if none of it is kept
        assert cost(job, LARGE, rows_looked_at) == 0
    else:
        assert_flat(job, rows_looked_at)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_rules_take_as_many_steps(job: Job) -> None:
    assert_flat(job, lambda engine, batch: steps_of(lambda: sent(engine, batch)))


def test_conditions_on_groups_look_at_what_changes() -> None:
    """At each closing all rows are given that pass: here none does, however many groups there are."""
    sums = next(each for each in JOBS if each.name == "sums")
    job = replace(sums, is_tumbling=False, grouped="GROUP BY ?k HAVING (COUNT(*) > 11)")
    few, many = (
        cost(job, size, lambda engine, batch: steps_of(lambda: engine.send_batch(batch)))
        for size in (SMALL, LARGE)
    )
    assert 0 < many <= 1.1 * few


def assert_flat(job: Job, counted: Counted) -> None:
    few, many = (cost(job, size, counted) for size in (SMALL, LARGE))
    assert 0 < many <= 1.1 * few


def cost(job: Job, size: int, counted: Counted) -> float:
    """For each event, in a window that is full."""
    table = job.stream(FILL + MEASURED)
    table = table.append_column("stream", pa.array([iri("s")] * table.num_rows).dictionary_encode())
    batch = table.combine_chunks().to_batches()[0]
    with Engine() as engine:
        engine.register(job.query(size * STEP))
        engine.send_batch(batch.slice(0, FILL))
        sum(1 for _ in engine.matches())
        return counted(engine, batch.slice(FILL)) / MEASURED


def sent(engine: Engine, batch: pa.RecordBatch) -> None:
    engine.send_batch(batch)
    assert sum(1 for _ in engine.matches())


def rows_looked_at(engine: Engine, batch: pa.RecordBatch) -> int:
    """Where rules run without Prolog."""
    before = looked_at(engine)
    sent(engine, batch)
    return (looked_at(engine) - before) % 2**32


def looked_at(engine: Engine) -> int:
    machine = prolog.call("etalis_machine", "machine", engine._module)
    return int(prolog.call("etalis_machine", "rows_looked_at", machine))
