"""Whether push and pull agree, against the definition: what the oracle has at each microsecond."""

from __future__ import annotations

from pathlib import Path
from random import Random

from etalis_py.agreement.agree import Question, two_modes
from etalis_py.agreement.agreement import Agreement
from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.rewriting.evaluations import execution_modes
from etalis_py.core.errors import CompileError
from etalis_py.engine.options import EngineOptions
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example, Send
from tests.oracle.running import batch_of
from tests.oracle.windowed import Row, evaluations
from tests.oracle.windowed_texts import make_windowed_example

PERIOD = 4


def test_random_queries(backgrounds: list[Path]) -> None:
    compared = differing = 0
    for seed in range(80):
        example = make_windowed_example(Chooser(Random(f"agree {seed}").randint))
        text = example.queries[0]
        if not isinstance(parse(text).form, syntax.Select) or "LIMIT" in text:
            continue
        try:
            if execution_modes(text, PERIOD).grid.first is not None:
                continue  # the oracle would begin there, too
            expected, last = alone(example, text)
            found = agreement(example, text, backgrounds)
        except (CompileError, TooMuchError):
            continue
        given = {
            (said.end, each.side, frozenset(each.row))
            for said in found.said
            for each in said.differences
            if said.end <= last
        }
        assert given == expected, f"seed {seed}: {example}"
        compared += 1
        differing += bool(given)
    assert compared > 25
    assert differing > 5


def agreement(example: Example, text: str, backgrounds: list[Path]) -> Agreement:
    batches = [
        batch_of(step.occurrences, step.places)
        for step in example.steps
        if isinstance(step, Send) and step.occurrences
    ]
    files = () if example.background is None else (str(backgrounds[example.background]),)
    return two_modes(Question(text, "q"), batches, PERIOD, EngineOptions(background=files))


def alone(example: Example, text: str) -> tuple[set[tuple[int, str, Row]], int]:
    """Of each interval (iU, (i + 1)U] what its arrivals have and its end has not, and the other way.

    Also the last instant that is looked at: until then all windows are empty.
    """
    query = parse(execution_modes(text, 1).pull)
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    rows = {each.time: set(each.rows) for each in evaluations(query, example.placed, background)}
    streams = read_streams(query)
    arrivals = {each.interval[1] for each in example.placed if each.stream in streams}
    ends = {time + -time % PERIOD for time in (*rows, *arrivals)}
    found = set()
    for end in ends:
        within = range(end - PERIOD + 1, end + 1)
        pushed = {row for time in within if time in arrivals for row in rows.get(time, ())}
        pulled = rows.get(end, set())
        found |= {(end, "push", row) for row in pushed - pulled}
        found |= {(end, "pull", row) for row in pulled - pushed}
    last = max(rows, default=0)
    return {each for each in found if each[0] <= last}, last


def read_streams(query: syntax.Query) -> set[str]:
    from etalis_py.compiler.algebra.translate import sought
    from etalis_py.compiler.refusals import QueryText

    _, windowed = sought(query, QueryText(query.text))
    assert windowed is not None
    return {each.stream for each in windowed.windows if each.stream is not None}
