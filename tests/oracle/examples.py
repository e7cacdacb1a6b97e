"""Random examples: a program, a stream, the way in which it arrives, and what is known besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import Encoded
from etalis_py.core.vocabulary import DEFAULT_STREAM, RDF_TYPE
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser, drawn
from tests.oracle.operators import STREAM, Operators, some_operators
from tests.oracle.query_texts import ANYTHING, TriplePattern, construct_text, question_text
from tests.oracle.solutions import Clock, Interval, Occurrence, Placed, Triple
from tests.oracle.vocabulary import (
    CLASSES,
    DERIVED,
    ENTITIES,
    GRAPHS,
    LITERALS,
    PREDICATES,
    SECOND,
    STREAMS,
)

__all__ = [
    "Advance",
    "Example",
    "Place",
    "Send",
    "Step",
    "arrivals",
    "examples",
    "make_example",
    "make_stream_example",
    "triple_of",
]

Place: TypeAlias = tuple[str | None, str | None]
"""The stream and the name of the element."""

LAST_SECOND = 6
MOST_OCCURRENCES = 14
FAVOURITES = {"?x": "urn:a", "?y": "urn:b", "?z": "urn:c", ANYTHING: "urn:a"}


@dataclass(frozen=True)
class Send:
    """A batch of occurrences; ``places`` are those of all of them, or none where nothing has one."""

    occurrences: tuple[Occurrence, ...]
    places: tuple[Place, ...] = ()

    @property
    def placed(self) -> list[Placed]:
        """The occurrences in their streams."""
        places = self.places or ((None, None),) * len(self.occurrences)
        return [
            Placed(triple, interval, stream or DEFAULT_STREAM, graph)
            for (triple, interval), (stream, graph) in zip(self.occurrences, places, strict=True)
        ]


@dataclass(frozen=True)
class Advance:
    """Nothing that ends before ``time`` will come."""

    time: int


Step = Send | Advance


@dataclass(frozen=True)
class Example:
    """``steps`` bring the stream; ``background`` is None, or a number in BACKGROUNDS, and so are ``graphs``.

    ``entails``: what follows by RDFS counts as well. ``at`` is the one instant of a run that has just one.
    """

    queries: tuple[str, ...]
    steps: tuple[Step, ...]
    background: int | None
    entails: bool
    graphs: tuple[int, ...] = ()
    at: int | None = None

    @cached_property
    def parsed(self) -> list[syntax.Query]:
        """The syntax trees of the queries."""
        return [parse(text) for text in self.queries]

    @property
    def stream(self) -> frozenset[Occurrence]:
        """What has come when all steps are done."""
        return frozenset(each for step in self.steps if isinstance(step, Send) for each in step.occurrences)

    @property
    def placed(self) -> frozenset[Placed]:
        """The same in its streams and elements."""
        return frozenset(each for step in self.steps if isinstance(step, Send) for each in step.placed)

    @property
    def clock(self) -> Clock | None:
        """The first and the last time that steps bring."""
        times = [
            time
            for step in self.steps
            for time in (
                [step.time] if isinstance(step, Advance) else [end for _, (_, end) in step.occurrences]
            )
        ]
        return (min(times), max(times)) if times else None


def make_example(choice: Chooser, operators: Operators | None = None) -> Example:
    """A program of one to four queries over a stream of up to 14 occurrences."""
    chosen = some_operators(choice) if operators is None else operators
    most = (0, 1, 1, 2) if STREAM in chosen else (0, 0, 0, 1, 1, 2)
    queries = [construct_text(choice, chosen) for _ in range(choice.choose(most))]
    queries += [question_text(choice, chosen, fed=bool(queries)) for _ in range(choice.choose((1, 1, 2)))]
    for position in range(len(queries) - 1, 0, -1):  # who is asked before what is said
        queries.insert(position, queries.pop(choice.number(0, position)))
    patterns = [pattern for query in queries for pattern in query.patterns]
    background = choice.number(0, len(BACKGROUNDS) - 1) if choice.rarely(2) else None
    at = 3 * SECOND if "AT" in chosen else None
    in_streams = STREAM in chosen
    order = _occurrences(choice, patterns, at, intervals=(1, 4) if in_streams else (3, 9))
    order, places = _spread(choice, order) if in_streams else (order, [])
    steps = arrivals(choice, order, places, with_heartbeats=at is None)
    entails = not choice.rarely(5) and "FROM" not in chosen
    graphs = (
        tuple(choice.number(0, len(BACKGROUNDS) - 1) for _ in GRAPHS) if chosen & {"GRAPH", "FROM"} else ()
    )
    return Example(tuple(query.text for query in queries), steps, background, entails, graphs, at)


def make_stream_example(choice: Chooser) -> Example:
    """The same, with occurrences in several streams and elements, which queries ask for."""
    return make_example(choice, some_operators(choice) | {STREAM})


@st.composite
def examples(draw: DrawFn) -> Example:
    """Examples that hypothesis makes and shrinks."""
    return make_example(drawn(draw))


def triple_of(choice: Chooser, patterns: list[TriplePattern]) -> Triple:
    """Mostly an instance of a pattern; most variables have a favourite value, so that joins find partners."""
    subject, predicate, value = choice.choose((*patterns * 4, ("?x", "urn:p", "?y")))
    subject, value = _instance(choice, subject, ()), _instance(choice, value, LITERALS)
    if not isinstance(predicate, str) or predicate[0] == "?":
        predicate = choice.choose(PREDICATES)
    if predicate == RDF_TYPE:
        value = choice.choose(CLASSES)
    return subject, predicate, value


def _instance(choice: Chooser, term: Encoded, others: tuple[Encoded, ...]) -> Encoded:
    if not isinstance(term, str) or term[0] not in "?[":
        return term
    if not choice.rarely(6):
        return FAVOURITES.get(term, "urn:a")
    return choice.choose((*ENTITIES, *ENTITIES, *others))


def _interval(choice: Chooser) -> Interval:
    end = choice.number(0, LAST_SECOND)
    start = choice.number(0, end) if choice.rarely(3) else end
    return start * SECOND, end * SECOND


def _occurrences(
    choice: Chooser, patterns: list[TriplePattern], at: int | None, intervals: tuple[int, int]
) -> list[Occurrence]:
    """What happens in a few intervals, in order of its ends, any order within an instant."""
    few = [_interval(choice) if at is None else (at, at) for _ in range(choice.number(*intervals))]
    number = choice.choose((*range(MOST_OCCURRENCES), *(MOST_OCCURRENCES,) * 12))
    order = [(triple_of(choice, patterns), choice.choose(few)) for _ in range(number)]
    order.sort(key=lambda occurrence: occurrence[1][1])
    return order


def arrivals(
    choice: Chooser, order: Sequence[Occurrence], places: Sequence[Place], *, with_heartbeats: bool
) -> tuple[Step, ...]:
    """The occurrences in batches of any size, with heartbeats between."""
    steps: list[Step] = []
    first = 0
    for position, (_, (_, end)) in enumerate(order):
        following = order[position + 1][1][1] if position + 1 < len(order) else (LAST_SECOND + 2) * SECOND
        batch = Send(tuple(order[first : position + 1]), tuple(places[first : position + 1]))
        match choice.choose(("", "", "cut", "advance" if with_heartbeats else "cut")):
            case "cut":
                steps.append(batch)
                first = position + 1
            case "advance":
                steps += [batch, Advance(choice.number(end, following))]
                first = position + 1
            case _:
                pass
    return (*steps, Send(tuple(order[first:]), tuple(places[first:])))


def _spread(choice: Chooser, order: list[Occurrence]) -> tuple[list[Occurrence], list[Place]]:
    """Each occurrence in one to three places; an element with a name has one interval."""
    intervals = sorted({interval for _, interval in order})
    copies, places = [], []
    for occurrence in order:
        number = intervals.index(occurrence[1])
        for _ in range(choice.choose((1, 2, 2, 3, 4))):
            stream = choice.choose((None, *STREAMS[1:] * 3, *STREAMS, *DERIVED[:1]))
            shifted = (number + (stream == STREAMS[-1])) % len(intervals)  # elsewhere the name is another's
            first = ENTITIES[shifted] if shifted < len(ENTITIES) else f"urn:k{shifted}"
            graph = choice.choose((None, None, None, first, first, first, f"urn:l{shifted}", f"_:m{shifted}"))
            copies.append(occurrence)
            places.append((stream, graph))
    return copies, places
