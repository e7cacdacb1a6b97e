"""Events that no query listens to, from an Arrow table: beside them the same events where all are heard.

Of 1,000 events one has a predicate, or a class, that the query asks for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import events, integer, iri
from tests.benchmarks.workload import ENGINE, Trial, Workload

__all__ = ["WORKLOADS"]

ONE_IN = 1_000
KEYS = 1_000
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
Asked = tuple[str, Callable[[int], str], Callable[[int], str]]
KINDS: dict[str, Asked] = {
    "predicates": (
        "?x :p ?y",
        lambda number: iri("p" if number % ONE_IN == 0 else f"z{number % 20}"),
        lambda number: integer(number % KEYS),
    ),
    "classes": (
        "?x a :C",
        lambda _: TYPE,
        lambda number: iri("C" if number % ONE_IN == 0 else f"Z{number % 200}"),
    ),
}


def trial(kind: str, count: int) -> Trial:
    """The engine from columns with dictionaries and from columns of text."""
    pattern, predicate, value = KINDS[kind]
    numbers = range(count)
    text = events(
        [iri(f"k{number % KEYS}") for number in numbers],
        list(map(predicate, numbers)),
        list(map(value, numbers)),
    )
    coded = _with_dictionaries(text)
    query = f"PREFIX : <{PREFIX}> SELECT ?x {{ {pattern} }}"
    return Trial(count, {ENGINE: engine(coded, query), "engine, columns of text": engine(text, query)})


def _with_dictionaries(table: pa.Table) -> pa.Table:
    for place, name in enumerate(table.schema.names):
        if name != "start":
            table = table.set_column(place, name, table.column(name).combine_chunks().dictionary_encode())
    return table


WORKLOADS = [
    Workload(
        f"unheard-{kind}",
        f"events of {kind} that no query asks for, but one in {ONE_IN:,}",
        partial(trial, kind),
        1_000_000,
    )
    for kind in KINDS
]
