"""How the engine is held against the oracle.

An answer that ends at ``t`` is to be given as soon as time has passed ``t``, and once. So after each step the
engine must have given exactly what the oracle, which knows the whole stream, says ends before the clock: that
nothing is withdrawn later, nothing held back, and nothing depends on batches or the order within an instant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NoReturn

from hypothesis import currently_in_test_context, event, reject

from etalis_py.compiler.parse import syntax
from etalis_py.core.errors import QueryError
from etalis_py.engine.engine import Engine
from etalis_py.engine.matches import Match
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example
from tests.oracle.program import World, answers
from tests.oracle.running import deliveries, open_engine, tally
from tests.oracle.solutions import Answer
from tests.oracle.vocabulary import GRAPHS

__all__ = [
    "NoExampleError",
    "check",
    "check_seeds",
    "checked_steps",
    "dismiss",
    "expected_answers",
    "nameless",
    "opened",
    "why_refused",
]

REFUSED = (
    ("EP114", "", "a variable after GROUP BY that has no one value"),
    ("EP201", "with a variable", "rows within GRAPH or STREAM with a variable"),
    ("EP201", "calculated measure", "EXISTS that speaks of what is calculated from iterations"),
    ("EP201", "may end last", "SKIP among answers whose last occurrence is not known"),
    ("EP216", "may not be bound", "no iteration, and so no value of PER"),
    ("EP118", "cannot follow REPEAT", "a step that needs to know all iterations before it"),
    ("EP205", "", "not stratified"),
    ("EP213", "may have a value or not", "a name that may be bound within its braces"),
)
"""What is no example, though the engine can tell why not: the code, a part of the message, and why."""


class NoExampleError(Exception):
    """Nothing can be learned from this example."""


def check(example: Example, backgrounds: list[Path], *, in_portions: bool = False) -> None:
    """One example: all that the engine gives, and when; the answers of an instant may come in portions."""
    with opened(example, backgrounds) as engine:
        for _ in checked_steps(engine, example, in_portions=in_portions):
            pass


def check_seeds(
    number: int, backgrounds: list[Path], make: Callable[[Chooser], Example], name: str = ""
) -> None:
    """Check so many examples. Programs that are no example are not counted."""
    seeds = count()
    while number:
        seed = f"{name}{next(seeds)}"
        example = make(Chooser(Random(seed).randint))
        try:
            check(example, backgrounds)
            number -= 1
        except NoExampleError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed!r}: {example}") from error


def checked_steps(engine: Engine, example: Example, *, in_portions: bool = False) -> Iterator[None]:
    """Check what each step of the example brings; each portion of an instant has an order of its own."""
    expected = expected_answers(example)
    forms = [query.form for query in example.parsed]
    ordered = [bool(form.modifiers.order_by) and isinstance(form, syntax.Select) for form in forms]
    given: list[list[Answer]] = [[] for _ in expected]
    for delivery in deliveries(engine, example):
        if not in_portions:
            _check_order([each for each in delivery.matches if not ordered[int(each.query)]])
        for number, new in enumerate(tally(delivery.matches, len(expected))):
            given[number] += nameless(new)
            wanted = _until(expected[number], delivery.clock)
            assert Counter(given[number]) == Counter(wanted), f"query {number} at {delivery.clock}"
            if ordered[number]:
                assert given[number] == sorted(wanted, key=_end), f"order of query {number}"
        yield


def opened(
    example: Example, backgrounds: list[Path], delay: timedelta | None = None, **options: Any
) -> Engine:
    """An engine for the example; an example that is not stratified is none."""
    try:
        return open_engine(example, backgrounds, delay, **options)
    except QueryError as error:
        why = why_refused(error)
        if why is None:
            raise
        dismiss(why)


def why_refused(error: QueryError) -> str | None:
    """Why the program is no example; None where it should not have been refused."""
    found = (why for code, words, why in REFUSED if error.code == code and words in str(error))
    return next(found, None)


def expected_answers(example: Example) -> list[list[Answer]]:
    """What the oracle says of each query."""
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    graphs = {graph: BACKGROUNDS[number] for graph, number in zip(GRAPHS, example.graphs, strict=False)}
    clock, at = example.clock, example.at
    world = World(frozenset(), background, example.entails, graphs, clock, at, example.placed)
    try:
        found = answers(example.parsed, world)
    except TooMuchError:
        dismiss("too much")
    _note(f"{min(sum(map(len, found)), 5)} answers")
    return [nameless(each) for each in found]


def nameless(answers: Iterable[Answer]) -> list[Answer]:
    """The same answers, whatever new blank nodes are called."""
    return [(frozenset(map(_nameless, parts)), start, end) for parts, start, end in answers]


def _nameless(part: object) -> object:
    if isinstance(part, tuple):
        return tuple(map(_nameless, part))
    return "_:" if isinstance(part, str) and part.startswith("_:") else part


def _note(what: str) -> None:
    if currently_in_test_context():
        event(what)


def dismiss(why: str) -> NoReturn:
    """Give an example up: nothing can be learned from it."""
    if currently_in_test_context():
        event(why)
        reject()
    raise NoExampleError(why)


def _until(expected: list[Answer], clock: int | None) -> list[Answer]:
    """What ends before ``clock``; None is the end of time."""
    return [each for each in expected if clock is None or _end(each) < clock]


def _end(answer: Answer) -> int:
    return answer[2]


def _check_order(matches: list[Match]) -> None:
    keys = [(match.end, match.start) for match in matches]
    assert keys == sorted(keys)
