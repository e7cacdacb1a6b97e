"""Python functions that take columns: when they are called, and that the answers are those of row by row."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from etalis_py import vectorised
from etalis_py.core.errors import EtalisWarning
from etalis_py.engine import functions as functions_module
from etalis_py.engine.engine import Engine
from etalis_py.engine.function_columns import is_vectorised
from tests.engine.conftest import XSD, table
from tests.errors.test_messages import compare

Column = Sequence[Any]
ROWS = [(time, f"s{time % 7}", "p" if time % 2 else "q", time % 700) for time in range(1000)]


class Calls:
    """A function of one or two columns that counts its calls, and the function of rows that it is made of."""

    def __init__(self, of_row: Callable[..., object]) -> None:
        self.sizes: list[int] = []
        self._of_row = of_row

    def of_columns(self) -> Callable[..., object]:
        @vectorised
        def function(*columns: Column) -> list[object]:
            self.sizes.append(len(columns[0]))
            return [self._of_row(*each) for each in zip(*columns, strict=True)]

        return function


def answers(function: Callable[..., object], query: str, rows: Any, **options: Any) -> tuple[Any, ...]:
    """The answers, and how many calls were errors."""
    with Engine(functions={"urn:f": function}, **options) as engine:
        engine.register(f"PREFIX : <urn:> {query}", name="q")
        engine.send_batch(table(rows))
        engine.finish()
        found = [(match.start, match.end, match.encoded) for match in engine.matches()]
        return found, engine.function_errors


def double(value: Any) -> object:
    return 2 * value


@pytest.mark.parametrize(
    ("query", "sizes"),
    [
        ("SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }", [350]),
        ("SELECT ?s ?v { ?s :p ?v FILTER(:f(?v) > 100) FILTER(:f(?v) < 200) }", [350]),
        ("SELECT ?w { ?s ?p ?v BIND(:f(?v) AS ?w) }", [700]),
        ("SELECT ?w { :s3 :p ?v BIND(:f(?v) AS ?w) }", [50]),
        ("SELECT (:f(?v) AS ?w) { { ?s :p ?v } UNION { ?s :q ?v } }", [700]),
        ("SELECT ?s (SUM(:f(?v)) AS ?w) { ?s :p ?v } GROUP BY ?s", [350]),
        ("SELECT ?s { ?s :q ?o FILTER EXISTS { ?s :p ?v FILTER(:f(?v) > 100) } }", [350]),
        ("SELECT ?s ?v { { ?s :p ?v } SEQ { ?s :p 5 } FILTER(:f(?v) > 100) }", [350]),
    ],
)
def test_one_call_for_a_batch_and_the_same_answers(query: str, sizes: list[int]) -> None:
    calls = Calls(double)
    found = answers(calls.of_columns(), query, ROWS)
    assert found == answers(double, query, ROWS)
    assert found[0]
    assert calls.sizes == sizes


def test_several_arguments_and_constants() -> None:
    def weigh(value: Any, name: Any, factor: Any) -> object:
        return f"{name} {value * factor}"

    calls = Calls(weigh)
    query = "SELECT ?w { ?s :p ?v BIND(:f(?v, ?s, 3) AS ?w) }"
    assert answers(calls.of_columns(), query, ROWS) == answers(weigh, query, ROWS)
    assert calls.sizes == [350]


def test_what_is_not_of_one_pattern_is_called_row_by_row() -> None:
    rows = [(0, "a", "p", 1), (1, "a", "q", 2), (2, "b", "q", 3), (3, "a", "q", 4)]
    query = "SELECT ?w { { ?x :p ?v } SEQ { ?x :q ?u } BIND(:f(?v, ?u) AS ?w) }"
    calls = Calls(lambda one, other: one + other)
    found, _ = answers(calls.of_columns(), query, rows)
    assert [row["w"][0] for *_, row in found] == [3, 5]
    assert set(calls.sizes) == {1}


def test_one_row_by_entailment_and_one_of_the_background(tmp_path: Any) -> None:
    (tmp_path / "b.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "<urn:r> rdfs:subPropertyOf <urn:p> . <urn:s1> <urn:k> 7 ."
    )
    rows = [(0, "s1", "p", 1), (1, "s1", "r", 2), (2, "s1", "p", 3)]
    query = "SELECT ?w ?z { ?s :p ?v . ?s :k ?u BIND(:f(?v) AS ?w) BIND(:f(?u) AS ?z) }"
    options = {"background": str(tmp_path / "b.ttl")}
    calls = Calls(double)
    found = answers(calls.of_columns(), query, rows, **options)
    assert found == answers(double, query, rows, **options)
    assert len(found[0]) == 3
    assert calls.sizes[0] == 2


def no_threes(value: Any) -> object:
    if value % 3 == 0:
        raise ValueError("no threes")
    return None if value % 5 == 0 else object() if value % 7 == 0 else value


@pytest.mark.parametrize(
    "query",
    ["SELECT ?v ?w { ?s :p ?v BIND(:f(?v) AS ?w) }", "SELECT ?v { ?s :p ?v FILTER(:f(?v) > 0) }"],
)
def test_a_bad_value_among_others_is_an_error_alone(query: str) -> None:
    with pytest.warns(EtalisWarning, match="EW51"):
        expected = answers(no_threes, query, ROWS)
    calls = Calls(no_threes)
    with pytest.warns(EtalisWarning) as told:
        assert answers(calls.of_columns(), query, ROWS) == expected
    assert expected[1]["urn:f"] > 100
    assert calls.sizes[0] == 350
    assert set(calls.sizes[1:]) == {1}
    assert [warning.message.code for warning in told] == ["EW52", "EW51"]  # type: ignore[union-attr]
    compare("EW52", f"{told[0].message}\n")


def test_none_and_what_is_no_term_spoil_no_column() -> None:
    def mixed(value: Any) -> object:
        return None if value % 5 == 0 else object() if value == 7 else value

    query = "SELECT ?v ?w { ?s :p ?v BIND(:f(?v) AS ?w) }"
    with pytest.warns(EtalisWarning, match="EW51"):
        expected = answers(mixed, query, ROWS)
    calls = Calls(mixed)
    with pytest.warns(EtalisWarning, match="EW51") as told:
        assert answers(calls.of_columns(), query, ROWS) == expected
    assert len(told) == 1
    assert calls.sizes[0] == 350
    assert len(calls.sizes) == 1 + expected[1]["urn:f"]  # the 7 alone is asked for again


@pytest.mark.parametrize("result", [[], [1, 2, 3], "ab", 5, None, {1: 2, 3: 4}])
def test_what_is_no_column_is_an_error(result: object) -> None:
    with pytest.warns(EtalisWarning, match="EW51"):
        found, errors = answers(
            vectorised(lambda _: result),
            "SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }",
            [(0, "s", "p", 1), (1, "s", "p", 2)],
        )
    assert [row.get("w") for *_, row in found] == [None, None]
    assert errors == {"urn:f": 2}


def test_an_array_is_a_column() -> None:
    numpy = pytest.importorskip("numpy")
    query = "SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }"
    assert answers(vectorised(numpy.negative), query, ROWS) == answers(lambda each: -each, query, ROWS)


def test_zeros_of_both_signs_are_two_values() -> None:
    def sign(value: Any) -> object:
        return math.copysign(1.0, value)

    rows = [(time, "s", "p", f'"{text}"^^<{XSD}double>') for time, text in enumerate(["0", "-0", "1", "NaN"])]
    query = "SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }"
    found = answers(Calls(sign).of_columns(), query, rows)
    assert str(found) == str(answers(sign, query, rows))
    assert [row["w"][0] for *_, row in found[0]] == [1.0, -1.0, 1.0, 1.0]


def test_the_open_instant_needs_no_second_call_in_the_next_batch() -> None:
    calls = Calls(double)
    with Engine(functions={"urn:f": calls.of_columns()}) as engine:
        engine.register("PREFIX : <urn:> SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }")
        for first in range(0, 1000, 100):
            engine.send_batch(table(ROWS[first : first + 100]))
        engine.finish()
        assert len(list(engine.matches())) == 500
    assert calls.sizes == [50] * 7  # the values are those of the first 700 rows again


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions_module, "MOST_KEPT", 20)
    query = "SELECT ?w { ?s :p ?v BIND(:f(?v) AS ?w) }"
    calls = Calls(double)
    assert answers(calls.of_columns(), query, ROWS) == answers(double, query, ROWS)
    assert calls.sizes[0] == 350
    assert len(calls.sizes) > 300


@vectorised
def of_module(values: Column) -> list[object]:
    return [double(each) for each in values]


def test_a_mark_travels_to_sparks_workers() -> None:
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")

    @vectorised
    def of_function(values: Column) -> list[object]:
        return list(values)

    for each in (of_module, of_function, vectorised(len)):
        assert is_vectorised(pickle.loads(cloudpickle.dumps(each)))
    assert not is_vectorised(double)
    assert not is_vectorised(len)
