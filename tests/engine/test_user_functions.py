"""Python functions that queries call by IRI."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from rdflib import BNode, Literal, URIRef

from etalis_py.cli import main
from etalis_py.core.errors import CompileError, EtalisWarning, UsageError
from etalis_py.engine.engine import Engine
from etalis_py.engine.functions import load_functions
from tests.engine.conftest import XSD, table
from tests.errors.test_messages import compare

Function = Callable[..., object]
QUERY = "PREFIX : <urn:> SELECT ?s ?w { ?s :p ?v BIND(:f(?v) AS ?w) }"


def value_of(function: Function, term: str) -> Any:
    """The encoded value of a call; None where it has none."""
    with Engine(functions={"urn:f": function}) as engine:
        engine.register(QUERY)
        engine.send_batch(table([(0, "s", "p", term)]))
        engine.finish()
        [match] = engine.matches()
        return match.encoded.get("w")


def same(value: object) -> object:
    return value


@pytest.mark.parametrize(
    ("term", "argument"),
    [
        (f'"5"^^<{XSD}integer>', 5),
        (f'"05"^^<{XSD}integer>', 5),
        (f'"-1.25"^^<{XSD}decimal>', Decimal("-1.25")),
        (f'"1e300"^^<{XSD}double>', 1e300),
        (f'"true"^^<{XSD}boolean>', True),
        ('"text"', "text"),
        (f'"2026-03-02T09:00:00+01:00"^^<{XSD}dateTime>', datetime(2026, 3, 2, 8, tzinfo=timezone.utc)),
        (f'"PT1M"^^<{XSD}dayTimeDuration>', timedelta(minutes=1)),
        ("<urn:x>", URIRef("urn:x")),
        ("_:b", BNode("b")),
        ('"hi"@en', Literal("hi", lang="en")),
        (f'"x"^^<{XSD}integer>', Literal("x", datatype=URIRef(XSD + "integer"), normalize=False)),
        (f'"P1M"^^<{XSD}duration>', Literal("P1M", datatype=URIRef(XSD + "duration"), normalize=False)),
        (f'"5"^^<{XSD}byte>', Literal("5", datatype=URIRef(XSD + "byte"), normalize=False)),
    ],
)
def test_an_argument_is_a_python_value_or_a_term(term: str, argument: object) -> None:
    seen = []
    value_of(seen.append, term)
    assert [type(each) for each in seen] == [type(argument)]
    assert seen == [argument]


@pytest.mark.parametrize(
    ("result", "encoded"),
    [
        (True, (True, XSD + "boolean")),
        (3, (3, XSD + "integer")),
        (10**30, (10**30, XSD + "integer")),
        (Decimal("1.50"), (Fraction(3, 2), XSD + "decimal")),
        (Fraction(1, 3), (Fraction(333333333333333333, 10**18), XSD + "decimal")),
        (0.5, (0.5, XSD + "double")),
        ("urn:x", ("urn:x", XSD + "string")),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), (1_000_000, XSD + "dateTime")),
        (timedelta(seconds=-1), ((0, -1_000_000), XSD + "dayTimeDuration")),
        (URIRef("urn:x"), "urn:x"),
        (BNode("b"), "_:b"),
        (Literal("hi", lang="en"), ("hi", "@en")),
        (None, None),
    ],
)
def test_a_result_is_a_python_value_or_a_term(result: object, encoded: object) -> None:
    assert value_of(lambda _: result, "<urn:x>") == encoded


@pytest.mark.parametrize(
    "result",
    [object(), [1], Decimal("NaN"), datetime(1970, 1, 1), "\ud800", URIRef("no scheme")],  # noqa: DTZ001
)
def test_any_other_result_is_an_error(result: object) -> None:
    with pytest.warns(EtalisWarning, match="EW51"):
        assert value_of(lambda _: result, "<urn:x>") is None


def failing(value: object) -> object:
    if value == 2:
        raise ValueError("no twos")
    return value


def test_what_a_function_raises_is_an_error_value_told_once() -> None:
    with Engine(functions={"urn:f": failing}) as engine:
        engine.register("PREFIX : <urn:> SELECT ?v { ?s :p ?v FILTER(:f(?v) > 0) }", name="filter")
        engine.register(QUERY, name="bind")
        with pytest.warns(EtalisWarning) as told:
            engine.send_batch(table((time, "s", "p", value) for time, value in enumerate([1, 2, 3, 2, 2])))
        engine.finish()
        assert [row.encoded["v"][0] for row in engine.matches("filter")] == [1, 3]
        found = [row.encoded.get("w") for row in engine.matches("bind")]
        assert [each and each[0] for each in found] == [1, None, 3, None, None]
        assert engine.function_errors == {"urn:f": 6}
    [warning] = told
    compare("EW51", f"{warning.message}\n")


def test_a_function_that_nobody_registered_is_an_error_value_and_a_warning() -> None:
    text = (
        "PREFIX ex: <http://example.org/>\nSELECT ?x {\n  ?x ex:p ?v FILTER(COALESCE(ex:chaep(?v), true)) }"
    )
    with Engine(functions={"http://example.org/cheap": failing}) as engine:
        with pytest.warns(EtalisWarning) as told:
            engine.register(text, source="q.rq")
        rows = [(0, "<http://example.org/x>", "<http://example.org/p>", 1)]
        engine.send_batch(table(rows))
        engine.finish()
        assert len(list(engine.matches())) == 1
    [warning] = told
    compare("EW50", f"{warning.message}\n")


def test_a_cast_is_no_function_of_the_users() -> None:
    with warnings.catch_warnings(), Engine() as engine:
        warnings.simplefilter("error")
        engine.register("SELECT * { ?x <urn:p> ?y FILTER(xsd:integer(?y) > 1 && STRLEN(?y) > 1) }")


@pytest.mark.parametrize("call", ["<urn:f>(DISTINCT ?y)", "<f>(?y)"])
def test_what_cannot_be_a_function_is_refused(call: str) -> None:
    with Engine() as engine, pytest.raises(CompileError, match="EP202"):
        engine.register(f"SELECT * {{ ?x <urn:p> ?y FILTER({call}) }}")


def test_two_engines_share_no_functions() -> None:
    assert value_of(lambda _: 1, "<urn:x>") == (1, XSD + "integer")
    assert value_of(lambda _: 2, "<urn:x>") == (2, XSD + "integer")
    one, other = Engine(functions={"urn:f": lambda _: 1}), Engine(functions={"urn:f": lambda _: 2})
    with one, other:
        for engine in (one, other):
            engine.register(QUERY)
            engine.send_batch(table([(0, "s", "p", "x")]))
            engine.finish()
        assert [match.encoded["w"][0] for engine in (one, other) for match in engine.matches()] == [1, 2]


def test_a_function_may_use_an_engine() -> None:
    def inner(value: object) -> object:
        with Engine(functions={"urn:f": lambda each: f"{each}!"}) as engine:
            engine.register(QUERY)
            engine.send_batch(table([(0, "s", "p", f'"{value}"')]))
            engine.finish()
            [match] = engine.matches()
            return match.encoded["w"][0]

    assert value_of(inner, '"x"') == ("x!", XSD + "string")


def test_state_goes_on_under_the_same_functions_only() -> None:
    text = "PREFIX : <urn:> SELECT ?v { { ?s :p ?v } SEQ { ?s :q ?w } FILTER(:f(?v, ?w)) }"

    def engine(iri: str = "urn:f", answer: bool = True) -> Engine:
        made = Engine(functions={iri: lambda _one, _other: answer})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made.register(text)
        return made

    with engine() as first:
        first.send_batch(table([(0, "s", "p", 1)]))
        state = first.snapshot()
        first.discard()
    with engine() as second:
        second.restore([state])
        second.send_batch(table([(1, "s", "q", 2)]))
        second.finish()
        assert len(list(second.matches())) == 1
    with engine("urn:g") as third, pytest.raises(UsageError, match="EP574"):
        third.restore([state])


def test_why_of_an_answer_with_a_function() -> None:
    with Engine(functions={"urn:f": same}, trace=True) as engine:
        engine.register(QUERY)
        engine.send_batch(table([(0, "s", "p", 1)]))
        engine.finish()
        [match] = engine.matches()
        assert "BIND :f(?v) AS ?w: 1" in str(engine.why(match))


@pytest.mark.parametrize("functions", [[same], {"f": same}, {"urn:f": 5}, {5: same}])
def test_functions_that_are_none(functions: Any) -> None:
    with pytest.raises(UsageError) as caught:
        Engine(functions=functions)
    assert caught.value.code == "EP510"
    if functions == {"urn:f": 5}:
        compare("EP510", f"{caught.value}\n")


# ---- the command line -------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "etalis_test_units.py").write_text(
        "from decimal import Decimal\nNONE = 5\n"
        'FUNCTIONS = {"urn:fahrenheit": lambda c: c * Decimal("1.8") + 32}\n'
    )
    (tmp_path / "q.rq").write_text("SELECT ?f { ?s <urn:p> ?v BIND(<urn:fahrenheit>(?v) AS ?f) }")
    (tmp_path / "e.csv").write_text(f'start,s,p,o\n0,<urn:s>,<urn:p>,"""20""^^<{XSD}integer>"\n')
    yield tmp_path
    sys.modules.pop("etalis_test_units", None)


