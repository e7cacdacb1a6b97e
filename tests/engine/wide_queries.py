"""Queries that are legal and wide: many of one thing side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["WideQuery", "wide_queries"]


@dataclass(frozen=True)
class WideQuery:
    """A query with ``n`` of a kind, and how many answers it has to ``:x :v 7``, its one event."""

    kind: str
    text: str
    answers: int


def wide_queries(n: int) -> Iterator[WideQuery]:
    """One query of each kind; ``n`` is at least 8."""
    for kind, text, answers in _queries(n):
        yield WideQuery(kind, f"PREFIX : <urn:t:>\n{text}", answers)
    prefixes = _many("\n", lambda i: f"PREFIX p{i}: <urn:p{i}:>", n)
    yield WideQuery("prefixes", f"{prefixes} PREFIX : <urn:t:> SELECT ?x {{ ?x :v ?n }}", 1)


def _many(separator: str, one: Callable[[int], str], n: int) -> str:
    return separator.join(map(one, range(n)))


def _queries(n: int) -> Iterator[tuple[str, str, int]]:
    having = _many(" ", lambda i: f"(SUM(?n) != {i + 100})", n)
    optional = _many(" OPTIONALSEQ ", lambda i: f"{{ ?x :w{i} ?z }}", n)
    yield (
        "in items",
        f"SELECT ?x {{ ?x :v ?n FILTER(?n IN ({_many(', ', str, n)})) }}",
        1,
    )
    yield (
        "in first",
        f"SELECT ?x {{ ?x :v ?n FILTER(?n NOT IN ({_many(', ', lambda i: str(i + 100), n)})) }}",
        1,
    )
    yield (
        "or",
        f"SELECT ?x {{ ?x :v ?n FILTER({_many(' || ', lambda i: f'?n = {i}', n)}) }}",
        1,
    )
    yield (
        "and",
        f"SELECT ?x {{ ?x :v ?n FILTER({_many(' && ', lambda i: f'?n != {i + 100}', n)}) }}",
        1,
    )
    yield (
        "or nested left",
        f"SELECT ?x {{ ?x :v ?n FILTER({_many(' || ', lambda i: f'(?n = {i} && ?n < 100)', n)}) }}",
        1,
    )
    yield (
        "filters",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'FILTER(?n != {i + 100})', n)} }}",
        1,
    )
    yield (
        "binds",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'BIND(?n + {i} AS ?b{i})', n)} }}",
        1,
    )
    yield (
        "binds chained",
        f"SELECT ?x {{ ?x :v ?b0 {_many(' ', lambda i: f'BIND(?b{i} + 1 AS ?b{i + 1})', n)} }}",
        1,
    )
    yield (
        "optionals",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'OPTIONAL {{ ?x :w{i} ?o{i} }}', n)} }}",
        1,
    )
    yield (
        "optionals same",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda _: 'OPTIONAL { ?x :w ?n }', n)} }}",
        1,
    )
    yield (
        "triples",
        f"SELECT ?x {{ {_many(' . ', lambda i: f'?x :v ?n{i}', n)} }}",
        1,
    )
    yield (
        "triples same",
        f"SELECT ?x {{ {_many(' . ', lambda _: '?x :v ?n', n)} }}",
        1,
    )
    yield (
        "triples objects",
        f"SELECT ?x {{ ?x :v {_many(', ', lambda i: f'?n{i}', n)} }}",
        1,
    )
    yield (
        "property list",
        f"SELECT ?x {{ ?x {_many('; ', lambda i: f':v ?n{i}', n)} }}",
        1,
    )
    yield (
        "groups",
        f"SELECT ?x {{ {_many(' ', lambda _: '{ ?x :v ?n }', n)} }}",
        1,
    )
    yield (
        "list items",
        f"SELECT ?x {{ ?x :v ?n . OPTIONAL {{ ?x :l ({_many(' ', lambda i: f':i{i}', n)}) }} }}",
        1,
    )
    yield (
        "path alt",
        f"SELECT ?x {{ ?x {_many('|', lambda i: f':w{i}', n)}|:v ?n }}",
        1,
    )
    yield (
        "path alt star",
        f"SELECT ?x {{ ?x ({_many('|', lambda i: f':w{i}', n)}|:v)+ ?n }}",
        1,
    )
    yield (
        "path neg",
        f"SELECT ?x {{ ?x !({_many('|', lambda i: f':w{i}', n)}) ?n }}",
        1,
    )
    yield (
        "path seq",
        f"SELECT ?x {{ ?x :v ?n OPTIONAL {{ ?x {_many('/', lambda i: f':w{i}', n)} ?z }} }}",
        1,
    )
    yield (
        "select expr",
        f"SELECT {_many(' ', lambda i: f'(?n + {i} AS ?b{i})', n)} {{ ?x :v ?n }}",
        1,
    )
    yield (
        "select vars",
        f"SELECT {_many(' ', lambda i: f'?b{i}', n)} {{ ?x :v ?b0 }}",
        1,
    )
    yield (
        "construct",
        f"CONSTRUCT {{ {_many(' . ', lambda i: f'?x :c{i} ?n', n)} }} WHERE {{ ?x :v ?n }}",
        1,
    )
    yield (
        "construct same",
        f"CONSTRUCT {{ {_many(' . ', lambda i: f'?x :c {i}', n)} }} WHERE {{ ?x :v ?n }}",
        1,
    )
    yield (
        "group keys",
        f"SELECT (COUNT(*) AS ?c) {{ ?x :v ?n }} GROUP BY {_many(' ', lambda i: f'(?n + {i} AS ?b{i})', n)}",
        1,
    )
    yield (
        "aggregates",
        f"SELECT {_many(' ', lambda i: f'(SUM(?n + {i}) AS ?b{i})', n)} {{ ?x :v ?n }}",
        1,
    )
    yield (
        "having",
        f"SELECT (COUNT(*) AS ?c) {{ ?x :v ?n }} GROUP BY ?x HAVING {having}",
        1,
    )
    yield (
        "unions",
        f"SELECT ?x {{ {_many(' UNION ', lambda i: f'{{ ?x :w{i} ?n }}', n)} UNION {{ ?x :v ?n }} }}",
        1,
    )
    yield (
        "unions same",
        f"SELECT ?x {{ {_many(' UNION ', lambda _: '{ ?x :v ?n }', n)} }}",
        n,
    )
    yield (
        "values",
        f"SELECT ?x {{ ?x :v ?n VALUES ?n {{ {_many(' ', str, n)} }} }}",
        1,
    )
    yield (
        "values columns",
        f"SELECT ?x {{ ?x :v ?n VALUES ({_many(' ', lambda i: f'?v{i}', n)}) {{ ({_many(' ', str, n)}) }} }}",
        1,
    )
    yield (
        "seq",
        f"SELECT ?x {{ {_many(' SEQ ', lambda _: '{ ?x :s ?n }', n)} }}",
        0,
    )
    yield (
        "equals",
        f"SELECT ?x {{ {_many(' EQUALS ', lambda _: '{ ?x :v ?n }', n)} }}",
        1,
    )
    yield (
        "equalsoptional",
        f"SELECT ?x {{ {{ ?x :v ?n }} {_many(' ', lambda i: f' EQUALSOPTIONAL {{ ?x :w{i} ?z }}', n)} }}",
        1,
    )
    yield (
        "optionalseq",
        f"SELECT ?x {{ {optional} OPTIONALSEQ {{ ?x :v ?n }} }}",
        1,
    )
    yield (
        "minus",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'MINUS {{ ?x :w{i} ?n }}', n)} }}",
        1,
    )
    yield (
        "exists",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'FILTER NOT EXISTS {{ ?x :w{i} ?n }}', n)} }}",
        1,
    )
    yield (
        "exists or",
        f"SELECT ?x {{ ?x :v ?n FILTER({_many(' || ', lambda i: f'EXISTS {{ ?x :w{i} ?n }}', n)} || true) }}",
        1,
    )
    yield (
        "arithmetic",
        f"SELECT ?x {{ ?x :v ?n FILTER(?n {_many(' ', lambda i: f'+ {i}', n)} > 0) }}",
        1,
    )
    yield (
        "arithmetic signed",
        f"SELECT ?x {{ ?x :v ?n FILTER(?n {_many(' ', lambda i: f'+{i}', n)} > 0) }}",
        1,
    )
    yield (
        "multiplication",
        f"SELECT ?x {{ ?x :v ?n FILTER(?n {_many(' ', lambda _: '* 1', n)} > 0) }}",
        1,
    )
    yield (
        "concat",
        f"SELECT (CONCAT({_many(', ', lambda _: 'STR(?n)', n)}) AS ?c) {{ ?x :v ?n }}",
        1,
    )
    yield (
        "coalesce",
        f"SELECT (COALESCE({_many(', ', lambda _: '?n/0', n)}, ?n) AS ?c) {{ ?x :v ?n }}",
        1,
    )
    yield (
        "order keys",
        f"SELECT ?x {{ ?x :v ?n }} ORDER BY {_many(' ', lambda i: f'DESC(?n + {i})', n)}",
        1,
    )
    yield (
        "subselects",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda _: '{ SELECT ?x { ?x :v ?n } }', n)} }}",
        1,
    )
    yield (
        "graphs",
        f"SELECT ?x {{ ?x :v ?n {_many(' ', lambda i: f'OPTIONAL {{ GRAPH :g{i} {{ ?x :w ?n }} }}', n)} }}",
        1,
    )
    yield (
        "from",
        f"SELECT ?x {_many(' ', lambda i: f'FROM <urn:g{i}>', n)} {{ ?x :v ?n }}",
        1,
    )
    yield (
        "describe",
        f"DESCRIBE {_many(' ', lambda i: f':i{i}', n)} ?x {{ ?x :v ?n }}",
        1,
    )
    yield (
        "bnode props",
        f"SELECT ?x {{ ?x :v ?n . OPTIONAL {{ ?x :p {_many(', ', lambda i: f'[ :q {i} ]', n)} }} }}",
        1,
    )
    yield (
        "filters join",
        f"SELECT ?x {{ ?x :v ?n . ?x :v ?m {_many(' ', lambda i: f'FILTER(?n != {i + 100})', n)} }}",
        1,
    )
    yield (
        "path optional",
        f"SELECT ?x {{ ?x :v ?n . {_many(' ', lambda _: '?x :v? ?n .', n)} }}",
        1,
    )
    yield (
        "nested minus in",
        f"SELECT ?x {{ ?x :v ?n MINUS {{ {_many(' . ', lambda i: f'?x :w{i} ?n', n)} }} }}",
        1,
    )
    yield (
        "construct seq",
        f"CONSTRUCT {{ ?x :done ?n }} WHERE {{ {_many(' SEQ ', lambda _: '{ ?x :s ?n }', n)} }}",
        0,
    )
