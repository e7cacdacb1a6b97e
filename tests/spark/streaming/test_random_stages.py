"""Programs of several stages on a stream cut anywhere: the answers of one engine (no Spark is started).

Rows come out of order by less than the delay; tasks run in any of two processes and fail now and then, and so
do whole micro-batches; snapshots are taken every few rows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from etalis_py import Engine
from etalis_py.compiler.compile import CompiledQuery
from etalis_py.core.errors import QueryError, RunTimeError
from etalis_py.core.terms import ntriples
from etalis_py.engine import feeding
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs.planning.background_report import Background, ReportedBackground
from etalis_py.spark_udfs.planning.dealing import PlannedProgram, planned_here
from etalis_py.spark_udfs.planning.program import Program, QuerySource, compile_all
from etalis_py.spark_udfs.streaming import bucket
from etalis_py.spark_udfs.streaming.stages import as_a_stream_runs_it
from tests.effort import tries
from tests.oracle.checking import nameless
from tests.oracle.examples import Example, examples
from tests.oracle.running import batch_of, open_engine, tally
from tests.oracle.solutions import Answer
from tests.spark.streaming.memory import Row
from tests.spark.streaming.memory_stages import MemoryStages
from tests.spark.streaming.test_random_programs import program_of
from tests.spark.test_stages import PROGRAMS

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
SECOND = 1_000_000
PLAIN = ReportedBackground()
"""What is known where there is no background."""
IN_ONE_BUCKET = {"slices", "slices of windows", "one part", "window", "path"}
"""Programs of one stage without a key."""


def prefixed(texts: Sequence[str]) -> list[str]:
    """Durations are of seconds here, as a watermark is of milliseconds."""
    return ["PREFIX : <urn:>\n" + text.replace("PT0.00001S", "PT10S") for text in texts]


@pytest.mark.parametrize("name", sorted(set(PROGRAMS) - IN_ONE_BUCKET))
def test_each_kind_of_stage(name: str) -> None:
    texts = prefixed(PROGRAMS[name])
    rows = random_rows(Random(name), 90)
    program = Program(tuple(QuerySource(str(number), text) for number, text in enumerate(texts)))
    planned = planned_for(program, compile_all(program.queries), PLAIN)
    assert is_cut(planned)
    with Engine() as engine:
        for number, text in enumerate(texts):
            engine.register(text, name=str(number))
        ordered = sorted(rows, key=lambda row: row[1])
        columns = zip(("start", "end", "s", "p", "o"), zip(*ordered, strict=True), strict=True)
        engine.send_batch({name: list(column) for name, column in columns})
        engine.finish()
        expected = tally(list(engine.matches()), len(texts))
    assert all(expected)
    found, between = run(planned, rows, Random(f"{name}!"))
    assert list(map(unnamed, tally(found, len(texts)))) == list(map(unnamed, expected))
    assert between > 0


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(20))
@given(example=examples(), seed=st.integers(0, 1 << 30))
def test_random_programs(example: Example, seed: int, background_files: list[Path]) -> None:
    check(example, seed, background_files)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
@settings(SETTINGS, max_examples=int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "3000")), derandomize=False)
@given(example=examples(), seed=st.integers(0, 1 << 30))
def test_random_programs_at_length(example: Example, seed: int, background_files: list[Path]) -> None:
    check(example, seed, background_files)


def check(example: Example, seed: int, files: list[Path]) -> None:
    assume(example.at is None and example.stream)
    program = program_of(example, files)
    try:
        if example.background is None:  # most programs have one stage: tell them apart without an engine
            assume(is_cut(planned_for(program, compile_all(program.queries), PLAIN)))
        with open_engine(example, files) as engine:
            compiled = [engine.query(str(number)) for number in range(len(example.queries))]
            planned = planned_for(program, compiled, engine.knowledge if example.entails else PLAIN)
            assume(is_cut(planned))
            stream = sorted(example.stream, key=lambda each: each[1][1])
            engine.send_encoded(batch_of(stream))
            engine.finish()
            expected = tally(list(engine.matches()), len(example.queries))
    except (QueryError, RunTimeError):
        reject()
    rows: list[Row] = [(start, end, *map(ntriples, triple)) for triple, (start, end) in stream]  # type: ignore[misc]
    found, _ = run(planned, rows, Random(seed))
    assert list(map(unnamed, tally(found, len(example.queries)))) == list(map(unnamed, expected))


def planned_for(
    program: Program, compiled: Sequence[CompiledQuery], known: Background, buckets: int = 3
) -> PlannedProgram:
    """The program as a stream runs it in so many buckets."""
    return as_a_stream_runs_it(planned_here(program, compiled, (), known), buckets)


def is_cut(planned: PlannedProgram) -> bool:
    """Whether a program has several stages."""
    return len(planned.stages) > 1


def run(planned: PlannedProgram, rows: Sequence[Row], choice: Random) -> tuple[list[Match], int]:
    """The answers, and how many rows went from one stage to another."""
    delay = choice.choice((0, 0, 2, 5)) * SECOND
    stages = MemoryStages(planned, 3, choice)
    least, most = bucket.LEAST_LOG, bucket.MOST_STEPS
    at_once = feeding.MOST_ANSWERS_AT_ONCE
    feeding.MOST_ANSWERS_AT_ONCE = choice.choice((2, at_once))
    bucket.LEAST_LOG, bucket.MOST_STEPS = choice.choice(((0, 1), (500, 2), (least, 3), (least, most)))
    try:
        for own in cut(rows, delay, choice):
            stages.micro_batch(own, delay, is_lost=choice.random() < 0.1)
            assert len(stages.times()) <= 1
        stages.end()
    finally:
        bucket.LEAST_LOG, bucket.MOST_STEPS = least, most
        feeding.MOST_ANSWERS_AT_ONCE = at_once
        stages.close()
    return stages.matches, stages.rows_between


def cut(rows: Sequence[Row], delay: int, choice: Random) -> Iterator[list[Row]]:
    arrival = {each: each[1] + choice.randint(0, delay) for each in rows}
    ordered = sorted(rows, key=arrival.__getitem__)
    while ordered:
        size = choice.choice((0, 1, 2, 5, 9))
        yield ordered[:size]
        ordered = ordered[size:]


def random_rows(choice: Random, count: int) -> list[Row]:
    """Events about a few things; several share an instant, some last."""
    found: list[Row] = []
    end = 0
    for _ in range(count):
        end += choice.choice((0, 0, 1, 1, 3)) * SECOND
        start = max(end - choice.choice((0, 0, 0, 2)) * SECOND, 0)
        s, o = (f"<urn:{choice.randrange(5)}>" for _ in range(2))
        number = f'"{choice.randrange(4)}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        found.append((start, end, s, f"<urn:{choice.choice('pqr')}>", choice.choice((o, o, number))))
    return list(dict.fromkeys(found))


def unnamed(answers: Sequence[Answer]) -> Counter[Answer]:
    return Counter(nameless(answers))
