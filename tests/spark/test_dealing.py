"""Dealing out, without Spark: an engine for every key gives together what one engine gives.

On random programs and streams, so that a program that is said to have a key has one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, reject, settings

from etalis_py.compiler.partition.join_key import KeyPlan, find_key
from etalis_py.compiler.partition.routes import Routes
from etalis_py.compiler.plan.triggers import plain_triggers
from etalis_py.core.errors import QueryError, RunTimeError
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.engine.engine import Engine
from etalis_py.spark_udfs.planning.program import QuerySource, compile_all
from etalis_py.streams import Batch
from tests.effort import tries
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.checking import nameless
from tests.oracle.examples import Example, examples
from tests.oracle.running import open_engine, tally
from tests.oracle.solutions import Answer, Occurrence

SETTINGS = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("known")
    for number, triples in enumerate(BACKGROUNDS):
        lines = (" ".join(map(ntriples, triple)) + " .\n" for triple in triples)
        (folder / f"{number}.nt").write_text("".join(lines), encoding="utf-8")
    return [folder / f"{number}.nt" for number in range(len(BACKGROUNDS))]


@pytest.mark.random
@settings(SETTINGS, max_examples=tries(100))
@given(example=examples())
def test_parts_give_what_the_whole_gives(example: Example, files: list[Path]) -> None:
    check(example, files)


@pytest.mark.random
@pytest.mark.long
@pytest.mark.timeout(0)
@settings(SETTINGS, max_examples=int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "20000")), derandomize=False)
@given(example=examples())
def test_parts_give_what_the_whole_gives_at_length(example: Example, files: list[Path]) -> None:
    check(example, files)


def check(example: Example, files: list[Path]) -> None:
    assume(example.at is None)  # what is at one instant is not dealt out
    sources = [QuerySource(str(number), text) for number, text in enumerate(example.queries)]
    count = len(sources)
    try:
        if example.background is None:  # most programs have no key: tell them apart without an engine
            assume(find_key([each.plan for each in compile_all(sources)]).is_partitioned)
        with open_engine(example, files) as engine:
            compiled = [engine.query(source.name) for source in sources]
            triggers = engine.knowledge.triggers if example.entails else plain_triggers
            key = find_key([each.plan for each in compiled], triggers)
            assume(key.is_partitioned)
            whole = run(engine, sorted(example.stream, key=end_of), count)
    except (QueryError, RunTimeError):
        reject()
    total = [Counter[Answer]() for _ in range(count)]
    parts = list(deal(example.stream, key.routes))
    for number, part in enumerate(parts):
        with open_engine(example, files) as engine:
            for own, found in zip(total, run(engine, part, count), strict=True):
                own.update(renamed(found, f"part {number} "))
    known = example.background is not None
    event(f"{min(len(parts), 3)} parts, {min(sum(map(len, whole)), 3)} answers, background {known}")
    together = (merged(key, each.plan.number, found) for each, found in zip(compiled, total, strict=True))
    assert list(map(unnamed, together)) == list(map(unnamed, whole))


def unnamed(answers: Counter[Answer]) -> Counter[Answer]:
    """The answers as a bag, whatever new blank nodes are called."""
    return Counter(nameless(answers.elements()))


def renamed(answers: Counter[Answer], name: str) -> Counter[Answer]:
    """The answers with blank nodes that no other part has, as Spark's workers call them."""
    return Counter(
        {(rename(parts, name), start, end): count for (parts, start, end), count in answers.items()}
    )


def rename(part: Any, name: str) -> Any:
    if isinstance(part, (tuple, frozenset)):
        return type(part)(rename(each, name) for each in part)
    return f"_:{name}{part}" if isinstance(part, str) and part.startswith("_:") else part


def deal(stream: frozenset[Occurrence], routes: Routes) -> Iterator[list[Occurrence]]:
    parts: dict[tuple[Encoded, ...], list[Occurrence]] = {}
    for triple, interval in sorted(stream, key=end_of):
        assert isinstance(triple[1], str)
        positions = routes.positions.get(triple[1], routes.other)
        if positions is not None:
            key = tuple(triple["spo".index(each)] for each in positions)
            parts.setdefault(key, []).append((triple, interval))
    yield from parts.values()


def end_of(occurrence: Occurrence) -> int:
    return occurrence[1][1]


def run(engine: Engine, occurrences: Sequence[Occurrence], count: int) -> list[Counter[Answer]]:
    starts, ends = ([interval[place] for _, interval in occurrences] for place in (0, 1))
    s, p, o = ([triple[place] for triple, _ in occurrences] for place in range(3))
    engine.send_encoded(Batch(starts, ends, s, p, o, None, ["x"] * len(ends), range(len(ends))))
    engine.finish()
    return [Counter(answers) for answers in tally(list(engine.matches()), count)]


def merged(key: KeyPlan, number: int, found: Counter[Answer]) -> Counter[Answer]:
    return Counter(set(found)) if number in key.merge else found
