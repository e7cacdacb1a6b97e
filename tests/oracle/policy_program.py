"""A program whose queries have policies, over a finite stream, one instant after the other.

At each instant the queries are asked again until the CONSTRUCT queries among them add nothing more; then it
is closed, and what answers are made of is consumed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import md5

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.algebra.translate import translate
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.passes.settle_conditions import settle_conditions
from etalis_py.compiler.refusals import QueryText
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM
from tests.oracle.braces import Braces
from tests.oracle.entailment import Closure
from tests.oracle.evaluator import TooMuchError
from tests.oracle.places import entailed
from tests.oracle.policies import PolicyEvaluator
from tests.oracle.policy_parts import Made, Policy
from tests.oracle.solutions import Answer, Interval, Placed, Triple

__all__ = ["PolicyQuery", "policy_answers"]

MOST_ROUNDS = 30
MOST_OCCURRENCES = 60


@dataclass(frozen=True, slots=True)
class PolicyQuery:
    """A query and the policy it is asked under."""

    text: str
    policy: Policy

    @property
    def meaning(self) -> algebra.Query:
        """The algebra, with each filter also on the parts that it may judge alone."""
        parsed = parse(self.text)
        found = translate(parsed, QueryText(self.text))
        return replace(found, pattern=Braces.of(parsed).repeated_below(settle_conditions(found.pattern)))


def policy_answers(
    queries: Sequence[PolicyQuery],
    stream: frozenset[Placed],
    background: frozenset[Triple] = frozenset(),
    *,
    entails: bool = True,
) -> list[list[Answer]]:
    """The answers of each query: a bag for a SELECT, a set for CONSTRUCT and ASK.

    Raises:
        TooMuchError: this is too big for a naive evaluation.
    """
    closure = Closure.of(background) if entails else Closure(background, frozenset())
    meanings = [each.meaning for each in queries]
    evaluators = [
        PolicyEvaluator(closure.triples, Braces.of(parse(query.text)), meaning.pattern, query.policy)
        for meaning, query in zip(meanings, queries, strict=True)
    ]
    given: list[list[Answer]] = [[] for _ in queries]
    for time in sorted({each.interval[1] for each in stream}):
        here = entailed(closure, (each for each in stream if each.interval[1] == time))
        found = _settled(here, meanings, evaluators, closure)
        for number, meaning in enumerate(meanings):
            given[number] += _answers(meaning, number, found[number])
            evaluators[number].close(_answered(meaning, number, found[number]))
    return given


def _settled(
    given: frozenset[Placed],
    meanings: Sequence[algebra.Query],
    evaluators: Sequence[PolicyEvaluator],
    closure: Closure,
) -> list[list[Made]]:
    """What each query finds at an instant, when nothing is added any more."""
    instant = given
    for _ in range(MOST_ROUNDS):
        found = [evaluator.at(instant) for evaluator in evaluators]
        if sum(map(len, found)) > 10 * MOST_OCCURRENCES:
            raise TooMuchError
        added = {
            Placed(
                triple, interval, meaning.stream or DEFAULT_STREAM, by_name_only=meaning.stream is not None
            )
            for number, meaning in enumerate(meanings)
            if isinstance(meaning, algebra.ConstructQuery)
            for _, graph, interval in _constructed(meaning, number, found[number])
            for triple in graph
        }
        after = given | entailed(closure, added)
        if after == instant:
            return found
        if len(after) > MOST_OCCURRENCES:
            raise TooMuchError
        instant = after
    raise TooMuchError


def _answers(query: algebra.Query, number: int, found: Iterable[Made]) -> list[Answer]:
    match query:
        case algebra.SelectQuery():
            return [(frozenset(each.solution.mapping.items()), *each.interval) for each in found]
        case algebra.ConstructQuery():
            return list({(graph, *interval) for _, graph, interval in _constructed(query, number, found)})
        case algebra.AskQuery():
            return [(frozenset([True]), end, end) for end in {each.interval[1] for each in found}]
        case _:
            raise NotImplementedError(type(query).__name__)


def _answered(query: algebra.Query, number: int, found: list[Made]) -> list[Made]:
    """The solutions that become answers: a CONSTRUCT without a triple is none."""
    if not isinstance(query, algebra.ConstructQuery):
        return found
    return [made for made, _, _ in _constructed(query, number, found)]


def _constructed(
    query: algebra.ConstructQuery, number: int, found: Iterable[Made]
) -> Iterator[tuple[Made, frozenset[Triple], Interval]]:
    """The triples of each solution, where there are any; its blank nodes are its own."""
    seen: Counter[object] = Counter()
    for each in found:
        identity = (each.solution.key, each.used)
        seen[identity] += 1
        own = (sorted(each.solution.mapping.items(), key=repr), sorted(each.used, key=repr))
        label = md5(repr((number, own, each.interval, seen[identity])).encode()).hexdigest()
        triples = (tuple(_made(term, each, label) for term in triple.terms) for triple in query.template)
        graph = frozenset(
            (s, p, o)
            for s, p, o in triples
            if isinstance(s, str) and isinstance(p, str) and p[:2] != "_:" and o is not None
        )
        if graph:
            yield each, graph, each.interval


def _made(term: algebra.TermPattern, each: Made, label: str) -> Encoded | None:
    if isinstance(term, algebra.Constant):
        return term.value
    return f"_:{label}{term.name}" if term.is_hidden else each.solution.mapping.get(term.name)