@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.spark)])
def test_functions_of_a_module(folder: Path, capfd: pytest.CaptureFixture[str], engine: str) -> None:
    line = "run q.rq --stream e.csv --results csv --functions etalis_test_units:FUNCTIONS --engine"
    assert main([*line.split(), engine]) == 0
    assert capfd.readouterr().out.splitlines()[1].startswith("68,")


def test_what_a_function_raises_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "e.csv").write_text("start,s,p,o\n0,<urn:s>,<urn:p>,<urn:warm>\n")
    assert main(["run", "q.rq", "--stream", "e.csv", "--functions", "etalis_test_units:FUNCTIONS"]) == 0
    assert "warning: EW51 the function <urn:fahrenheit> raised" in capfd.readouterr().err


def test_a_query_is_checked_with_the_functions(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "q.rq"]) == 0
    assert "EW50" in capfd.readouterr().err
    assert main(["check", "q.rq", "--functions", "etalis_test_units:FUNCTIONS"]) == 0
    assert capfd.readouterr().err == ""
    assert main(["explain", "q.rq", "--functions", "etalis_test_units:FUNCTIONS", "--stage", "rules"]) == 0
    assert "call_function" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("etalis_test_units", "EP511"),
        ("etalis_test_units:THINGS", "EP511"),
        ("etalis_test_nowhere:FUNCTIONS", "EP511"),
        ("etalis_test_units:NONE", "EP510"),
    ],
)
def test_functions_that_cannot_be_imported(folder: Path, reference: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_functions(reference)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("TABLE = {}\n", "did you mean etalis_test_named:TABLE?"),
        ("UNITS = {}\nFUNCTION = {}\n", "did you mean etalis_test_named:FUNCTION?"),
        ("UNITS = {}\nPLACES = {}\n", "it has the dictionaries UNITS, PLACES"),
        (
            "def warm(x): ...\n",
            ('it has no dictionary of functions: write FUNCTIONS = {"http://example.org/warm": warm} there'),
        ),
    ],
)
def test_a_module_without_the_name_is_told_apart_from_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, hint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "etalis_test_named.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "etalis_test_named", raising=False)
    with pytest.raises(UsageError, match="has no FUNCTIONS") as caught:
        load_functions("etalis_test_named:FUNCTIONS")
    assert caught.value.hint == hint


def test_an_error_in_the_module_is_not_taken_for_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etalis_test_broken.py").write_text("import etalis_test_absent\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match="No module named 'etalis_test_absent'") as caught:
        load_functions("etalis_test_broken:FUNCTIONS")
    assert caught.value.hint == "the module etalis_test_broken was found but failed during import"
