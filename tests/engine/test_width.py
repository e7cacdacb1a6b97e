"""What stands side by side in a query may be long: nothing recurses over it, or takes quadratic time."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from etalis_py import Engine
from etalis_py.compiler.compile import MOST_VARIABLES
from etalis_py.compiler.explain.explain import STAGES, explain, program_stages
from etalis_py.compiler.parse.syntax_walk import MOST_BRACES
from etalis_py.core.errors import QueryError
from tests.engine.wide_queries import WideQuery, wide_queries

SEVEN = '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'
EVENT: dict[str, list[Any]] = {"start": [1], "s": ["<urn:t:x>"], "p": ["<urn:t:v>"], "o": [SEVEN]}

THOUSAND = tuple(wide_queries(1_000))
SHORT = frozenset(
    {"in items", "or", "and", "filters", "triples same", "optionals same", "unions", "seq", "path alt"}
    | {"construct", "arithmetic", "values", "coalesce", "prefixes"}
)
"""A thousand of each of these is done in a second; the others have 150, and a thousand in the long tests."""


def answers(query: WideQuery, **options: Any) -> int:
    with Engine(**options) as engine:
        engine.register(query.text, name="wide")
        engine.send_batch(EVENT)
        engine.finish()
        return sum(1 for _ in engine.matches("wide"))


@pytest.mark.parametrize(
    "query",
    [pytest.param(each, marks=[pytest.mark.long] * (each.kind not in SHORT)) for each in THOUSAND],
    ids=lambda query: query.kind,
)
def test_a_thousand_of_each_are_answered(query: WideQuery) -> None:
    assert answers(query) == query.answers


@pytest.mark.parametrize(
    "query", [each for each in wide_queries(150) if each.kind not in SHORT], ids=lambda query: query.kind
)
def test_some_hundred_of_each_are_answered(query: WideQuery) -> None:
    assert answers(query) == query.answers


@pytest.mark.parametrize("query", tuple(wide_queries(30)), ids=lambda query: query.kind)
def test_every_stage_of_a_wide_query_can_be_shown(query: WideQuery) -> None:
    with Engine() as engine:
        engine.register(query.text, name="wide")
        compiled = engine.query("wide")
        triggers = engine.knowledge.triggers
        assert all(explain(compiled, stage, triggers) for stage in STAGES)
        assert program_stages([compiled], [], triggers)


@pytest.mark.parametrize(
    "n", [250, pytest.param(1_000, marks=pytest.mark.long)], ids=lambda n: f"{n} of each"
)
@pytest.mark.parametrize("kind", ["triples same", "unions same", "and", "minus"])
def test_wide_queries_can_be_shown_and_kept(kind: str, n: int) -> None:
    query = next(each for each in wide_queries(n) if each.kind == kind)
    with Engine() as engine:
        engine.register(query.text, name="wide")
        compiled = engine.query("wide")
        assert all(explain(compiled, stage) for stage in STAGES)
        assert program_stages([compiled], [], engine.knowledge.triggers)
        engine.send_batch(EVENT)
        with Engine() as other:
            other.register(query.text, name="wide")
            other.restore([engine.snapshot()])
            other.finish()
            assert sum(1 for _ in other.matches("wide")) == query.answers


def test_why_of_a_wide_answer() -> None:
    query = next(each for each in wide_queries(250) if each.kind == "triples same")
    with Engine(trace=True) as engine:
        engine.register(query.text, name="wide")
        engine.send_batch(EVENT)
        engine.finish()
        (match,) = engine.matches("wide")
        assert str(engine.why(match)).count(":v") >= 1


def test_in_a_thread_of_its_own() -> None:
    found: list[int] = []
    query = next(each for each in wide_queries(500) if each.kind == "groups")
    thread = threading.Thread(target=lambda: found.append(answers(query)))
    thread.start()
    thread.join()
    assert found == [1]


def outcome(query: WideQuery) -> int | str:
    try:
        return answers(query)
    except QueryError as error:
        return error.code


@pytest.mark.long
@pytest.mark.parametrize("query", tuple(wide_queries(10_000)), ids=lambda query: query.kind)
def test_ten_thousand_are_answered_or_refused(query: WideQuery) -> None:
    assert outcome(query) in (query.answers, "EP107")


def test_more_variables_than_a_predicate_has_arguments() -> None:
    shown = " ".join(f"?x{number}" for number in range(MOST_VARIABLES + 1))
    with Engine() as engine, pytest.raises(QueryError, match=r"EP107.*variables"):
        engine.register(f"SELECT {shown} {{ ?x0 ?x1 ?x2 }}")


def test_more_braces_than_are_parsed() -> None:
    with Engine() as engine, pytest.raises(QueryError, match=r"EP107 .*braces"):
        engine.register("SELECT * { " + "{ ?x ?y ?z } " * MOST_BRACES)  # refused before its end is looked at


def test_a_query_that_is_refused_leaves_the_engine_usable() -> None:
    with Engine() as engine:
        with pytest.raises(QueryError, match=r"EP107.*operators"):
            engine.register("SELECT * { " + "?x ?y ?z . " * 10_000 + "}")
        engine.register("SELECT ?x { ?x ?y ?z }", name="small")
        engine.send_batch(EVENT)
        engine.finish()
        assert len(list(engine.matches("small"))) == 1
