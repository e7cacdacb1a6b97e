"""Events that no query listens to, from an Arrow table: beside them the same events as columns of text.

Of 100 events one has a predicate, or a class, that the query asks for; or with a background a class below it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import events, integer, iri
from tests.benchmarks.workload import ENGINE, Contender, Run, Trial, Workload

__all__ = ["WORKLOADS"]

ONE_IN = 100
KEYS = 1_000
OTHERS = 200
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SUBCLASS = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
Asked = tuple[str, Callable[[int], str], Callable[[int], str]]
CLASSES: Asked = (
    "?x a :C",
    lambda _: TYPE,
    lambda number: iri("C" if number % ONE_IN == 0 else f"Z{number % OTHERS}"),
)
KINDS: dict[str, Asked] = {
    "predicates": (
        "?x :p ?y",
        lambda number: iri("p" if number % ONE_IN == 0 else f"z{number % 20}"),
        lambda number: integer(number % KEYS),
    ),
    "classes": CLASSES,
    "entailed": ("?x a :Above", *CLASSES[1:]),
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
    known = partial(_with_classes, query) if kind == "entailed" else partial(_alone, query)
    return Trial(count, {ENGINE: known(coded), "engine, columns of text": known(text)})


def _alone(query: str, table: pa.Table) -> Contender:
    return engine(table, query)


def _with_classes(query: str, table: pa.Table) -> Contender:
    """The class that is heard is below the one asked for, and the others are below another one."""
    above = [(iri("C"), iri("Above")), *((iri(f"Z{number}"), iri("Beside")) for number in range(OTHERS))]
    triples = "".join(f"{below} {SUBCLASS} {name} .\n" for below, name in above)

    @contextmanager
    def ready(keep: bool) -> Iterator[Run]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "classes.nt")
            path.write_text(triples, encoding="utf-8")
            with engine(table, query, background=[str(path)]).ready(keep) as run:
                yield run

    return Contender(ready)


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
