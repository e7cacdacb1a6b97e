"""What RDFS says of classes and properties themselves, and its axioms: RDF 1.1 Semantics, 8 and 9."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.vocabulary import RDF, RDFS
from etalis_py.engine.engine import Engine

ONTOLOGY = f"""@prefix : <urn:> . @prefix rdf: <{RDF}> . @prefix rdfs: <{RDFS}> .
:Oak rdfs:subClassOf :Tree . :near rdfs:subPropertyOf :related . :grows rdfs:range :Place .
:o1 a :Oak ; :label "one" . :list rdf:_1 :o1 ; rdf:_2 :o2 . :bag a rdf:Bag . :Size a rdfs:Datatype .
:Given a rdfs:Class .
:named rdf:type rdf:Property . :chain rdf:first 1 ; rdf:rest rdf:nil .
"""


@pytest.fixture
def ontology(tmp_path: Path) -> Path:
    file = tmp_path / "ontology.ttl"
    file.write_text(ONTOLOGY, encoding="utf-8")
    return file


def ask(query: str, ontology: Path, **options: Any) -> list[dict[str, Any]]:
    with Engine([ontology], at=0, **options) as engine:
        engine.register(f"PREFIX : <urn:> {query}")
        engine.finish()
        return [dict(match.encoded) for match in engine.matches()]


@pytest.mark.parametrize(
    "triple",
    [
        ":Oak rdfs:subClassOf :Oak", ":Place rdfs:subClassOf :Place", ":Given rdfs:subClassOf :Given",
        ":Oak rdfs:subClassOf rdfs:Resource", ":Oak a rdfs:Class", ":Place a rdfs:Class",
        ":Tree a rdfs:Class",
        ":near rdfs:subPropertyOf :near", ":label rdfs:subPropertyOf :label", ":grows a rdf:Property",
        ":label a rdf:Property", ":related a rdf:Property", ":named rdfs:subPropertyOf :named",
        ":Size rdfs:subClassOf rdfs:Literal", ":Size a rdfs:Class", "xsd:string a rdfs:Datatype",
        "rdf:_1 rdfs:subPropertyOf rdfs:member", "rdf:_1 a rdfs:ContainerMembershipProperty",
        "rdf:_1 a rdf:Property", ":list rdfs:member :o1", ":list rdfs:member :o2", ":bag a rdfs:Container",
        "rdf:type a rdf:Property", "rdf:type rdfs:range rdfs:Class", "rdfs:subClassOf rdfs:domain rdfs:Class",
        "rdf:Bag rdfs:subClassOf rdfs:Container", "rdfs:Class rdfs:subClassOf rdfs:Class",
        "rdf:nil a rdf:List",
        ":chain a rdf:List", "rdfs:isDefinedBy rdfs:subPropertyOf rdfs:seeAlso", "rdfs:member a rdf:Property",
    ],
)  # fmt: skip
def test_it_is_entailed(ontology: Path, triple: str) -> None:
    assert ask(f"SELECT * {{ {triple} }}", ontology) == [{}]
    assert ask(f"SELECT * {{ {triple} }}", ontology, entailment="none") == []
    for place, name in enumerate(("?s", "?p", "?o")):  # each way to ask finds it, once
        words = triple.split()
        wanted, words[place] = words[place], name
        wanted = "rdf:type" if wanted == "a" else wanted
        query = f"SELECT * {{ {' '.join(words)} FILTER({name} = {wanted}) }}"
        assert len(ask(query, ontology)) == 1, query


@pytest.mark.parametrize(
    "triple",
    [":o1 rdfs:subClassOf :o1", ":o1 a rdfs:Class", ":o1 a rdf:Property", ":o1 rdfs:subPropertyOf :o1",
     ":Oak rdfs:subClassOf rdfs:Literal", ":near a rdfs:ContainerMembershipProperty", ":o1 a rdfs:Resource"],
)  # fmt: skip
def test_it_is_not_entailed(ontology: Path, triple: str) -> None:
    assert ask(f"SELECT * {{ {triple} }}", ontology) == []


def test_each_triple_comes_once(ontology: Path) -> None:
    rows = [tuple(row.values()) for row in ask("SELECT * { ?s ?p ?o }", ontology)]
    assert len(rows) == len(set(rows)) > 100


def test_events_are_read_with_the_axioms(ontology: Path) -> None:
    """Members of containers, containers, lists; but no event says what a class is."""
    with Engine([ontology]) as engine:
        engine.register("PREFIX : <urn:> SELECT ?x ?y { ?x rdfs:member ?y }", name="member")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x a rdfs:Container }", name="container")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x a rdf:List }", name="list")
        engine.register("PREFIX : <urn:> SELECT ?x { ?x a rdfs:Class }", name="class")
        rows = [
            ("<urn:l>", f"<{RDF}_7>", "<urn:x>"),
            ("<urn:l>", f"<{RDF}type>", f"<{RDF}Seq>"),
            ("<urn:c>", f"<{RDF}rest>", f"<{RDF}nil>"),
            ("<urn:c>", f"<{RDF}_07>", "<urn:x>"),
        ]
        engine.send_batch(
            {"start": [0] * 4, **dict(zip("spo", map(list, zip(*rows, strict=True)), strict=True))}
        )
        engine.finish()
        found = {name: [dict(each.encoded) for each in engine.matches(name)] for name in
                 ("member", "container", "list", "class")}  # fmt: skip
    assert found["member"] == [{"x": "urn:l", "y": "urn:x"}]
    assert found["container"] == [{"x": "urn:l"}]
    assert sorted(row["x"] for row in found["list"]) == [f"{RDF}nil", "urn:c"]
    assert found["class"] == []


def test_without_background_there_are_no_axioms() -> None:
    with Engine(at=0) as engine:
        engine.register("SELECT * { ?s ?p ?o }")
        engine.finish()
        assert list(engine.matches()) == []
