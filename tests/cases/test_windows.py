"""Windows on streams worked out by hand from the formulas of RSP-QL and RSEP-QL: ``windows/*.txt``.

A second is a microsecond, so that the evaluator of the tests can look at each. An answer is the instant of
its evaluation, then values, or a triple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from etalis_py.compiler.parse import syntax
from etalis_py.compiler.parse.names import Names
from etalis_py.compiler.parse.parser import parse
from etalis_py.core.terms import Encoded
from etalis_py.engine.matches import Match
from tests.cases.drawn import (
    Case,
    given_after_snapshots,
    given_as_a_whole,
    given_shuffled,
    opened,
    read_cases,
    send,
    word,
)
from tests.oracle.solutions import Placed, Triple
from tests.oracle.windowed import Row, evaluations, rows_given

CASES = list(read_cases("windows", 1))
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))


def shown(match: Match) -> str:
    """An answer of an engine."""
    assert match.start == match.end
    if match.encoded_triples is not None:
        return _made(match.end, match.encoded_triples)
    return _row(match.end, match.encoded.items())


def _row(time: int, row: Iterable[tuple[str, Encoded]]) -> str:
    return " ".join([str(time), *sorted(f"{name}={word(term).lower()}" for name, term in row)])


def _made(time: int, triples: Iterable[Triple]) -> str:
    return " ".join([str(time), *sorted(".".join(map(word, each)) for each in triples)])


def wanted(case: Case) -> Counter[str]:
    """The answers that are expected, values in the order of their names."""
    return Counter(
        " ".join([line.split()[0], *sorted(line.split()[1:])]) for line in case.expected.elements()
    )


def test_there_are_enough() -> None:
    assert len(CASES) >= 24


@EACH
def test_as_a_whole(case: Case, tmp_path: Path) -> None:
    assert given_as_a_whole(case, tmp_path, shown) == wanted(case)


@EACH
def test_by_the_formulas(case: Case) -> None:
    """What a query makes, those behind it read."""
    given, placed = Counter[str](), frozenset(case.elements)
    for text in case.queries:
        query = parse(text)
        for time, rows in rows_given(query, evaluations(query, placed, case.background)):
            if isinstance(query.form, syntax.Construct):
                made = _template(query, query.form, time, rows)
                placed |= made
                given[_made(time, (each.triple for each in made))] += 1
            else:
                given.update(_row(time, row) for row in rows.elements())
    assert given == wanted(case)


def _template(
    query: syntax.Query, form: syntax.Construct, time: int, rows: Iterable[Row]
) -> frozenset[Placed]:
    """One element with what each row makes of a template of one triple."""
    names, registration = Names(query.prologue, text=query.text), query.registration
    assert registration is not None
    assert not isinstance(registration.name, str)
    ((subject, properties),) = ((each.subject, each.properties) for each in form.template)
    ((verb, (target,)),) = ((each.verb, each.objects) for each in properties)

    def value(term: syntax.Node, row: Row) -> Encoded:
        return dict(row)[term.name] if isinstance(term, syntax.Variable) else names.resolve(term)

    return frozenset(
        Placed(
            (value(subject, row), value(verb, row), value(target, row)),
            (time, time),
            names.resolve(registration.name),
        )
        for row in rows
    )


@EACH
def test_with_a_snapshot_after_every_element(case: Case, tmp_path: Path) -> None:
    assert given_after_snapshots(case, tmp_path, shown) == wanted(case)


@EACH
def test_in_any_order_within_an_instant(case: Case, tmp_path: Path) -> None:
    assert all(given == wanted(case) for given in given_shuffled(case, tmp_path, shown))


@EACH
def test_explained(case: Case, tmp_path: Path) -> None:
    """A proof is of its answer, at its instant, and names what the stream brought by then."""
    said = {(each.triple, each.interval) for each in case.elements}
    with opened(case, tmp_path, trace=True) as engine:
        send(engine, case.elements)
        engine.finish()
        matches = list(engine.matches())
        assert Counter(map(shown, matches)) == wanted(case)
        for match in matches:
            why = engine.why(match)
            assert why.proof.interval == match.interval
            assert {(each.said, each.interval) for each in why.events} <= said
            assert all(each.interval[1] <= match.end for each in why.events)
            assert str(why)
