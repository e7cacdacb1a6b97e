"""A road network as RDF, as the engine reads it: in the vocabulary of ``city.ttl``."""

from __future__ import annotations

from collections.abc import Iterator

from etalis_py.demos.delivery.names import NAMESPACE, iri
from etalis_py.demos.delivery.network import Network

__all__ = ["PREFIXES", "to_turtle"]

PREFIXES = f"""\
@prefix : <{NAMESPACE}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def to_turtle(network: Network) -> str:
    """The network as background of a run."""
    return PREFIXES + "\n".join(_lines(network)) + "\n"


def _lines(network: Network) -> Iterator[str]:
    from pyoxigraph import Literal

    for inner, outer in network.districts.items():
        yield f"<{iri(inner)}> rdfs:subClassOf <{iri(outer)}> ."
    for borough in network.boroughs:
        yield f"<{iri(borough)}> a :Borough ."
    for junction in network.junctions.values():
        place = (
            "" if junction.x is None else f" ; :x {_decimal(junction.x)} ; :y {_decimal(junction.y or 0.0)}"
        )
        label = f" ; rdfs:label {Literal(junction.label)}" if junction.label else ""
        yield f"<{iri(junction.name)}> a :Junction{place}{label} ."
    for segment in network.segments.values():
        kind = "OneWay" if segment.one_way else "TwoWay"
        district = f" , <{iri(segment.district)}>" if segment.district else ""
        yield (
            f"<{iri(segment.name)}> a :{kind}Segment{district} ; :number {segment.number} ; "
            f":from <{iri(segment.start)}> ; :to <{iri(segment.end)}> ; "
            f":length {_decimal(segment.length)} ; :permitted {_decimal(segment.speed)} ."
        )


def _decimal(value: float) -> str:
    return f'"{value!r}"^^xsd:decimal'
