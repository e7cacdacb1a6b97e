"""The rows of the table: what is compared with peers, and in which forms.

Peers have each job in their own best forms: Esper has a type of event for each predicate, and its events lie
in memory; Python and DuckDB have the same Arrow table as the engine.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Collection
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from etalis_py.core.vocabulary import RDF_TYPE
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.peers import loops
from tests.benchmarks.peers.comparison import Comparison
from tests.benchmarks.peers.duckdb_contender import duckdb_sql
from tests.benchmarks.peers.engine_forms import engine_forms
from tests.benchmarks.peers.esper_contender import esper, form
from tests.benchmarks.peers.files import file_to_file
from tests.benchmarks.peers.flink_contender import flink_pattern, flink_sql
from tests.benchmarks.peers.latency import one_event
from tests.benchmarks.peers.loops import Columns, python
from tests.benchmarks.peers.place import Forms, Place
from tests.benchmarks.peers.streams import (
    alternating,
    handed_over,
    mixed,
    of_queries,
    sessions,
    with_an_end,
)
from tests.benchmarks.peers.window_rows import WINDOW_ROWS
from tests.benchmarks.streams import STEP, bursts, duration, events, iri, scaled
from tests.benchmarks.workload import ENGINE, Contender, Row, Trial
from tests.benchmarks.workloads.knowledge import ROOT, taxonomy_file

__all__ = ["ROWS"]

SECOND = 1_000 * STEP
WINDOW = 6 * SECOND
"""Keeps three first steps of a key, on average."""
MEAN_WINDOW = 10 * SECOND
WAITING = 100_000
DEADLINE = 6 * SECOND + STEP // 2
SESSION = 60 * SECOND
"""Far longer than a session: what is between is bounded by its steps."""
SEQ2 = "SELECT ?x ?a ?b { { ?x :p ?a } SEQ { ?x :q ?b } FILTER(getDURATION() < %s) }"
SEQ3 = "SELECT ?x ?a ?y ?c { { ?x :p ?a } SEQ { ?x :q ?y } SEQ { ?y :r ?c } FILTER(getDURATION() < %s) }"
ABSENCE = """SELECT ?x ?a ?b {
  { { ?x :p ?a } SEQ { ?x :q ?b } }
  EQUALSOPTIONAL
  { { ?x :p ?a } SEQ { ?x :r ?c } SEQ { ?x :q ?b } }
  FILTER(getDURATION() < %s && !BOUND(?c)) }"""
NEXT = "SELECT ?x ?a ?b { { ?x :p ?a } SEQ NEXT { ?x :q ?b } FILTER(getDURATION() < %s) }"
STRICT = "SELECT ?x ?a ?b { { ?x :p ?a } SEQ STRICT PER ?x { ?x :q ?b } FILTER(getDURATION() < %s) }"
UNANSWERED = "SELECT ?x ?a { { ?x :p ?a } SEQ NOT { ?x :q ?b } FOR PT%.4fS }"
BETWEEN = """SELECT ?x ?a ?n ?sum {
  { ?x :p ?a } SEQ REPEAT { ?x :r ?v } MEASURES (COUNT(*) AS ?n, SUM(?v) AS ?sum) SEQ { ?x :q ?a }
  FILTER(getDURATION() < %s) }"""
MEAN = """SELECT ?x ?a ?mean {
  { ?x :p ?a } EQUALS { SELECT ?x (AVG(?b) AS ?mean) { ?x :p ?b } GROUP BY ?x WINDOW [RANGE PT%dS] } }"""


def seq2(place: Place, count: int) -> Trial:
    """Each second step has three partners, on average."""
    table = alternating(count)
    forms = ("seq2-join", "seq2-window")
    others = {
        **_flink(place, table, WINDOW, pattern="two-steps", sql="two-steps"),
        **_duckdb(place, table, WINDOW, "two-steps-join", "two-steps-bins"),
    }
    return _trial(place, table, SEQ2, WINDOW, forms, loops.seq2, others)


def consuming(place: Place, count: int) -> Trial:
    """The same stream and query; each event is used once, the oldest first."""
    table, forms = alternating(count), ("consuming-pattern", "consuming-merge")
    others = _flink(place, table, WINDOW, pattern="two-steps-consuming")
    return _trial(place, table, SEQ2, WINDOW, forms, loops.consuming, others, policy="chronological")


def seq3(place: Place, count: int) -> Trial:
    """The second step hands over to another key."""
    table = handed_over(count)
    others = {
        **_flink(place, table, WINDOW, sql="three-steps"),
        **_duckdb(place, table, WINDOW, "three-steps-join", "three-steps-bins"),
    }
    return _trial(place, table, SEQ3, WINDOW, ("seq3-join", "seq3-staged"), loops.seq3, others)


def absence(place: Place, count: int) -> Trial:
    """A third of the events are what must not come between."""
    table, forms = mixed(count, "pqr"), ("absence-delete", "absence-join")
    others = {
        **_flink(place, table, WINDOW, pattern="absence"),
        **_duckdb(place, table, WINDOW, "absence-asof"),
    }
    return _trial(place, table, ABSENCE, WINDOW, forms, loops.absence, others)


def next_step(place: Place, count: int) -> Trial:
    """Of half first and half second steps each first one takes the next second one."""
    table = mixed(count, "pq")
    others = _flink(place, table, WINDOW, pattern="next")
    return _trial(place, table, NEXT, WINDOW, ("next-pattern",), loops.next_step, others)


def strict(place: Place, count: int) -> Trial:
    """Nothing else of the key between the two."""
    table, forms = mixed(count, "pqr"), ("strict-pattern", "strict-recognize")
    others = _flink(place, table, WINDOW, pattern="strict")
    return _trial(place, table, STRICT, WINDOW, forms, loops.strict, others)


def deadline(place: Place, count: int) -> Trial:
    """A first step, and no second one of the key for six seconds; no event comes at a deadline."""
    table = with_an_end(mixed(count, "pq"), 2 * DEADLINE)
    contenders = {
        **engine_forms(table, _query(UNANSWERED % (DEADLINE / 1_000_000))),
        **place.if_available(
            "esper",
            lambda: {
                "esper, pattern": esper(
                    place, table, form("deadline-pattern", window=DEADLINE, seconds=DEADLINE / 1_000_000)
                )
            },
        ),
        **_flink(place, table, DEADLINE, pattern="deadline"),
        "python": python(table, loops.deadline, DEADLINE),
    }
    return Trial(table.num_rows, contenders, {"deadline_us": DEADLINE})


def all_between(place: Place, count: int) -> Trial:
    """How many lie between the first and the last step of a session, and their sum."""
    table = sessions(count)
    others = _flink(place, table, SESSION, pattern="all-between")
    return _trial(place, table, BETWEEN, SESSION, ("between-until",), loops.all_between, others)


def mean(place: Place, count: int) -> Trial:
    """A mean of ten values, at each event."""
    table, forms = mixed(count, "p"), ("mean-grouped", "mean-context")
    contenders = {
        **engine_forms(table, _query(MEAN % (MEAN_WINDOW // SECOND))),
        **_forms(place, table, forms, MEAN_WINDOW),
        **_flink(place, table, MEAN_WINDOW, sql="mean"),
        **_duckdb(place, table, MEAN_WINDOW, "mean-window"),
        "python": python(table, loops.mean, MEAN_WINDOW),
    }
    return Trial(count, contenders, {"window_us": MEAN_WINDOW})


def waiting(place: Place, count: int) -> Trial:
    """So many first steps, each of a key of its own, then as many second ones; at least one such burst."""
    live = scaled(WAITING, count) if count >= 2 * WAITING else max(1, count // 2)
    table, window = bursts(count, 2, live, live), 2 * live * STEP
    others = _duckdb(place, table, window, "two-steps-join", "two-steps-bins")
    return _trial(place, table, SEQ2, window, ("seq2-join", "seq2-window"), loops.seq2, others)


def classes(place: Place, count: int) -> Trial:
    """Three of four events have a class of the taxonomy. Peers have a set of those below the root."""
    with gzip.open(taxonomy_file()) as packed:
        below = re.findall(rb"^<([^>]*)> <[^>]*#subClassOf> ", packed.read(), re.MULTILINE)
    names = sorted({name.decode() for name in below})
    random = Random(5)
    taken = [
        names[random.randrange(len(names))] if number % 4 else f"{PREFIX}other" for number in range(count)
    ]
    subjects = [iri(f"k{number % 1000}") for number in range(count)]
    table = events(subjects, [f"<{RDF_TYPE}>"] * count, [f"<{name}>" for name in taken])
    first = events(  # each class has come before the clock runs
        [iri("first")] * len(names),
        [f"<{RDF_TYPE}>"] * len(names),
        [f"<{name}>" for name in names],
        -len(names),
    )
    query = f"SELECT ?x {{ ?x a <{ROOT}> }}"
    contenders = {
        **engine_forms(table, query, before=first, background=[str(taxonomy_file())]),
        **place.if_available(
            "esper", lambda: {"esper, hash set": esper(place, table, form("classes-filter"), classes=names)}
        ),
        **_duckdb(place, table, 0, "classes-in", classes=names),
        "python": python(table, loops.classes, frozenset(names)),
    }
    return Trial(count, contenders, {"classes": len(names)})


def queries(number: int, place: Place, count: int) -> Trial:
    """Each query has predicates of its own. (Esper takes a minute to compile 1,000: one form is enough.)"""
    table = of_queries(count, number)
    texts = [
        _query(SEQ2 % duration(WINDOW)).replace(":p ", f":p{each} ").replace(":q ", f":q{each} ")
        for each in range(number)
    ]
    types = [f"{step}{each}" for step in "pq" for each in range(number)]

    def by_esper(name: str) -> Contender:
        epl = "\n".join(form(name, number=each, window=WINDOW) for each in range(number))
        return esper(place, table, epl, types=types)

    names = ("queries-join", "queries-window") if number <= 100 else ("queries-join",)
    contenders = {
        **engine_forms(table, *texts),
        **place.if_available("esper", lambda: {_named(name): by_esper(name) for name in names}),
        "python": python(table, loops.seq2_of_queries, WINDOW),
    }
    return Trial(count, contenders, {"queries": number})


def latency(place: Place, count: int) -> Trial:
    """The first row's job, one event at a time: how long from an event to its answer."""
    table, query = alternating(count), _query(SEQ2 % duration(WINDOW))
    contenders = {
        ENGINE: one_event(table, query),
        **_forms(place, table, ("seq2-join", "seq2-window"), WINDOW, latency=True),
    }
    return Trial(count, contenders, {"window_us": WINDOW})


