"""Ontologies as they are published: Brick, and a taxonomy of 40,080 plants."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.core.vocabulary import RDF, RDF_TYPE, RDFS, RDFS_SUBCLASSOF
from tests.ontologies.conftest import Load

BRICK = "https://brickschema.org/schema/Brick#"
TAXON = "http://purl.obolibrary.org/obo/NCBITaxon_"
PLANT = TAXON + "58023"


@pytest.fixture
def taxonomy(shared_data: Path) -> Path:
    return shared_data / "taxonomy" / "tracheophyta_40080_ranked.nt.gz"


@pytest.fixture
def brick(shared_data: Path) -> Path:
    return shared_data / "brick" / "Brick-1.4.ttl"


def test_taxonomy(load: Load, taxonomy: Path) -> None:
    found = load(taxonomy)
    classes = found.answers(None, RDFS_SUBCLASSOF, PLANT)
    assert len(classes) == 40_081  # itself, too
    lemon = [o for _, _, o in found.consequences("urn:e", RDF_TYPE, TAXON + "2708")]
    assert lemon[:2] == [TAXON + "2708", TAXON + "2706"]
    assert lemon[-1] == PLANT
    assert len(lemon) == len(set(lemon)) == 7
    assert found.answers(TAXON + "2706", RDFS + "label", None)[0][2][0] == "Citrus"
    assert found.answers(None, RDF_TYPE, PLANT) == []


def test_brick(load: Load, brick: Path) -> None:
    from rdflib import Graph

    found = load(brick)
    graph = Graph().parse(brick)
    assert len(found.explicit()) == len(graph)
    superclasses = {
        str(c)
        for c in graph.transitive_objects(_uri(BRICK + "Zone_Air_Temperature_Sensor"), _uri(RDFS_SUBCLASSOF))
    }
    assert BRICK + "Point" in superclasses
    entailed = found.consequences("urn:sensor", RDF_TYPE, BRICK + "Zone_Air_Temperature_Sensor")
    assert {o for _, p, o in entailed if p == RDF_TYPE} == superclasses
    assert len(found.answers(None, RDF_TYPE, RDF + "Property")) > 0


def _uri(iri: str) -> object:
    from rdflib import URIRef

    return URIRef(iri)
