"""Rates: how they are written, counted, and what they say of patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py import Engine, Rates, UsageError
from etalis_py.compiler.association.choice import OrderChoice

PREFIX = "PREFIX : <urn:>\n"
ONTOLOGY = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<urn:Oak> rdfs:subClassOf <urn:Tree> . <urn:Elm> rdfs:subClassOf <urn:Tree> .
<urn:low> rdfs:subPropertyOf <urn:p> . <urn:fells> rdfs:range <urn:Tree> .
"""
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def choice(patterns: str, rates: Rates | dict[str, float], background: tuple[str, ...] = ()) -> OrderChoice:
    """What is chosen for a chain of triple patterns."""
    chain = " SEQ ".join(f"{{ {each} }}" for each in patterns.split(" . "))
    with Engine(background) as engine:
        engine.register(f"{PREFIX}SELECT * {{ {chain} }}", name="query", rates=rates)
        return engine.query("query").orders[0]


def rates_of(
    patterns: str, rates: Rates | dict[str, float], background: tuple[str, ...] = ()
) -> list[object]:
    return [each if each is None else round(each, 6) for each in choice(patterns, rates, background).rates]


def stream(*triples: tuple[str, str, str]) -> dict[str, list[object]]:
    """One event a second."""
    names = [[each if each.startswith("<") else f"<urn:{each}>" for each in triple] for triple in triples]
    return {
        "start": [number * 1_000_000 for number in range(len(triples))],
        **{column: [triple[place] for triple in names] for place, column in enumerate("spo")},
    }


def test_what_is_told() -> None:
    told = {":p": 8, "<urn:q>": 4.0, "a :C": 2, ":p :o": 0.5}
    assert rates_of("?x :p ?y . ?x :q ?y . ?x a :C", told) == [8, 4, 2]
    assert rates_of("?x :p :o . ?x :q :o . ?x a ?c", told) == [0.5, 0.04, 2]  # of 100 objects one
    assert rates_of("?x :p ?y . ?x :r ?y . ?x a :D", told) == [8, None, None]
    assert Rates.parse(":p=8 , <urn:q>=4.0,a :C=2,:p :o=.5").given == Rates.of(told).given


def test_what_is_counted() -> None:
    table = stream(("a", "p", "b"), ("a", "p", "c"), ("d", "p", "c"), ("a", "q", "b"), ("a", "q", "b"))
    rates = Rates.measure(table)
    assert rates.seconds == 4
    assert rates_of("?x :p ?y . ?x :q ?y . ?x ?p ?y", rates) == [0.75, 0.5, 1.25]
    assert rates_of("?x :p :c . :a :p ?y . ?x :r ?y", rates) == [0.5, 0.375, 0.125]


def test_at_one_instant_nothing_can_be_counted() -> None:
    rates = Rates.measure(
        {"start": [1, 1], "s": ["<urn:a>"] * 2, "p": ["<urn:p>", "<urn:q>"], "o": ["<urn:b>"] * 2}
    )
    assert rates_of("?x :p ?y . ?x :q ?y . ?x :p ?y", rates) == [None, None, None]
    assert choice("?x :p ?y . ?x :q ?y . ?x :p ?y", rates).alternatives == ()


def test_the_ontology_counts(tmp_path: Path) -> None:
    (tmp_path / "trees.ttl").write_text(ONTOLOGY)
    background = (str(tmp_path / "trees.ttl"),)
    table = stream(
        ("x", TYPE, "Oak"), ("y", TYPE, "Elm"), ("z", TYPE, "Car"), ("a", "fells", "x"), ("a", "low", "b")
    )
    told = {"a :Oak": 1, "a :Elm": 2, "a :Car": 8, ":fells": 4, ":low": 16}
    patterns = "?x a :Tree . ?x a :Oak . ?x :p ?y"
    assert rates_of(patterns, told, background) == [7, 1, 16]
    assert rates_of(patterns, Rates.measure(table), background) == [0.75, 0.25, 0.25]


@pytest.mark.parametrize(
    "text", ["", ":p", ":p=", ":p=x", ":p=-1", ":p=inf", "p=1", ":p=1 :q=2", ":p :q :r=1", "a=1"]
)
def test_what_is_no_rate(text: str) -> None:
    if text == "":
        assert Rates.parse(text) == Rates()
        return
    with pytest.raises(UsageError, match="EP505"):
        Rates.parse(text)


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rates.csv"
    file.write_text('event,rate,objects\n"<urn:a,b>",2,\na :C,3,7\n')
    assert [(name, each.rate, each.objects) for name, each in Rates.read(file).given] == [
        ("<urn:a,b>", 2.0, None),
        ("a :C", 3.0, 7.0),
    ]
    for text in ("event\n:p\n", "event,rate\n:p\n", "event,rate\n:p,1,2\n", "event,rate,more\n:p,1,2\n"):
        file.write_text(text)
        with pytest.raises(UsageError, match="EP505"):
            Rates.read(file)
    with pytest.raises(UsageError, match="EP505"):
        Rates.read(tmp_path / "none.csv")
