"""Windows on streams worked out by hand from the formulas of RSP-QL and RSEP-QL: ``windows/*.txt``.

A second is a microsecond, so that the evaluator of the tests can look at each. An answer is the instant of
its evaluation, then values, or a triple.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import Encoded, ntriples
from etalis_py.core.vocabulary import DEFAULT_STREAM
from etalis_py.engine.matches import Match
from tests.cases.drawn import (
    NAMESPACE,
    Case,
    given_after_snapshots,
    given_as_a_whole,
    given_shuffled,
    opened,
    read_cases,
    send,
    word,
)
from tests.oracle.solutions import Placed, Triple
from tests.oracle.windowed import Row, evaluations, rows_given

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = list(read_cases("windows", 1))
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


def shown(match: Match) -> str:
    """An answer of an engine."""
    assert match.start == match.end
    if match.encoded_triples is not None:
        return _made(match.end, match.encoded_triples)
    return _row(match.end, match.encoded.items())


def _row(time: int, row: Iterable[tuple[str, Encoded]]) -> str:
    return " ".join([str(time), *sorted(f"{name}={word(term).lower()}" for name, term in row)])


def _made(time: int, triples: Iterable[Triple]) -> str:
    return " ".join([str(time), *sorted(".".join(map(word, each)) for each in triples)])


def wanted(case: Case) -> Counter[str]:
    """The answers that are expected, values in the order of their names."""
    return Counter(
        " ".join([line.split()[0], *sorted(line.split()[1:])]) for line in case.expected.elements()
    )


def test_there_are_enough() -> None:
    assert len(CASES) >= 24


@EACH
def test_as_a_whole(case: Case, tmp_path: Path) -> None:
    assert given_as_a_whole(case, tmp_path, shown) == wanted(case)


@EACH
def test_by_the_formulas(case: Case) -> None:
    assert given_by_formulas(case) == wanted(case)


def given_by_formulas(case: Case, graphs: Mapping[str, frozenset[Triple]] | None = None) -> Counter[str]:
    """What queries give; what a query makes, those behind it read."""
    given, placed = Counter[str](), frozenset(case.elements)
    for text in case.queries:
        query = parse(text)
        for time, rows in rows_given(query, evaluations(query, placed, case.background, graphs)):
            if isinstance(query.form, syntax.Construct):
                made = _template(query, query.form, time, rows)
                placed |= made
                given.update(_made(time, [each.triple]) for each in made)
            elif isinstance(query.form, syntax.Describe):
                triples = [tuple(dict(row)[each] for each in "spo") for row in rows]
                given.update(_made(time, [each]) for each in triples)
                if query.registration is not None:
                    placed |= {Placed(each, (time, time), _output(query)) for each in triples}
            else:
                given.update(_row(time, row) for row in rows.elements())
    return given


def _output(query: syntax.Query) -> str:
    """The stream that a query makes."""
    names, registration = Names(query.prologue, text=query.text), query.registration
    name = "" if registration is None else registration.name
    return names.resolve(syntax.IriRef(name, span=query.form.span) if isinstance(name, str) else name)


def _template(
    query: syntax.Query, form: syntax.Construct, time: int, rows: Iterable[Row]
) -> frozenset[Placed]:
    """One element with what each row makes of a template of one triple."""
    names, stream = Names(query.prologue, text=query.text), _output(query)
    ((subject, properties),) = ((each.subject, each.properties) for each in form.template)
    ((verb, (target,)),) = ((each.verb, each.objects) for each in properties)

    def value(term: syntax.Node, row: Row) -> Encoded:
        return dict(row)[term.name] if isinstance(term, syntax.Variable) else names.resolve(term)

    return frozenset(
        Placed(
            (value(subject, row), value(verb, row), value(target, row)),
            (time, time),
            stream,
        )
        for row in rows
    )


@EACH
def test_with_a_snapshot_after_every_element(case: Case, tmp_path: Path) -> None:
    assert given_after_snapshots(case, tmp_path, shown) == wanted(case)


@EACH
def test_in_any_order_within_an_instant(case: Case, tmp_path: Path) -> None:
    assert all(given == wanted(case) for given in given_shuffled(case, tmp_path, shown))


@EACH
def test_explained(case: Case, tmp_path: Path) -> None:
    """A proof is of its answer, at its instant, and names what the stream brought by then."""
    said = {(each.triple, each.interval) for each in case.elements}
    with opened(case, tmp_path, trace=True) as engine:
        send(engine, case.elements)
        engine.finish()
        matches = list(engine.matches())
        assert Counter(map(shown, matches)) == wanted(case)
        for match in matches:
            why = engine.why(match)
            assert why.proof.interval == match.interval
            assert {(each.said, each.interval) for each in why.events} <= said
            assert all(each.interval[1] <= match.end for each in why.events)
            assert str(why)


# ---- on Spark ----------------------------------------------------------------------------------------------


def _has_one_time(case: Case) -> bool:
    """Whether each element with a name has one, as events from outside must (EP414)."""
    times = {(each.stream, each.graph, each.interval) for each in case.elements if each.graph is not None}
    return len(times) == len({named[:2] for named in times})


_FEW: Final = ("unnamed windows and the background are one graph", CASES[-1].name)
ON_SPARK = pytest.mark.parametrize(
    "case",
    [
        pytest.param(each, marks=() if each.name in _FEW else pytest.mark.long)
        for each in CASES
        if _has_one_time(each)
    ],
    ids=lambda case: case.name.replace(" ", "-"),
)
_SCHEMA: Final = "start long, end long, s string, p string, o string, stream string, graph string"
_LATER: Final = 2000
"""Microseconds: time passes this, by far after the last element. Spark's watermarks are of milliseconds."""


