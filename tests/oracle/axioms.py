"""The axiomatic triples of RDF and RDFS, and what follows for classes and properties.

Written from the tables of RDF 1.1 Semantics, sections 8 and 9; the engine has them in another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from etalis_py.core.vocabulary import (
    RDF,
    RDF_TYPE,
    RDFS,
    RDFS_DOMAIN,
    RDFS_RANGE,
    RDFS_SUBCLASSOF,
    RDFS_SUBPROPERTYOF,
    XSD_STRING,
)
from tests.oracle.solutions import Triple

__all__ = ["EFFECTIVE", "is_member_property", "vocabulary"]

_SHORT = {
    "a": RDF_TYPE,
    "sub": RDFS_SUBCLASSOF,
    "subp": RDFS_SUBPROPERTYOF,
    "domain": RDFS_DOMAIN,
    "range": RDFS_RANGE,
    "xsd:string": XSD_STRING,
}


def _iri(word: str) -> str:
    return _SHORT.get(word) or word.replace("rdf:", RDF).replace("rdfs:", RDFS)


def _triples(text: str) -> frozenset[Triple]:
    lines = (line.split() for line in text.strip().splitlines())
    return frozenset((_iri(s), _iri(p), _iri(o)) for s, p, *objects in lines for o in objects)


EFFECTIVE = _triples("""
    rdf:Alt sub rdfs:Container
    rdf:Bag sub rdfs:Container
    rdf:Seq sub rdfs:Container
    rdfs:ContainerMembershipProperty sub rdf:Property
    rdfs:Datatype sub rdfs:Class
    rdfs:isDefinedBy subp rdfs:seeAlso
    rdf:first domain rdf:List
    rdf:rest domain rdf:List
    rdf:rest range rdf:List
    rdf:subject domain rdf:Statement
    rdf:predicate domain rdf:Statement
    rdf:object domain rdf:Statement
""")
"""Those that data is read with."""

_OTHERS = _triples("""
    rdf:type domain rdfs:Resource
    rdfs:domain domain rdf:Property
    rdfs:range domain rdf:Property
    rdfs:subPropertyOf domain rdf:Property
    rdfs:subClassOf domain rdfs:Class
    rdfs:member domain rdfs:Resource
    rdfs:seeAlso domain rdfs:Resource
    rdfs:isDefinedBy domain rdfs:Resource
    rdfs:comment domain rdfs:Resource
    rdfs:label domain rdfs:Resource
    rdf:value domain rdfs:Resource
    rdf:type range rdfs:Class
    rdfs:domain range rdfs:Class
    rdfs:range range rdfs:Class
    rdfs:subPropertyOf range rdf:Property
    rdfs:subClassOf range rdfs:Class
    rdf:subject range rdfs:Resource
    rdf:predicate range rdfs:Resource
    rdf:object range rdfs:Resource
    rdfs:member range rdfs:Resource
    rdf:first range rdfs:Resource
    rdfs:seeAlso range rdfs:Resource
    rdfs:isDefinedBy range rdfs:Resource
    rdfs:comment range rdfs:Literal
    rdfs:label range rdfs:Literal
    rdf:value range rdfs:Resource
    rdf:nil a rdf:List
    rdf:langString a rdfs:Datatype
    xsd:string a rdfs:Datatype
""")
_CLASS, _PROPERTY, _DATATYPE = _iri("rdfs:Class"), _iri("rdf:Property"), _iri("rdfs:Datatype")
_MEMBERSHIP, _MEMBER = _iri("rdfs:ContainerMembershipProperty"), _iri("rdfs:member")
_RESOURCE, _LITERAL = _iri("rdfs:Resource"), _iri("rdfs:Literal")
_GIVE_CLASSES = {RDF_TYPE, RDFS_SUBCLASSOF, RDFS_DOMAIN, RDFS_RANGE}
_SPEAK_OF_PROPERTIES = {RDFS_SUBPROPERTYOF, RDFS_DOMAIN, RDFS_RANGE}
_CORE_CLASSES = {_iri("rdf:Statement"), _RESOURCE, _LITERAL, _MEMBERSHIP}


def is_member_property(term: object) -> bool:
    """rdf:_1, rdf:_2 and so on."""
    return isinstance(term, str) and re.fullmatch(re.escape(RDF) + "_[1-9][0-9]*", term) is not None


def vocabulary(known: Iterable[Triple]) -> set[Triple]:
    """What ``known``, closed under the rules for data, says of its classes and properties."""
    stated = {*known, *_OTHERS}
    made = set(_OTHERS)
    for each in filter(_is_node, _classes(stated)):
        made |= {(each, RDF_TYPE, _CLASS), (each, RDFS_SUBCLASSOF, each), (each, RDFS_SUBCLASSOF, _RESOURCE)}
    for each in filter(_is_node, _properties(stated)):
        made |= {(each, RDF_TYPE, _PROPERTY), (each, RDFS_SUBPROPERTYOF, each)}
    for each in {predicate for _, predicate, _ in stated if is_member_property(predicate)}:
        made |= {(each, RDF_TYPE, _MEMBERSHIP), (each, RDFS_SUBPROPERTYOF, _MEMBER)}
    made |= {(each, RDFS_SUBCLASSOF, _LITERAL) for each in _instances(stated, _DATATYPE)}
    return made


def _is_node(term: object) -> bool:
    return isinstance(term, str)


def _instances(stated: set[Triple], wanted: str) -> set[str]:
    return {subject for subject, predicate, value in stated if (predicate, value) == (RDF_TYPE, wanted)}


def _classes(stated: set[Triple]) -> set[Any]:
    used = {value for _, predicate, value in stated if predicate in _GIVE_CLASSES}
    below = {subject for subject, predicate, _ in stated if predicate == RDFS_SUBCLASSOF}
    return _CORE_CLASSES | used | below | _instances(stated, _CLASS) | _instances(stated, _DATATYPE)


def _properties(stated: set[Triple]) -> set[Any]:
    above = {value for _, predicate, value in stated if predicate == RDFS_SUBPROPERTYOF}
    about = {subject for subject, predicate, _ in stated if predicate in _SPEAK_OF_PROPERTIES}
    return {_MEMBER} | above | about | _instances(stated, _PROPERTY) | {each for _, each, _ in stated}
