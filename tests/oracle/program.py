"""What a program means: all its queries over one stream, to which CONSTRUCT queries add.

The least fixpoint, found by brute force over the whole stream at once. What later input could take away is
asked of the stream that the round before ended with; rounds are repeated until that is the stream they end
with. In a stratified program each round makes one more stratum (of one more instant) right, so this comes to
an end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import md5
from typing import TypeGuard

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from tests.oracle.entailment import Closure
from tests.oracle.evaluator import Solutions, TooMuchError
from tests.oracle.expressions import constant
from tests.oracle.places import entailed, merged, without_place
from tests.oracle.rows import QueryEvaluator
from tests.oracle.solutions import Answer, Clock, Dataset, Goals, Occurrence, Placed, Solution, Triple, hull
from tests.oracle.triples import Term, Unknown, is_hidden, written_triples

__all__ = ["World", "answers", "completed"]

MOST_ROUNDS = 60
MOST_OCCURRENCES = 100


@dataclass(frozen=True, slots=True)
class World:
    """All there is: a finite stream, what is known besides, and the time that passes.

    Without ``entails`` only the triples count that are there. ``named`` are the graphs of GRAPH and FROM.
    ``at`` is the instant of a run that gives plain SPARQL. ``placed`` comes besides, with its streams.
    """

    stream: frozenset[Occurrence]
    background: frozenset[Triple] = frozenset()
    entails: bool = True
    named: Mapping[str, frozenset[Triple]] = field(default_factory=dict)
    clock: Clock | None = None
    at: int | None = None
    placed: frozenset[Placed] = frozenset()
    goals: Goals = field(default_factory=dict)
    """By the IRI of a Prolog predicate all its answers."""


def answers(queries: Sequence[syntax.Query], world: World) -> list[list[Answer]]:
    """The answers of each query: a bag for a SELECT, a set of graphs for a CONSTRUCT or DESCRIBE.

    The rows of one end are in the order of ORDER BY.

    Raises:
        TooMuchError: this is too big for a naive evaluation, or not stratified.
    """
    data = completed(queries, world)
    return [_answers(query, number, data) for number, query in enumerate(queries)]


def completed(queries: Sequence[syntax.Query], world: World) -> Dataset:
    """All that there is in the end: what follows, and what CONSTRUCT queries add.

    Raises:
        TooMuchError: this is too big for a naive evaluation, or not stratified.
    """
    background = world.background
    closure = _closure(world)
    placed = entailed(closure, without_place(world.stream) | world.placed)
    given = Dataset(
        merged(placed),
        closure.triples,
        world.named,
        world.clock,
        world.at,
        background,
        placed,
        placed,
        of_elements=not world.named,
        goals=world.goals,
    )
    return _complete(queries, given, closure)


def _closure(world: World) -> Closure:
    if not world.entails:
        return Closure(world.background, frozenset())
    # RDFS's axioms hold where there is any background: named graphs are enough.
    return Closure.with_axioms(world.background) if world.named else Closure.of(world.background)


def _complete(queries: Sequence[syntax.Query], given: Dataset, closure: Closure) -> Dataset:
    """The stream with all that CONSTRUCT queries add, entailment included."""
    rules = [
        (number, query) for number, query in enumerate(queries) if isinstance(query.form, syntax.Construct)
    ]
    settled = given
    for _ in range(MOST_ROUNDS):
        data = _least_fixpoint(rules, closure, given, settled)
        if data == settled:
            return data
        settled = data
    raise TooMuchError


def _least_fixpoint(
    rules: Sequence[tuple[int, syntax.Query]], closure: Closure, given: Dataset, settled: Dataset
) -> Dataset:
    data = given
    for _ in range(MOST_ROUNDS):
        added = {
            Placed(triple, solution.interval, *_target(rule))
            for number, rule in rules
            for solution, graph in _constructed(rule, number, _rows(rule, data, settled))
            for triple in graph
            if solution.interval is not None
        }
        placed = data.placed | entailed(closure, added)
        if placed == data.placed:
            return data
        if len(placed) > MOST_OCCURRENCES:
            raise TooMuchError
        data = replace(data, stream=merged(placed), placed=placed)
    raise TooMuchError


def _target(rule: syntax.Query) -> tuple[str, None, bool]:
    """The stream that a CONSTRUCT adds to, no element's name, and whether it is seen by name only."""
    assert isinstance(rule.form, syntax.Construct)
    stream = rule.form.stream
    if stream is None:
        return DEFAULT_STREAM, None, False
    return _names(rule).resolve(stream), None, True