def _rows(elements: Iterable[Placed]) -> list[tuple[Any, ...]]:
    """Elements as rows for Spark."""

    def place(name: str | None) -> str | None:
        return None if name is None or name == DEFAULT_STREAM else f"<{name}>"

    return [
        (*each.interval, *map(ntriples, each.triple), place(each.stream), place(each.graph))
        for each in elements
    ]


def _shown_there(row: Mapping[str, Any]) -> str:
    """An answer of Spark."""
    assert row["start"] == row["end"]
    if row.get("triples"):
        return _made(row["end"], (tuple(each[place]["value"] for place in "spo") for each in row["triples"]))
    fixed = ("query", "start", "end", "triples", "watermark")
    terms = {name: term["value"] for name, term in row.items() if name not in fixed and term is not None}
    return _row(row["end"], terms.items())


@pytest.mark.spark
@ON_SPARK
def test_on_spark(case: Case, tmp_path: Path, spark: SparkSession) -> None:
    from etalis_py.spark_udfs import detect
    from tests.spark.streaming.streams import in_microseconds

    opened(case, tmp_path).close()
    events = spark.createDataFrame(_rows(case.elements), _SCHEMA)
    answers = detect(events, case.named, background=_known(case, tmp_path))
    rows = in_microseconds(answers).collect()
    assert Counter(_shown_there(row.asDict(recursive=True)) for row in rows) == wanted(case)


@pytest.mark.spark
@pytest.mark.long
def test_a_name_with_two_times_is_no_input_of_spark(tmp_path: Path, spark: SparkSession) -> None:
    from pyspark.errors import PythonException

    from etalis_py.spark_udfs import detect

    (case,) = (each for each in CASES if not _has_one_time(each))
    with pytest.raises(PythonException, match=r"EP414 events: the graph <urn:x:g> has two times"):
        detect(spark.createDataFrame(_rows(case.elements), _SCHEMA), case.named).collect()


@pytest.mark.spark
@ON_SPARK
def test_on_a_stream_of_spark(case: Case, tmp_path: Path, spark: SparkSession) -> None:
    """What is certain when time has passed the last element by far."""
    from pyspark.sql import functions as f

    from etalis_py.spark_udfs import detect
    from tests.spark.streaming.streams import in_microseconds, run_to_end, state_in_rocks_db

    later = Placed((f"{NAMESPACE}nobody",) * 3, (_LATER, _LATER), f"{NAMESPACE}nowhere")
    _write([case.elements[:2], case.elements[2:], [later]], tmp_path / "in")
    with opened(case, tmp_path) as engine:
        send(engine, case.elements)
        engine.advance(_LATER)
        expected = Counter(map(shown, engine.matches()))
        engine.discard()
    files = spark.readStream.schema(_SCHEMA).option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    timed = files.withColumn("end", f.timestamp_micros("end")).withWatermark("end", "0 microseconds")
    with state_in_rocks_db(spark):
        answers = detect(timed, case.named, background=_known(case, tmp_path), buckets=3)
        rows = run_to_end(in_microseconds(answers), tmp_path)
    assert Counter(_shown_there(row.asDict(recursive=True)) for row in rows) == expected


def _known(case: Case, folder: Path) -> list[str]:
    return [str(folder / "background.nt")] if case.background else []


def _write(parts: Sequence[Sequence[Placed]], folder: Path) -> None:
    """A file for each part that has elements."""
    names = _SCHEMA.replace(" long", "").replace(" string", "").split(", ")
    folder.mkdir()
    for number, part in enumerate(filter(None, parts)):
        lines = (json.dumps(dict(zip(names, row, strict=True))) for row in _rows(part))
        (folder / f"{number}.json").write_text("\n".join(lines), encoding="utf-8")
