"""Facts and predicates from Prolog files; a file with an error leaves nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from etalis_py.core.errors import DataError
from etalis_py.core.vocabulary import RDF_TYPE, RDFS_SUBCLASSOF, XSD
from etalis_py.embedding import prolog
from etalis_py.ontologies.prolog_files import load_prolog_file
from tests.ontologies.conftest import Inspected, Load

Write = Callable[..., Path]
FACTS = """
rdf(oak, rdfs:subClassOf, 'urn:Plant').
rdf(e, rdf:type, oak).              % a comment
rdf(e, p, "text").
rdf(e, p, "Text"@'EN').
rdf(e, p, 5).
rdf(e, p, 1r2).
rdf(e, p, 0.5).
rdf(e, p, true).
rdf(e, p, "05"^^xsd:integer).
rdf(e, p, 7^^xsd:byte).
rdf(e, p, "1970-01-01T00:00:00Z"^^xsd:dateTime).
rdf(e, p, 5).
rdf(e, q, o, graph).
"""
PROGRAM = """#!/usr/bin/env swipl
:- use_module(library(lists)).
:- dynamic seen/1.
:- table reaches/2.
:- op(700, xfx, above).
double(X, Y) :- Y is 2*X.
reaches(X, Y) :- edge(X, Y).
reaches(X, Y) :- reaches(X, Z), edge(Z, Y).
edge(a, b). edge(b, a).
tree above grass.
digits([D|Ds]) --> [D], { D < 10 }, digits(Ds).
digits([]) --> [].
size(N, S), N > 10 => S = big.
size(_, S) => S = small.
kind(X) :- rdfs(X, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', plant).
:- initialization((double(2, X), assertz(seen(X)))).
:- initialization(main, main).
main :- halt.
rdf(oak, rdfs:subClassOf, plant).
rdf(o, rdf:type, oak).
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str, name: str = "rules.pl") -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write_file


def holds(background: Inspected, goal: str) -> bool:
    return prolog.holds("test_inspect", "succeeds", background.module, goal)


def test_facts_in_readable_form(load: Load, write: Write) -> None:
    found = load(write(FACTS))
    assert set(found.explicit()) == {
        ("oak", RDFS_SUBCLASSOF, "urn:Plant"),
        ("e", RDF_TYPE, "oak"),
        ("e", "p", ("text", XSD + "string")),
        ("e", "p", ("Text", "@en")),
        ("e", "p", (5, XSD + "integer")),
        ("e", "p", (Fraction(1, 2), XSD + "decimal")),
        ("e", "p", (0.5, XSD + "double")),
        ("e", "p", (True, XSD + "boolean")),
        ("e", "p", (5, "05", XSD + "integer")),
        ("e", "p", (7, XSD + "byte")),
        ("e", "p", (0, XSD + "dateTime")),
        ("e", "q", "o"),
    }
    assert len(found.explicit()) == 12
    assert found.named() == [("e", "q", "o", "graph")]
    assert found.answers("e", RDF_TYPE, "urn:Plant")


@pytest.mark.parametrize(
    "goal",
    [
        "double(4, 8)",
        "findall(X, reaches(a, X), Xs), msort(Xs, [a, b])",
        "above(tree, grass)",
        "phrase(digits([1, 2]), [1, 2])",
        "size(11, big), size(10, small)",
        "seen(4)",
        "kind(o)",
        "rdf(o, _, oak)",
        "rdfs_subclass(oak, plant)",
        "catch(main, error(permission_error(_, _, halt), _), true)",
    ],
)
def test_predicates_can_be_called(load: Load, write: Write, goal: str) -> None:
    assert holds(load(rules=[write(PROGRAM)]), goal)


def test_two_engines_with_one_file_share_nothing(load: Load, write: Write) -> None:
    path = write(":- dynamic n/1.\nn(1).\n")
    first, second = load(path), load(path)
    assert holds(first, "retract(n(1)), assertz(n(2))")
    assert holds(second, "n(1), \\+ n(2)")
    assert not holds(second, "current_predicate(user:n/1)")


@pytest.mark.parametrize(
    "last", [":- fail.", "b(.", ":- halt.", "rdf(X, a, b).", ":- initialization(fail).", ":- [nothing]."]
)
def test_an_error_leaves_nothing(load: Load, write: Write, last: str) -> None:
    found = load(write("kept(1).", "good.pl"))
    count = len(found.explicit())
    bad = write(f"rdf(s, p, o).\nnew(1).\nkept(2).\n{last}\n", "bad.pl")
    with pytest.raises(DataError):
        load_prolog_file(prolog, found.module, bad, 5)
    assert len(found.explicit()) == count
    assert holds(found, "kept(1), \\+ kept(2), \\+ catch(new(_), _, fail)")


@pytest.mark.parametrize(
    "text",
    [
        ":- halt.",
        ":- initialization(halt).",
        ":- catch(system:halt, _, true).",
        ":- catch(halt(0), _, halt).",
    ],
)
def test_halt_does_not_end_the_process(load: Load, write: Write, text: str) -> None:
    with pytest.raises(DataError, match="EP444"):
        load(write(text))


def test_what_prolog_says_goes_to_the_log(
    load: Load, write: Write, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    text = ":- print_message(warning, format(careful, [])), writeln(hello).\na(X).\nb(1).\na(2).\n"
    with caplog.at_level(logging.INFO):
        load(write(text))
    assert [(each.levelname, each.message.rpartition(": ")[2]) for each in caplog.records] == [
        ("WARNING", "careful"),
        ("INFO", "hello"),
    ]
    assert capfd.readouterr() == ("", "")


def test_rules_come_after_triples(load: Load, write: Write, tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("<urn:s> <urn:p> <urn:o> .")
    rules = write(":- rdf('urn:s', P, _), assertz(found(P)).\nrdf('urn:s', 'urn:p', 'urn:o').")
    found = load(tmp_path / "a.ttl", rules=[rules])
    assert holds(found, "found('urn:p')")
    assert len(found.explicit()) == 1