def files(place: Place, count: int) -> Trial:
    """The first row's job, from a CSV file to a CSV file, each time by a new process."""
    forms = {_named(name): form(name, window=WINDOW) for name in ("seq2-join", "seq2-window")}
    return file_to_file(place, alternating(count), _query(SEQ2 % duration(WINDOW)), forms)


def _trial(
    place: Place,
    table: pa.Table,
    query: str,
    window: int,
    forms: tuple[str, ...],
    loop: Callable[[int, Columns], list[Row]],
    others: Forms = MappingProxyType({}),
    **options: Any,
) -> Trial:
    contenders = {
        **engine_forms(table, _query(query % duration(window)), **options),
        **_forms(place, table, forms, window),
        **others,
        "python": python(table, loop, window),
    }
    return Trial(table.num_rows, contenders, {"window_us": window})


def _forms(
    place: Place, table: pa.Table, names: tuple[str, ...], window: int, *, latency: bool = False
) -> Forms:
    def by_esper(name: str) -> Contender:
        return esper(place, table, form(name, window=window), latency=latency)

    return place.if_available("esper", lambda: {_named(name): by_esper(name) for name in names})


def _flink(
    place: Place, table: pa.Table, window: int, *, pattern: str | None = None, sql: str | None = None
) -> Forms:
    def forms() -> Forms:
        found = {}
        if pattern is not None:
            found["flink, CEP"] = flink_pattern(place, table, pattern, window)
        if sql is not None:
            found["flink, SQL"] = flink_sql(place, table, sql, window)
        return found

    return place.if_available("flink", forms)


