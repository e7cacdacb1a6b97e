"""Patterns worked out by hand from the formulas of docs/semantics.md, drawn: ``patterns/*.txt``.

Times are seconds; an answer is its start and end, then values, or a triple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import Query
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.engine.matches import Match
from tests.cases.drawn import (
    Case,
    given_after_snapshots,
    given_as_a_whole,
    given_shuffled,
    opened,
    read_cases,
    send,
    word,
)
from tests.oracle.program import World, answers, completed
from tests.oracle.solutions import Dataset, Triple
from tests.why.checker import Checker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.streaming.streams import Event

SECOND: Final = 1_000_000
CASES = list(read_cases("patterns", SECOND))
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


# ---- answers as text ---------------------------------------------------------------------------------------


def _shown(start: int, end: int, row: Iterable[tuple[str, Encoded]], triples: Iterable[Triple]) -> str:
    values = [f"{name}={word(term)}" for name, term in row]
    made = [".".join(map(word, each)) for each in triples]
    return " ".join([f"{start // SECOND}-{end // SECOND}", *values, *made])


def shown(match: Match) -> str:
    """An answer of an engine."""
    return _shown(match.start, match.end, match.encoded.items(), match.encoded_triples or ())


def _program(case: Case) -> tuple[list[Query], World]:
    """The queries of a case, and what they are asked of, for the evaluator."""
    ends = [each.interval[1] for each in case.elements]
    clock, placed = (min(ends), max(ends)), frozenset(case.elements)
    return [parse(text) for text in case.queries], World(
        frozenset(), case.background, clock=clock, placed=placed
    )


# ---- ways to run a case ------------------------------------------------------------------------------------


def rows_of(case: Case) -> list[Event]:
    """The elements as rows for Spark."""
    return [(*each.interval, *map(ntriples, each.triple)) for each in case.elements]


@EACH
def test_as_a_whole(case: Case, tmp_path: Path) -> None:
    assert given_as_a_whole(case, tmp_path, shown) == case.expected


@EACH
def test_by_the_formulas(case: Case) -> None:
    """The evaluator of the tests, which knows nothing of rules."""
    rows = answers(*_program(case))
    given: Counter[str] = Counter()
    for each in rows:
        for parts, start, end in each:
            if parts and all(len(part) == 3 for part in parts):  # type: ignore[arg-type]
                given[_shown(start, end, (), parts)] += 1  # type: ignore[arg-type]
            else:
                given[" ".join(sorted(_shown(start, end, parts, ()).split()))] += 1  # type: ignore[arg-type]
    assert given == Counter(
        {line if "." in line else " ".join(sorted(line.split())): n for line, n in case.expected.items()}
    )


@EACH
def test_with_a_snapshot_after_every_element(case: Case, tmp_path: Path) -> None:
    assert given_after_snapshots(case, tmp_path, shown) == case.expected


@EACH
def test_in_any_order_within_an_instant(case: Case, tmp_path: Path) -> None:
    assert all(given == case.expected for given in given_shuffled(case, tmp_path, shown))


@EACH
def test_explained(case: Case, tmp_path: Path) -> None:
    """A proof starts and ends as its answer, names only what the stream brought, and holds."""
    said = frozenset((each.triple, each.interval) for each in case.elements)
    complete = completed(*_program(case))
    with opened(case, tmp_path, trace=True) as engine:
        send(engine, case.elements)
        engine.finish()
        matches = list(engine.matches())
        assert Counter(map(shown, matches)) == case.expected
        queries = {name: engine.query(name) for name in case.named}
        checker = Checker(Dataset(said, case.background, clock=complete.clock), complete, queries)
        for match in matches:
            why = engine.why(match)
            assert why.proof.interval == match.interval
            assert {(each.said, each.interval) for each in why.events} <= said
            assert why.events or match.start == match.end
            assert str(why)
            checker.check(why)


# ---- on Spark ----------------------------------------------------------------------------------------------

_FEW: Final = ("what is not over ends with the whole input", "a deadline from the start")
ON_SPARK = pytest.mark.parametrize(
    "case",
    [pytest.param(each, marks=() if each.name in _FEW else pytest.mark.long) for each in CASES],
    ids=lambda case: case.name.replace(" ", "-"),
)


@pytest.mark.spark
@ON_SPARK
def test_on_spark(case: Case, tmp_path: Path, spark: SparkSession) -> None:
    from etalis_py.spark_udfs import detect
    from tests.spark.streaming.streams import answers_here, answers_there, in_microseconds

    streams = {each.stream for each in case.elements} != {DEFAULT_STREAM}
    columns = "start long, end long, s string, p string, o string" + (", stream string" if streams else "")
    places = ((f"<{each.stream}>",) if streams else () for each in case.elements)
    rows = [(*row, *place) for row, place in zip(rows_of(case), places, strict=True)]
    opened(case, tmp_path).close()
    known = [str(tmp_path / "background.nt")] if case.background else []
    answers = detect(spark.createDataFrame(rows, columns), case.named, background=known)
    found_there = answers_there(row.asDict(recursive=True) for row in in_microseconds(answers).collect())
    if not streams:
        assert found_there == answers_here(rows_of(case), case.named, background=known)
    assert found_there.total() == case.expected.total()
    assert Counter(each[1:3] for each in found_there.elements()) == Counter(
        tuple(int(each) * SECOND for each in line.split()[0].split("-")) for line in case.expected.elements()
    )


@pytest.mark.spark
@ON_SPARK
def test_on_a_stream_of_spark(case: Case, tmp_path: Path, spark: SparkSession) -> None:
    """What is certain when time has passed the last element."""
    from etalis_py.spark_udfs import detect
    from tests.spark.streaming.streams import (
        answers_here,
        answers_there,
        cut,
        in_microseconds,
        read_micro_batches,
        run_to_end,
        state_in_rocks_db,
        write_micro_batches,
    )

    if {each.stream for each in case.elements} != {DEFAULT_STREAM}:
        pytest.skip("these files have no column of streams")
    events = rows_of(case)
    write_micro_batches(tmp_path / "in", cut(events, 0, (2, 3), Random(case.name)))
    opened(case, tmp_path).close()
    known = [str(tmp_path / "background.nt")] if case.background else []
    with state_in_rocks_db(spark):
        answers = detect(read_micro_batches(spark, tmp_path / "in"), case.named, background=known, buckets=3)
        rows = run_to_end(in_microseconds(answers), tmp_path)
    until = max(end for _, end, *_ in events) + 1000
    assert answers_there(row.asDict(recursive=True) for row in rows) == answers_here(
        events, case.named, until, background=known
    )