def _rows(query: syntax.Query, data: Dataset, settled: Dataset) -> Solutions:
    return QueryEvaluator(_names(query), _view(query, data), _view(query, settled)).rows(query.form)


def _names(query: syntax.Query) -> Names:
    return Names(query.prologue, text=query.text)


def _view(query: syntax.Query, data: Dataset) -> Dataset:
    """What the query sees: FROM takes the place of the background, FROM NAMED that of its graphs.

    FROM STREAM takes the place of all streams together.
    """
    names = _names(query)
    streams = frozenset(names.resolve(each.iri) for each in query.form.datasets if each.stream)
    if streams:
        data = replace(data, stream=merged(data.placed, streams), streams=streams)
    clauses = [each for each in query.form.datasets if not each.stream]
    if not clauses:
        return data
    default = {names.resolve(each.iri) for each in clauses if not each.named}
    named = {names.resolve(each.iri) for each in clauses if each.named}
    triples = frozenset(triple for graph in default for triple in data.named.get(graph, ()))
    graphs = {graph: data.named[graph] for graph in named if graph in data.named}
    return replace(data, background=triples, named=graphs, stated=None)


def _answers(query: syntax.Query, number: int, data: Dataset) -> list[Answer]:
    found = _rows(query, data, data)
    timed = [(each, each.interval) for each in found if each.interval is not None]
    match query.form:
        case syntax.Select():
            return [(frozenset(each.mapping.items()), *interval) for each, interval in timed]
        case syntax.Ask():
            ends = {end for _, (_, end) in timed}
            return [(frozenset([True]), end, end) for end in ends]
        case syntax.Construct():
            graphs = _constructed(query, number, found)
        case syntax.Describe():
            graphs = _described(query, _view(query, data), found)
    return list({(graph, *each.interval) for each, graph in graphs if each.interval is not None and graph})


def _described(
    query: syntax.Query, data: Dataset, found: Solutions
) -> Iterator[tuple[Solution, frozenset[Triple]]]:
    """Each triple that has what a solution names as its subject, whenever it comes."""
    form, names = query.form, _names(query)
    assert isinstance(form, syntax.Describe)
    subjects = form.subjects or ()
    constants = {constant(each, names) for each in subjects if not isinstance(each, syntax.Variable)}
    variables = [each.name for each in subjects if isinstance(each, syntax.Variable)]
    for solution in found:
        some = solution.mapping if form.subjects is None else solution.restricted(variables).mapping
        for triple, interval in data.facts:
            if triple[0] in constants or triple[0] in some.values():
                yield Solution({}, hull(solution.interval, interval)), frozenset([triple])


def _constructed(
    query: syntax.Query, number: int, solutions: Solutions
) -> Iterator[tuple[Solution, frozenset[Triple]]]:
    """Each solution with the triples it adds; a blank node of the template is its own for each solution."""
    assert isinstance(query.form, syntax.Construct)
    template = written_triples(query.form.template, _names(query))
    seen: Counter[object] = Counter()
    for solution in solutions:
        seen[solution.key] += 1
        identity = (number, sorted(solution.mapping.items(), key=repr), solution.interval, seen[solution.key])
        label = md5(repr(identity).encode()).hexdigest()
        made = [tuple(_term(each, solution, label) for each in triple) for triple in template]
        yield (
            solution,
            frozenset((s, p, o) for s, p, o in made if _is_name(s) and _is_iri(p) and o is not None),
        )


def _is_name(term: Encoded | None) -> TypeGuard[str]:
    return isinstance(term, str)


def _is_iri(term: Encoded | None) -> TypeGuard[str]:
    return isinstance(term, str) and not term.startswith("_:")


def _term(term: Term | syntax.Path, solution: Solution, label: str) -> Encoded | None:
    if isinstance(term, Unknown):
        return f"_:{label}{term.name}" if is_hidden(term.name) else solution.mapping.get(term.name)
    assert not isinstance(term, syntax.Path)
    return term
