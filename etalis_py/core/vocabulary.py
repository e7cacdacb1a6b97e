"""The IRIs the engine itself speaks of: datatypes of XML Schema, RDF, RDFS and PROV.

Only names that code compares with; vocabularies of the user's come from his background files.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

XSD: Final = "http://www.w3.org/2001/XMLSchema#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
PROV: Final = "http://www.w3.org/ns/prov#"

XSD_STRING: Final = XSD + "string"
XSD_BOOLEAN: Final = XSD + "boolean"
XSD_INTEGER: Final = XSD + "integer"
XSD_DECIMAL: Final = XSD + "decimal"
XSD_DOUBLE: Final = XSD + "double"
XSD_FLOAT: Final = XSD + "float"
XSD_DATETIME: Final = XSD + "dateTime"
XSD_DATETIMESTAMP: Final = XSD + "dateTimeStamp"
XSD_DATE: Final = XSD + "date"
XSD_DURATION: Final = XSD + "duration"
XSD_DAYTIMEDURATION: Final = XSD + "dayTimeDuration"
XSD_YEARMONTHDURATION: Final = XSD + "yearMonthDuration"
XSD_DURATION_TYPES: Final = frozenset({XSD_DURATION, XSD_DAYTIMEDURATION, XSD_YEARMONTHDURATION})

RDF_TYPE: Final = RDF + "type"
RDF_LANGSTRING: Final = RDF + "langString"
RDF_FIRST: Final = RDF + "first"
RDF_REST: Final = RDF + "rest"
RDF_NIL: Final = RDF + "nil"

RDFS_SUBCLASSOF: Final = RDFS + "subClassOf"
RDFS_SUBPROPERTYOF: Final = RDFS + "subPropertyOf"
RDFS_DOMAIN: Final = RDFS + "domain"
RDFS_RANGE: Final = RDFS + "range"

PROV_GENERATEDATTIME: Final = PROV + "generatedAtTime"
PROV_STARTEDATTIME: Final = PROV + "startedAtTime"
PROV_ENDEDATTIME: Final = PROV + "endedAtTime"

DEFAULT_STREAM: Final = "urn:etalis:default"
"""The IRI of the stream of events that name none."""

# XML Schema part 2, section 3.4: the types derived from xsd:integer with their least and greatest values.
INTEGER_RANGES: Final = MappingProxyType[str, tuple[int | None, int | None]](
    {
        XSD_INTEGER: (None, None),
        XSD + "nonPositiveInteger": (None, 0),
        XSD + "negativeInteger": (None, -1),
        XSD + "nonNegativeInteger": (0, None),
        XSD + "positiveInteger": (1, None),
        XSD + "long": (-(2**63), 2**63 - 1),
        XSD + "int": (-(2**31), 2**31 - 1),
        XSD + "short": (-(2**15), 2**15 - 1),
        XSD + "byte": (-128, 127),
        XSD + "unsignedLong": (0, 2**64 - 1),
        XSD + "unsignedInt": (0, 2**32 - 1),
        XSD + "unsignedShort": (0, 2**16 - 1),
        XSD + "unsignedByte": (0, 255),
    }
)
