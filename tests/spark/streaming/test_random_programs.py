"""Random programs and streams in buckets, cut anywhere: the answers of one engine (no Spark is started).

Rows come out of order by less than the delay, in micro-batches; tasks run in any of two processes and fail
now and then; snapshots are taken every few rows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from zlib import crc32

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st

from etalis_py.compiler.partition.join_key import find_key
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.plan.triggers import plain_triggers
from etalis_py.core.errors import QueryError, RunTimeError
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.engine import feeding
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs.planning.program import Program, QuerySource
from etalis_py.spark_udfs.streaming import bucket
from etalis_py.spark_udfs.streaming.bucket import BucketProgram
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from tests.effort import tries
from tests.oracle.checking import nameless
from tests.oracle.examples import Example, examples
from tests.oracle.running import batch_of, open_engine, tally
from tests.oracle.solutions import Answer, Occurrence
from tests.oracle.vocabulary import GRAPHS
from tests.spark.streaming.memory import MemoryStream, Row

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))
SECOND = 1_000_000


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(60))
@given(example=examples(), seed=st.integers(0, 1 << 30))
def test_cut_anywhere(example: Example, seed: int, background_files: list[Path]) -> None:
    check(example, seed, background_files)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
@settings(SETTINGS, max_examples=int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "5000")), derandomize=False)
@given(example=examples(), seed=st.integers(0, 1 << 30))
def test_cut_anywhere_at_length(example: Example, seed: int, background_files: list[Path]) -> None:
    check(example, seed, background_files)


def check(example: Example, seed: int, files: list[Path]) -> None:
    assume(example.at is None and example.stream)
    stream = sorted(example.stream, key=lambda each: each[1][1])
    try:
        with open_engine(example, files) as engine:
            compiled = [engine.query(str(number)) for number in range(len(example.queries))]
            triggers = engine.knowledge.triggers if example.entails else plain_triggers
            key = find_key([each.plan for each in compiled], triggers)
            engine.send_encoded(batch_of(stream))
            engine.finish()
            expected = tally(list(engine.matches()), len(example.queries))
    except (QueryError, RunTimeError):
        reject()
    choice = Random(seed)
    routes = key.routes if key.is_partitioned and not key.merge else None
    program = BucketProgram(
        program_of(example, files), "this one", keeps_time=" STEP " in str(example.queries)
    )
    found = tally(run(program, stream, routes, choice), len(example.queries))
    assert list(map(unnamed, found)) == list(map(unnamed, expected))


def run(program: BucketProgram, stream: Sequence[Occurrence], routes: Routes | None, choice: Random) -> list:
    delay = choice.choice((0, 0, 2, 5)) * SECOND
    micro_batches = MemoryStream(program, processes=(LiveEngines(), LiveEngines(limit=1)))
    least, most = bucket.LEAST_LOG, bucket.MOST_STEPS
    at_once = feeding.MOST_ANSWERS_AT_ONCE
    feeding.MOST_ANSWERS_AT_ONCE = choice.choice((2, at_once))
    bucket.LEAST_LOG, bucket.MOST_STEPS = choice.choice(((0, 1), (500, 2), (least, 3), (least, most)))
    try:
        for rows in cut(stream, delay, choice):
            micro_batches.micro_batch(
                in_buckets(rows, routes), delay, process=choice.randrange(2), fails=choice.random() < 0.2
            )
        micro_batches.end()
    finally:
        bucket.LEAST_LOG, bucket.MOST_STEPS = least, most
        feeding.MOST_ANSWERS_AT_ONCE = at_once
        micro_batches.close()
    return micro_batches.matches


def cut(stream: Sequence[Occurrence], delay: int, choice: Random) -> Iterator[list[Occurrence]]:
    arrival = {each: each[1][1] + choice.randint(0, delay) for each in stream}
    ordered = sorted(stream, key=arrival.__getitem__)
    while ordered:
        size = choice.choice((0, 1, 1, 2, 3, 5))
        yield ordered[:size]
        ordered = ordered[size:]


def in_buckets(rows: Sequence[Occurrence], routes: Routes | None) -> Mapping[int, list[Row]]:
    """The rows of each of three buckets; of one, where there is no key."""
    found: dict[int, list[Row]] = {}
    for triple, (start, end) in rows:
        number = 0 if routes is None else bucket_of(triple, routes)
        if number is not None:
            s, p, o = map(ntriples, triple)
            found.setdefault(number, []).append((start, end, s, p, o))
    return found


def bucket_of(triple: Sequence[Encoded], routes: Routes) -> int | None:
    positions = routes.positions.get(str(triple[1]), routes.other)
    if positions is None:
        return None
    return crc32(" ".join(ntriples(triple["spo".index(each)]) for each in positions).encode()) % 3


def program_of(example: Example, files: list[Path]) -> Program:
    return Program(
        tuple(QuerySource(str(number), text) for number, text in enumerate(example.queries)),
        EngineOptions.of(
            () if example.background is None else files[example.background],
            entailment="rdfs" if example.entails else "none",
            blank_node_prefix="some",
            graphs={graph: files[number] for graph, number in zip(GRAPHS, example.graphs, strict=False)},
        ),
    )


def unnamed(answers: Sequence[Answer]) -> Counter[Answer]:
    return Counter(nameless(answers))
