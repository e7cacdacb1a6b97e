"""What a program means: all its queries over one stream, to which CONSTRUCT queries add.

The least fixpoint, found by brute force over the whole stream at once. Whether an OPTIONAL stays alone is
asked of the stream that the round before ended with; rounds are repeated until that is the stream they end
with. In a stratified program each round makes one more stratum (of one more instant) right, so this comes to
an end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import md5
from typing import TypeGuard

from etalis_py.compiler import algebra
from etalis_py.terms import Encoded
from tests.oracle.entailment import Closure
from tests.oracle.evaluator import TooMuchError, evaluate
from tests.oracle.solutions import Answer, Dataset, Occurrence, Solution, Triple

__all__ = ["answers"]

MOST_ROUNDS = 60
MOST_OCCURRENCES = 100


def answers(
    queries: Sequence[algebra.Query],
    stream: Iterable[Occurrence],
    background: Iterable[Triple] = (),
    *,
    entails: bool = True,
) -> list[Counter[Answer]]:
    """The answers of each query: a bag for a SELECT, a set of graphs for a CONSTRUCT.

    Without ``entails`` only the triples count that are there.

    Raises:
        TooMuchError: this is too big for a naive evaluation, or not stratified.
    """
    closure = Closure.of(background) if entails else Closure(frozenset(background), frozenset())
    data = _complete(queries, frozenset(stream), closure)
    return [
        _graphs(query, number, data) if isinstance(query, algebra.ConstructQuery) else _rows(query, data)
        for number, query in enumerate(queries)
    ]


def _complete(queries: Sequence[algebra.Query], stream: frozenset[Occurrence], closure: Closure) -> Dataset:
    """The stream with all that CONSTRUCT queries add, entailment included."""
    rules = [
        (number, query) for number, query in enumerate(queries) if isinstance(query, algebra.ConstructQuery)
    ]
    given = settled = Dataset(closure.entailed(stream), closure.triples)
    for _ in range(MOST_ROUNDS):
        data = _least_fixpoint(rules, closure, given, settled)
        if data == settled:
            return data
        settled = data
    raise TooMuchError


def _least_fixpoint(
    rules: Sequence[tuple[int, algebra.ConstructQuery]], closure: Closure, given: Dataset, settled: Dataset
) -> Dataset:
    data = given
    for _ in range(MOST_ROUNDS):
        added = {
            (triple, solution.interval)
            for number, rule in rules
            for solution, graph in _constructed(rule, number, evaluate(rule.pattern, data, settled))
            for triple in graph
            if solution.interval is not None
        }
        stream = data.stream | closure.entailed(added)
        if stream == data.stream:
            return data
        if len(stream) > MOST_OCCURRENCES:
            raise TooMuchError
        data = Dataset(stream, data.background)
    raise TooMuchError


def _rows(query: algebra.SelectQuery, data: Dataset) -> Counter[Answer]:
    return Counter(
        (frozenset(each.mapping.items()), *each.interval)
        for each in evaluate(query.pattern, data)
        if each.interval is not None
    )


def _graphs(query: algebra.ConstructQuery, number: int, data: Dataset) -> Counter[Answer]:
    found = {
        (frozenset(graph), *solution.interval)
        for solution, graph in _constructed(query, number, evaluate(query.pattern, data))
        if solution.interval is not None and graph
    }
    return Counter(found)


def _constructed(
    query: algebra.ConstructQuery, number: int, solutions: list[Solution]
) -> Iterator[tuple[Solution, frozenset[Triple]]]:
    """Each solution with the triples it adds; a blank node of the template is its own for each solution."""
    seen: Counter[object] = Counter()
    for solution in solutions:
        seen[solution.key] += 1
        identity = (number, sorted(solution.mapping.items(), key=repr), solution.interval, seen[solution.key])
        label = md5(repr(identity).encode()).hexdigest()
        terms = [[_term(each, solution, label) for each in made.terms] for made in query.template]
        yield (
            solution,
            frozenset((s, p, o) for s, p, o in terms if _is_name(s) and _is_iri(p) and o is not None),
        )


def _is_name(term: Encoded | None) -> TypeGuard[str]:
    return isinstance(term, str)


def _is_iri(term: Encoded | None) -> TypeGuard[str]:
    return isinstance(term, str) and not term.startswith("_:")


def _term(term: algebra.Variable | algebra.Constant, solution: Solution, label: str) -> Encoded | None:
    if isinstance(term, algebra.Constant):
        return term.value
    return f"_:{label}{term.name}" if term.is_hidden else solution.mapping.get(term.name)
