"""Queries with windows on streams: the engine against the oracle, on random queries and streams.

``ETALIS_ORACLE_EXAMPLES`` is the number of examples of the long test.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from etalis_py.compiler.compile import compile_program
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.plan.widths import narrowings_of, with_widest_windows
from etalis_py.core.errors import CompileError
from tests.oracle.backgrounds import BACKGROUNDS
from tests.oracle.chooser import Chooser
from tests.oracle.evaluator import TooMuchError
from tests.oracle.examples import Example, Send
from tests.oracle.running import deliveries, open_engine, tally
from tests.oracle.solutions import Answer
from tests.oracle.windowed import Row, evaluations, rows_given
from tests.oracle.windowed_texts import make_ordered_example, make_path_example, make_windowed_example

REFUSED = "with an expression on variables from outside"
"""What is no example: an EXISTS over windows for which joining is not substituting."""

LONG = int(os.environ.get("ETALIS_ORACLE_EXAMPLES", "10000"))


def test_engine_agrees_with_oracle(backgrounds: list[Path]) -> None:
    assert check_seeds("windows", 100, backgrounds) > 150


def test_paths_agree_with_oracle(backgrounds: list[Path]) -> None:
    assert check_seeds("paths", 60, backgrounds, make_path_example) > 80


def test_rows_in_order_agree_with_oracle(backgrounds: list[Path]) -> None:
    assert check_seeds("ordered", 60, backgrounds, make_ordered_example) > 50


@pytest.mark.long
@pytest.mark.timeout(0)
def test_engine_agrees_with_oracle_at_length(backgrounds: list[Path]) -> None:
    check_seeds("windows long", LONG, backgrounds)


@pytest.mark.parametrize("trace", [False, True])
def test_a_column_that_is_bound_nowhere_stays_empty(backgrounds: list[Path], trace: bool) -> None:
    """Also where what is gone is told by lives."""
    text = """PREFIX : <urn:> SELECT DSTREAM ?nowhere ?x FROM NAMED WINDOW :w ON :s [RANGE PT0.000003S]
        { WINDOW :w { ?x :p ?y } }"""
    sent = Send(((("urn:a", "urn:p", "urn:b"), (1, 1)),), (("urn:s", None),))
    assert check(Example((text,), (sent,), None, entails=False), backgrounds, trace=trace) == 1


def make_grouped_example(choice: Chooser) -> Example:
    """Groups of windows that overlap, whose rows are all given at each evaluation."""
    width, step = choice.number(2, 9), choice.number(1, 3)
    pragma = choice.choose(("", "", "PRAGMA report change ", "PRAGMA report arrival ", "PRAGMA nonempty on "))
    closes = choice.choose((f" STEP PT0.00000{step}S", ""))
    where = choice.choose(("?x ?p ?y", "?x ?p ?y . ?y ?q ?z", "?x ?p ?y OPTIONAL { ?y ?q ?z }"))
    text = f"""{pragma}PREFIX : <urn:> SELECT ?x (COUNT(*) AS ?n) (MAX(?y) AS ?m)
        FROM NAMED WINDOW :w ON :s [RANGE PT0.00000{width}S{closes}]
        {{ WINDOW :w {{ {where} }} }} GROUP BY ?x"""
    return replace(make_windowed_example(choice), queries=(text,))


def test_groups_of_windows_that_overlap_agree(backgrounds: list[Path]) -> None:
    assert check_seeds("grouped", 40, backgrounds, make_grouped_example) > 300


def make_beginning_example(choice: Chooser) -> Example:
    """What begins to live in windows that slide, all of it shown."""
    widths = choice.number(1, 9), choice.number(1, 9)
    since = choice.choose(("", "", f" STARTING AT {choice.number(0, 9)}", " WHOLE", " WHOLE"))
    whole = choice.choose(("", " WHOLE"))
    pragma = choice.choose(("", "", "", "PRAGMA window-bounds closed-open "))
    where = choice.choose(
        (
            "WINDOW :v { ?x ?p ?y }",
            "WINDOW :v { ?x ?p ?y . ?y ?q ?z }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?y ?q ?z }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?x ?p ?y }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?x ?q ?z FILTER (?p != ?q) }",
            "WINDOW :v { ?x ?p ?y BIND (?x AS ?z) } WINDOW :w { ?y ?q ?x }",
            "WINDOW :v { ?x ?p ?y . ?y ?q ?z . ?x ?r ?z }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?x ?q ?z } ?z ?r ?u",
            "WINDOW :v { ?x ?p ?y . ?x ?q ?z } OPTIONAL { WINDOW :w { ?z ?r ?x } }",
            "WINDOW :v { ?x :p/(:p|:q) ?y }",
            "WINDOW :v { ?x :p+ ?y }",
            "WINDOW :v { ?x ?p ?y } ?y ?q ?z",
        )
    )
    text = f"""{pragma}PREFIX : <urn:> SELECT ISTREAM *
        FROM NAMED WINDOW :v ON :s [RANGE PT0.00000{widths[0]}S{since}]
        FROM NAMED WINDOW :w ON :s [RANGE PT0.00000{widths[1]}S{whole}] {{ {where} }}"""
    return replace(make_windowed_example(choice), queries=(text,))


def test_what_begins_agrees(backgrounds: list[Path]) -> None:
    assert check_seeds("begins", 200, backgrounds, make_beginning_example) > 300


def test_a_life_lasts_as_long_as_the_longest_that_touch(backgrounds: list[Path]) -> None:
    """Of those of one solution in one window the second ends first; the third touches the first only."""
    text = """PREFIX : <urn:> SELECT ISTREAM ?x FROM NAMED WINDOW :w ON :s [RANGE PT0.000009S WHOLE]
        { WINDOW :w { ?x :p :b } }"""
    triple, times = ("urn:a", "urn:p", "urn:b"), ((5, 5), (1, 6), (12, 12), (22, 22))
    sent = tuple(Send(((triple, each),), (("urn:s", None),)) for each in times)
    assert check(Example((text,), sent, None, entails=False), backgrounds) == 2


def make_widths_example(choice: Chooser) -> Example:
    """The same pattern in windows of other widths and steps, in several queries and within one."""
    common = choice.choose(("", "", "", " WHOLE")), choice.choose(("", "", "", " STARTING AT 3"))
    pragmas = "".join(
        choice.choose(("", "", "", each))
        for each in ("PRAGMA window-bounds closed-open ", "PRAGMA partial-windows on ")
    )
    pattern = choice.choose(
        (
            "?x ?p ?y . ?y ?q ?z",
            "?x :p ?y . ?y :p ?z",
            "?x :p ?y . ?x :q ?z FILTER (?y != ?z)",
            "?x :p ?y FILTER (?y != :b)",
            "?x ?p ?y BIND (?y AS ?z)",
            "{ ?x :p ?y } VALUES ?x { :a :b }",
            "GRAPH ?g { ?x ?p ?y } ?y ?q ?z",
            "?x :p/:q ?y",
        )
    )
    texts = []
    for _ in range(choice.number(2, 4)):
        steps = (*[""] * 3, *(f" STEP PT0.00000{each}S" for each in (1, 2, 3)))
        widths = [choice.number(1, 9), choice.number(1, 9)]
        extents = [f"RANGE PT0.00000{each}S{choice.choose(steps)}{''.join(common[::-1])}" for each in widths]
        body = choice.choose(
            ("WINDOW :v { P }", "WINDOW :v { P }", "{ WINDOW :v { P } } UNION { WINDOW :w { P } }")
        )
        kind = choice.choose(("RSTREAM", "ISTREAM", "DSTREAM"))
        when = choice.choose(("", "", " REPORT CHANGE", " REPORT ARRIVAL", " EVERY PT0.000002S"))
        shown = choice.choose(("*", "?x", "DISTINCT ?y"))
        other = f"FROM NAMED WINDOW :w ON :s [{extents[1]}]" if ":w" in body else ""
        texts.append(
            f"""{pragmas}PREFIX : <urn:> REGISTER {kind} :o{len(texts)}{when} AS SELECT {shown}
            FROM NAMED WINDOW :v ON :s [{extents[0]}] {other} {{ {body.replace("P", pattern)} }}"""
        )
    return replace(make_windowed_example(choice), queries=tuple(texts))


def narrowed(example: Example) -> int:
    """How many of the patterns on windows of an example take their lives from those of a wider one."""
    plans = []
    for number, text in enumerate(example.queries, 1):
        [query] = compile_program(text, name=str(number), first_number=number)
        plans.append(query.plan)
    return sum(len(narrowings_of(each)) for each in with_widest_windows(plans))


def test_windows_of_several_widths_agree(backgrounds: list[Path]) -> None:
    assert check_seeds("widths", 100, backgrounds, make_widths_example) > 500
    assert check_seeds("widths traced", 20, backgrounds, make_widths_example, trace=True) > 80
    examples = (make_widths_example(Chooser(Random(f"widths {seed}").randint)) for seed in range(100))
    assert sum(map(narrowed, examples)) > 200


def make_stepping_example(choice: Chooser) -> Example:
    """What begins to live at the steps of windows, all or some of it shown."""
    widths, step = (choice.number(1, 9), choice.number(1, 9)), choice.number(1, 5)
    since = choice.choose(("", "", "", f" STARTING AT {choice.number(0, 9)}", " WHOLE"))
    pragma = choice.choose(("", "", "PRAGMA window-bounds closed-open ", "PRAGMA partial-windows on "))
    other = choice.choose((f" STEP PT0.00000{step}S", f" STEP PT0.00000{step}S", " STEP PT0.000002S", ""))
    kind = choice.choose(("ISTREAM", "ISTREAM", "ISTREAM", "RSTREAM"))
    shown = choice.choose(("*", "*", "*", "?x", "DISTINCT ?x"))
    where = choice.choose(
        (
            "WINDOW :v { ?x ?p ?y . ?y ?q ?z }",
            "WINDOW :v { ?x ?p ?y . ?x ?q ?z }",
            "WINDOW :v { ?x ?p ?y . ?y ?q ?z . ?z ?r ?x }",
            "WINDOW :v { ?x ?p ?y . ?x ?q ?z } WINDOW :w { ?x ?r ?z }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?y ?q ?z }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?x ?q ?z FILTER (?p != ?q) }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?y ?q ?z } BIND (?z AS ?t) FILTER (?t != ?x)",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?y ?q ?z } ?z ?r ?u",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?x :p+ ?y }",
            "WINDOW :v { ?x ?p ?y } WINDOW :w { ?y ?q [] }",
            "WINDOW :v { ?x ?p ?y . ?y ?q ?z } OPTIONAL { WINDOW :w { ?x ?r ?z } }",
        )
    )
    text = f"""{pragma}PREFIX : <urn:> SELECT {kind} {shown}
        FROM NAMED WINDOW :v ON :s [RANGE PT0.00000{widths[0]}S STEP PT0.00000{step}S{since}]
        FROM NAMED WINDOW :w ON :s [RANGE PT0.00000{widths[1]}S{other}] {{ {where} }}"""
    return replace(make_windowed_example(choice), queries=(text,))


def test_what_begins_at_steps_agrees(backgrounds: list[Path]) -> None:
    assert check_seeds("steps", 150, backgrounds, make_stepping_example) > 300


def test_a_pair_begins_where_one_part_goes_on_and_the_other_begins(backgrounds: list[Path]) -> None:
    """What goes on at the end of its life makes a pair with what begins then, whichever comes first."""
    text = """PREFIX : <urn:> SELECT ISTREAM * FROM NAMED WINDOW :w ON :s [RANGE PT0.000005S]
        { WINDOW :w { ?x :p ?y . ?x :q ?z } }"""
    lasting, new = ("urn:a", "urn:p", "urn:b"), ("urn:a", "urn:q", "urn:c")
    for each in ((lasting, new), (new, lasting)):
        triples = (
            (each[0], (1, 1)),
            (each[0], (6, 6)),
            (each[1], (6, 6)),
            (each[1], (8, 8)),
            (each[0], (11, 11)),
        )
        sent = tuple(Send((one,), (("urn:s", None),)) for one in triples)
        assert check(Example((text,), sent, None, entails=False), backgrounds) == 1


def make_attached_example(choice: Chooser) -> Example:
    """AGGREGATE of C-SPARQL, in any dialect."""
    width, step = choice.number(2, 9), choice.number(1, 3)
    pragma = choice.choose(("", "PRAGMA report change ", "PRAGMA nonempty off "))
    kind = choice.choose(("RSTREAM", "ISTREAM", "DSTREAM"))
    counted = choice.choose(("COUNT", "COUNT(?z)", "MAX(?y)", "MIN(?z)"))
    second = choice.choose(("", "AGGREGATE { (?m, COUNT, {?x, ?y}) }", "AGGREGATE { (?m, MIN(?x), ?y) }"))
    where = choice.choose(("?x ?p ?y", "?x ?p ?y OPTIONAL { ?y ?q ?z }", "?x :p ?y FILTER (?x != ?y)"))
    condition = choice.choose(("", "FILTER (?n > 1)", "FILTER (?n != :b)"))
    text = f"""{pragma}PREFIX : <urn:> SELECT {kind} * FROM STREAM :s
        [RANGE PT0.00000{width}S STEP PT0.00000{step}S] {{ {where} }}
        AGGREGATE {{ (?n, {counted}, {{?x}}) {condition} }} {second}"""
    return replace(make_windowed_example(choice), queries=(text,))


def test_aggregates_of_each_solution_agree(backgrounds: list[Path]) -> None:
    assert check_seeds("attached", 12, backgrounds, make_attached_example) > 60


def make_newest_example(choice: Chooser) -> Example:
    """Windows of triples, of which a background may entail others, beside other windows."""
    example = make_windowed_example(choice)
    kind = choice.choose(("RSTREAM", "RSTREAM", "ISTREAM", "DSTREAM"))
    report = choice.choose(("", "", " REPORT ARRIVAL", " EVERY PT0.000002S"))
    step = choice.choose(("", "", f" STEP {choice.number(1, 3)}"))
    where = choice.choose(
        ("?x ?p ?y", "?x :q ?y", "?x :p ?y . ?y ?q ?z", "?x a ?y", "?x :r ?y FILTER (?x != :a)")
    )
    more = choice.choose(("", "WINDOW :v { ?x ?q ?y }", "OPTIONAL { WINDOW :v { ?y ?q ?z } }"))
    shown = choice.choose(("*", "*", "(COUNT(*) AS ?n)"))
    text = f"""PREFIX : <urn:> REGISTER {kind} :out{report} AS SELECT {shown}
        FROM NAMED WINDOW :w ON :s [TRIPLES {choice.number(1, 4)}{step}]
        FROM NAMED WINDOW :v ON :s [{choice.choose(("TRIPLES 2", "ELEMENTS 2", "RANGE PT0.000003S"))}]
        {{ WINDOW :w {{ {where} }} {more} }}"""
    return replace(example, queries=(text, *example.queries))


def test_windows_of_triples_agree(backgrounds: list[Path]) -> None:
    assert check_seeds("triples", 60, backgrounds, make_newest_example) > 300
    assert check_seeds("triples traced", 20, backgrounds, make_newest_example, trace=True) > 40


def test_answers_with_their_reasons_are_the_same(backgrounds: list[Path]) -> None:
    assert check_seeds("traced", 40, backgrounds, trace=True) > 40


def test_the_end_of_the_input_may_stop_all(backgrounds: list[Path]) -> None:
    rows = 0
    for seed in range(40):
        example = make_windowed_example(Chooser(Random(f"stopped {seed}").randint))
        steps = tuple(each for each in example.steps if isinstance(each, Send))
        example = replace(example, queries=example.queries[:1], steps=steps)
        assert example.clock is not None
        try:
            with open_engine(example, backgrounds, at_end="stop") as engine:
                found = Counter(
                    each for one in deliveries(engine, example) for each in tally(one.matches, 1)[0]
                )
        except CompileError as error:
            if REFUSED not in str(error):
                raise
            continue
        expected = expected_rows(example, example.queries[0])
        until = {each: times for each, times in expected.items() if each[2] <= example.clock[1]}
        assert found == Counter(until), f"seed {seed}: {example}"
        rows += found.total()
    assert rows > 30


@pytest.mark.parametrize(
    ("make", "number"),
    [
        (make_windowed_example, 20),
        (make_grouped_example, 5),
        (make_beginning_example, 5),
        (make_widths_example, 10),
        (make_stepping_example, 10),
        (make_newest_example, 10),
    ],
)
def test_any_step_may_be_done_by_another_engine(
    make: Callable[[Chooser], Example], number: int, backgrounds: list[Path]
) -> None:
    for seed in range(number):
        example = make(Chooser(Random(f"restored {seed}").randint))
        assert given_by_engines(example, backgrounds) == [
            expected_rows(example, text) for text in example.queries
        ], f"seed {seed}: {example}"


def test_what_is_new_and_gone_adds_up_to_all(backgrounds: list[Path]) -> None:
    """R(t) = (R(t-) - D(t)) + I(t) as bags, with NONEMPTY and LIMIT, too."""
    kinds, seen = ("RSTREAM", "ISTREAM", "DSTREAM"), Counter[str]()
    for seed in range(150):
        example = make_windowed_example(Chooser(Random(f"adds up {seed}").randint))
        text = example.queries[0]
        if not any(each in text for each in kinds):
            continue
        texts = tuple(re.sub("|".join(kinds), kind, text) for kind in kinds)
        try:
            given = given_at_instants(replace(example, queries=texts), backgrounds)
        except CompileError as error:
            if REFUSED not in str(error):
                raise
            continue
        before = Counter[Row]()
        for time in instants(example, text):
            now, new, gone = (each.pop(time, Counter()) for each in given)
            assert now == (before - gone) + new, f"seed {seed} at {time}: {text}"
            assert not gone - before, f"seed {seed} at {time}: {text}"
            before = now
            seen.update(each for each in ("NONEMPTY", "LIMIT") if each in text and (new or gone))
        assert not any(given), f"seed {seed}: {text}"
    assert all(seen[each] > 10 for each in ("NONEMPTY", "LIMIT"))


def given_at_instants(example: Example, files: list[Path]) -> list[dict[int, Counter[Row]]]:
    """What an engine gives at each instant, for each query."""
    given: list[dict[int, Counter[Row]]] = [{} for _ in example.queries]
    with open_engine(example, files) as engine:
        for delivery in deliveries(engine, example):
            for found, new in zip(given, tally(delivery.matches, len(given)), strict=True):
                for row, _, time in new:
                    found.setdefault(time, Counter())[row] += 1
    return given


def instants(example: Example, text: str) -> list[int]:
    """Those at which the oracle evaluates a query."""
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    passed = 0 if example.clock is None else example.clock[1]
    found = evaluations(parse(text), example.placed, background, passed=passed)
    return [each.time for each in found]


def given_by_engines(example: Example, backgrounds: list[Path]) -> list[Counter[Answer]]:
    """What an engine a step gives, each of which goes on where the one before it was."""
    given: list[Counter[Answer]] = [Counter() for _ in example.queries]
    state = None
    for step in (*example.steps, None):
        with open_engine(example, backgrounds) as engine:
            if state is not None:
                engine.restore([state])
            part = Example(example.queries, () if step is None else (step,), None, entails=True)
            for delivery in deliveries(engine, part, ends=step is None):
                for number, new in enumerate(tally(delivery.matches, len(given))):
                    given[number].update(new)
            if step is not None:
                state = engine.snapshot()
                engine.discard()
    return given


def check_seeds(
    name: str,
    number: int,
    backgrounds: list[Path],
    make: Callable[[Chooser], Example] = make_windowed_example,
    **options: bool,
) -> int:
    """Check so many examples; how many rows they have together."""
    rows = 0
    for seed in range(number):
        example = make(Chooser(Random(f"{name} {seed}").randint))
        try:
            rows += check(example, backgrounds, **options)
        except CompileError as error:
            if REFUSED not in str(error):
                raise
        except TooMuchError:
            continue
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}") from error
    return rows


def check(example: Example, files: list[Path], **options: bool) -> int:
    """Each step gives exactly what ends before the clock by now."""
    expected = [expected_rows(example, text) for text in example.queries]
    with open_engine(example, files, **options) as engine:
        given: list[list[Answer]] = [[] for _ in expected]
        for delivery in deliveries(engine, example):
            for number, new in enumerate(tally(delivery.matches, len(expected))):
                given[number] += new
                wanted = {
                    each: times
                    for each, times in expected[number].items()
                    if delivery.clock is None or each[2] < delivery.clock
                }
                assert Counter(given[number]) == Counter(wanted), f"query {number} at {delivery.clock}"
    return sum(each.total() for each in expected)


def expected_rows(example: Example, text: str) -> Counter[Answer]:
    """What the oracle says of one query."""
    query = parse(text)
    background = frozenset() if example.background is None else BACKGROUNDS[example.background]
    found: Counter[Answer] = Counter()
    passed = 0 if example.clock is None else example.clock[1]
    for time, rows in rows_given(query, evaluations(query, example.placed, background, passed=passed)):
        for row, times in rows.items():
            found[row, time, time] += times
    return found
