"""Queries as LARS programs: what the program means is what the query means, on random queries and streams."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.lars.translate import lars_program
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.errors import CompileError, QueryError
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.checking import NoExampleError, expected_answers
from tests.oracle.chooser import Chooser
from tests.oracle.entailment import Closure
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example, make_example
from tests.oracle.lars import Stream
from tests.oracle.places import entailed
from tests.oracle.step_examples import make_step_example
from tests.oracle.windowed import evaluations
from tests.oracle.windowed_texts import make_windowed_example

OPERATORS = frozenset({"MINUS", "EXISTS", "VALUES", "PATH"})
STEPS = ("SEQ", "NEXT", "NOT", "NOT", "FOR", "FOR", "AFTER", "UNION", "EQUALS", "DURING", "PAR", "OPTIONAL")


def lars_of(text: str, example: Example) -> tuple[Stream, tuple[str, ...]]:
    """The program of a query over the stream of the example, and the columns of its answers."""
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    [compiled] = compile_program(text, name="q", background=lambda _pattern: bool(background))
    closure = Closure.of(background)
    placed, known = example.placed, background
    if example.entails:
        placed, known = entailed(closure, placed), closure.triples
    stated = sorted(example.placed, key=repr)
    return Stream(
        lars_program(compiled), stated, sorted(placed, key=repr), known, example.clock or (0, 0)
    ), compiled.variables


def agrees_in_windows(text: str, example: Example) -> int:
    """How many rows a query with windows has, at all its instants; LARS has the same."""
    stream, columns = lars_of(text, example)
    query = parse(text)
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    expected = {each.time: set(each.rows) for each in evaluations(query, example.placed, background)}
    if not expected:
        return 0
    asks = isinstance(query.form, syntax.Ask)
    for time in range(min(expected), max(expected) + 1):
        triggered, answers = stream.at(time)
        assert triggered == (time in expected), f"whether it is evaluated at {time}"
        if not triggered:
            continue
        if asks:
            [[(_, (answer, _))]] = expected[time]
            assert bool(answers) == answer, f"at {time}"
            continue
        rows = {
            frozenset((name, value) for name, value in zip(columns, each, strict=True) if value != "null")
            for each in answers
        }
        assert rows == expected[time], f"at {time}"
    return sum(map(len, expected.values()))


def test_windows() -> None:
    rows = said = 0
    for seed in range(250):
        example = make_windowed_example(Chooser(Random(f"lars {seed}").randint))
        for text in example.queries:
            try:
                rows += agrees_in_windows(text, example)
            except CompileError as error:
                if error.code not in ("EP221", "EP201"):
                    raise
                continue
            except TooMuchError:
                continue
            except AssertionError as error:
                raise AssertionError(f"seed {seed}: {text} {example}") from error
            said += 1
    assert said > 35
    assert rows > 150


def agrees_over_all(example: Example) -> int:
    """How many answers a query without windows has; LARS has the same, and their times."""
    [text] = example.queries
    stream, columns = lars_of(text, example)
    [expected] = expected_answers(example)
    found = {
        (
            frozenset((name, value) for name, value in zip(columns, values, strict=True) if value != "null"),
            start,
            end,
        )
        for *values, start, end in stream.answers()
    }
    # Whether what is due after the last time point is an answer is not for formulas to say.
    known = {each for each in expected if each[2] <= stream.clock[1]}
    assert {each for each in found if each[2] <= stream.clock[1]} == known
    return len(found)


def check_over_all(make: Callable[[Chooser], Example], seeds: int) -> tuple[int, int]:
    """How many queries without windows LARS can say, and how many answers they have."""
    said = rows = 0
    for seed in range(seeds):
        example = make(Chooser(Random(f"lars {seed}").randint))
        if len(example.queries) > 1 or not isinstance(parse(example.queries[0]).form, syntax.Select):
            continue
        try:
            rows += agrees_over_all(example)
        except (QueryError, TooMuchError, NoExampleError):
            continue
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {example}") from error
        said += 1
    return said, rows


def test_patterns_of_events() -> None:
    said, rows = check_over_all(partial(make_example, operators=OPERATORS), 500)
    assert said > 30
    assert rows > 60


def test_what_did_not_happen() -> None:
    said, rows = check_over_all(partial(make_step_example, steps=STEPS), 300)
    assert said > 50
    assert rows > 50
