"""Patterns worked out by hand from the formulas of docs/semantics.md, drawn: ``patterns/*.txt``.

``===`` begins a case with its name, ``#`` explains and draws it. Then its queries, with ``;;`` between two of
them. ``>`` are the elements, by commas: ``second subject predicate object @stream``, ``2-5`` for what lasts;
``@`` is background. ``<`` are the answers: seconds, then values, or a triple with dots. A word is
``<urn:x:word>``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest

from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import Query
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import DEFAULT_STREAM, XSD_INTEGER
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from etalis_py.streams.batch import Batch
from tests.oracle.program import World, answers, completed
from tests.oracle.solutions import Dataset, Placed, Triple
from tests.why.checker import Checker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.spark.streaming.streams import Event

SECOND: Final = 1_000_000
_NAMESPACE: Final = "urn:x:"
_match_element = re.compile(r"(\d+)(?:-(\d+))? (\w+) (\w+) (\w+)(?: @(\w+))?").fullmatch


@dataclass(frozen=True)
class Case:
    """One case; ``elements`` are in the order of their ends."""

    name: str
    topic: str
    queries: tuple[str, ...]
    elements: tuple[Placed, ...]
    background: frozenset[Triple]
    expected: Counter[str]

    @property
    def named(self) -> dict[str, str]:
        """The queries by name, the number of each."""
        return {str(number): text for number, text in enumerate(self.queries)}


def cases() -> Iterator[Case]:
    """All of them."""
    for file in sorted((Path(__file__).parent / "patterns").glob("*.txt")):
        for text in file.read_text(encoding="utf-8").split("=== ")[1:]:
            yield _case(file.stem, text)


def _case(topic: str, text: str) -> Case:
    name, *lines = text.splitlines()
    marked: dict[str, list[str]] = {mark: [] for mark in "#><@"}
    query: list[str] = []
    for line in filter(None, lines):
        marked.get(line[0], query).append(line if line[0] not in marked else line[1:].strip())
    assert marked["#"], f"{name}: no timeline"
    queries = tuple(f"PREFIX : <{_NAMESPACE}> {each}" for each in "\n".join(query).split(";;"))
    known = (tuple(map(_term, each.split())) for line in marked["@"] for each in line.split(","))
    elements = sorted(map(_element, ", ".join(marked[">"]).split(", ")), key=lambda each: each.interval[1])
    return Case(name, topic, queries, tuple(elements), frozenset(known), Counter(marked["<"]))


def _element(text: str) -> Placed:
    match = _match_element(text)
    assert match is not None, text
    start, end, subject, predicate, target, stream = match.groups()
    times = int(start) * SECOND, int(end or start) * SECOND
    place = _NAMESPACE + stream if stream else DEFAULT_STREAM
    return Placed((_NAMESPACE + subject, _NAMESPACE + predicate, _term(target)), times, place, None)


def _term(word: str) -> Encoded:
    return (int(word), XSD_INTEGER) if word.isdigit() else _NAMESPACE + word


CASES = list(cases())
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


# ---- answers as text ---------------------------------------------------------------------------------------


def _shown(start: int, end: int, row: Iterable[tuple[str, Encoded]], triples: Iterable[Triple]) -> str:
    values = [f"{name}={_word(term)}" for name, term in row]
    made = [".".join(map(_word, each)) for each in triples]
    return " ".join([f"{start // SECOND}-{end // SECOND}", *values, *made])


def _word(term: Encoded) -> str:
    return str(term[0]) if isinstance(term, tuple) else term.removeprefix(_NAMESPACE)


def found(matches: Iterable[Match]) -> Counter[str]:
    """The answers of an engine."""
    return Counter(
        _shown(match.start, match.end, match.encoded.items(), match.encoded_triples or ())
        for match in matches
    )


def _program(case: Case) -> tuple[list[Query], World]:
    """The queries of a case, and what they are asked of, for the evaluator."""
    ends = [each.interval[1] for each in case.elements]
    clock, placed = (min(ends), max(ends)), frozenset(case.elements)
    return [parse(text) for text in case.queries], World(
        frozenset(), case.background, clock=clock, placed=placed
    )


# ---- ways to run a case ------------------------------------------------------------------------------------


def opened(case: Case, folder: Path, **options: Any) -> Engine:
    """An engine with the background and the queries of a case."""
    known = folder / "background.nt"
    known.write_text("".join(" ".join(map(ntriples, each)) + " .\n" for each in case.background))
    engine = Engine([str(known)] if case.background else [], **options)
    for name, text in case.named.items():
        engine.register(text, name=name)
    return engine


def send(engine: Engine, elements: Sequence[Placed]) -> None:
    """Elements as one batch."""
    starts, ends = zip(*(each.interval for each in elements), strict=True)
    s, p, o = zip(*(each.triple for each in elements), strict=True)
    streams = [None if each.stream == DEFAULT_STREAM else each.stream for each in elements]
    rows = list(range(1, len(elements) + 1))
    engine.send_encoded(Batch(starts, ends, s, p, o, None, ["case"] * len(rows), rows, streams))


def rows_of(case: Case) -> list[Event]:
    """The elements as rows for Spark."""
    return [(*each.interval, *map(ntriples, each.triple)) for each in case.elements]


@EACH
def test_as_a_whole(case: Case, tmp_path: Path) -> None:
    with opened(case, tmp_path) as engine:
        send(engine, case.elements)
        engine.finish()
        assert found(engine.matches()) == case.expected


@EACH
def test_by_the_formulas(case: Case) -> None:
    """The evaluator of the tests, which knows nothing of rules."""
    rows = answers(*_program(case))
    shown: Counter[str] = Counter()
    for each in rows:
        for parts, start, end in each:
            if parts and all(len(part) == 3 for part in parts):  # type: ignore[arg-type]
                shown[_shown(start, end, (), parts)] += 1  # type: ignore[arg-type]
            else:
                shown[" ".join(sorted(_shown(start, end, parts, ()).split()))] += 1  # type: ignore[arg-type]
    assert shown == Counter(
        {line if "." in line else " ".join(sorted(line.split())): n for line, n in case.expected.items()}
    )


@EACH
def test_with_a_snapshot_after_every_element(case: Case, tmp_path: Path) -> None:
    engine, given = opened(case, tmp_path), Counter[str]()
    try:
        for element in case.elements:
            send(engine, [element])
            given += found(engine.matches())
            state = engine.snapshot()
            engine.close()
            engine = opened(case, tmp_path)
            engine.restore([state])
        engine.finish()
        given += found(engine.matches())
    finally:
        engine.close()
    assert given == case.expected


@EACH
def test_in_any_order_within_an_instant(case: Case, tmp_path: Path) -> None:
    choice = Random(case.name)
    for _ in range(3):
        instants = [list(each) for _, each in groupby(case.elements, key=lambda each: each.interval[1])]
        for each in instants:
            choice.shuffle(each)
        with opened(case, tmp_path) as engine:
            for each in instants:
                send(engine, each)
            engine.finish()
            assert found(engine.matches()) == case.expected


@EACH
def test_explained(case: Case, tmp_path: Path) -> None:
    """A proof starts and ends as its answer, names only what the stream brought, and holds."""
    said = frozenset((each.triple, each.interval) for each in case.elements)
    complete = completed(*_program(case))
    with opened(case, tmp_path, trace=True) as engine:
        send(engine, case.elements)
        engine.finish()
        matches = list(engine.matches())
        assert found(matches) == case.expected
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