def _duckdb(place: Place, table: pa.Table, window: int, *names: str, classes: Collection[str] = ()) -> Forms:
    def by_duckdb(name: str) -> Contender:
        return duckdb_sql(table, name, window=window, classes=classes)

    return place.if_available(
        "duckdb", lambda: {f"duckdb, {name.rpartition('-')[2]}": by_duckdb(name) for name in names}
    )


def _named(form_name: str) -> str:
    return f"esper, {form_name.rpartition('-')[2]}"


def _query(pattern: str) -> str:
    return f"PREFIX : <{PREFIX}> {pattern}"


ROWS = (
    Comparison("two-steps", "two-step SEQ by key, window, 3 partners", seq2),
    Comparison("two-steps-consuming", "the same, consuming (chronological)", consuming),
    Comparison("three-steps", "three-step SEQ", seq3),
    Comparison("absence", "a, then b, no c between", absence),
    Comparison("next", "a, then the next b", next_step),
    Comparison("strict", "a, then b, nothing else of the key between", strict),
    Comparison("deadline", "a, and no b for six seconds", deadline),
    Comparison("all-between", "how many c between a and b, their sum", all_between),
    Comparison("mean", "mean of the key that just came, sliding", mean, 100_000),
    Comparison("waiting", "100,000 waiting goals", waiting, 600_000),
    Comparison("classes", "40,080 classes", classes),
    Comparison("queries-100", "100 queries, each on predicates of its own", partial(queries, 100)),
    Comparison("queries-1000", "1,000 queries, each on predicates of its own", partial(queries, 1_000)),
    Comparison("one-event", "one event at a time, to the match", latency, 20_000, 1_000),
    *WINDOW_ROWS,
    Comparison("files", "file to file (CSV), a new process", files),
)
