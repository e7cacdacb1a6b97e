"""Background to measure with: a million triples of the usual kinds, and the taxonomy as Turtle.

Everything here is computed from the number of triples alone, so that two runs load the same bytes.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

__all__ = [
    "DEVICE",
    "TRIPLES_PER_DEVICE",
    "VOCABULARY",
    "Form",
    "device_triples",
    "taxonomy_as_turtle",
    "write_background",
]

Form: TypeAlias = Literal["nt", "ttl"]

VOCABULARY: Final = "http://example.org/building/vocabulary#"
DEVICE: Final = "http://example.org/building/device/"
TRIPLES_PER_DEVICE: Final = 10
_ROOM: Final = "http://example.org/building/room/"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"
_TYPE: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_PREFIXES: Final = f"""@prefix : <{VOCABULARY}> .
@prefix device: <{DEVICE}> .
@prefix room: <{_ROOM}> .
@prefix xsd: <{_XSD}> .
"""


def device_triples(number: int) -> list[tuple[str, str]]:
    """Predicate and object of the ten triples about one device, in Turtle with the prefixes of this module.

    Three are links (a class of 40, a room shared by 20 devices, the next device), seven are literals of the
    usual datatypes; one of these is a long text. No two devices share a label or a serial number.
    """
    return [
        ("a", f":Kind{number % 40}"),
        (":label", f'"Device {number}"@en'),
        (":serial", f'"SN-{number * 7919:012d}"'),
        (":inRoom", f"room:{number // 20}"),
        (":next", f"device:{number + 1}"),
        (":floor", f'"{number // 2000}"^^xsd:integer'),
        (":limit", f'"{number % 500}.{number % 9 + 1}"^^xsd:decimal'),
        (":factor", f'"{number % 9 + 1}.{number % 900 + 1}E-3"^^xsd:double'),
        (
            ":installed",
            f'"20{number % 20:02d}-0{number % 9 + 1}-{number % 28 + 1:02d}T08:00:00Z"^^xsd:dateTime',
        ),
        (":note", f'"Checked in round {number}: all values were within the limits of the manual"'),
    ]


def write_background(folder: Path, triples: int, form: Form = "nt") -> Path:
    """A file of so many different triples (a multiple of ten), as N-Triples or Turtle; made once a folder."""
    path = folder / f"background-{triples}.{form}"
    if not path.exists():
        lines = _turtle_lines if form == "ttl" else _ntriples_lines
        with path.open("w", encoding="ascii", newline="\n") as out:
            out.writelines(lines(triples // TRIPLES_PER_DEVICE))
    return path


def _turtle_lines(devices: int) -> Iterator[str]:
    yield _PREFIXES
    for number in range(devices):
        about = " ;\n    ".join(f"{predicate} {value}" for predicate, value in device_triples(number))
        yield f"device:{number} {about} .\n"


def _ntriples_lines(devices: int) -> Iterator[str]:
    for number in range(devices):
        for predicate, value in device_triples(number):
            link = f"<{_TYPE}>" if predicate == "a" else _full(predicate)
            yield f"<{DEVICE}{number}> {link} {_full(value)} .\n"


def _full(term: str) -> str:
    """A term without prefixes."""
    if term[0] == '"':
        text, typed, name = term.rpartition("^^xsd:")
        return f"{text}^^<{_XSD}{name}>" if typed else term
    prefix, _, name = term.partition(":")
    return f"<{ ({'': VOCABULARY, 'device': DEVICE, 'room': _ROOM}[prefix]) }{name}>"


def taxonomy_as_turtle(folder: Path, source: Path) -> Path:
    """The taxonomy (packed N-Triples) as the Turtle of an ontology editor; made once a folder."""
    path = folder / "taxonomy.ttl"
    if not path.exists():
        import pyoxigraph

        with gzip.open(source) as packed:
            triples = [quad.triple for quad in pyoxigraph.parse(packed, pyoxigraph.RdfFormat.N_TRIPLES)]  # type: ignore[arg-type]
        prefixes = {
            "taxon": "http://purl.obolibrary.org/obo/NCBITaxon_",
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        }
        pyoxigraph.serialize(triples, str(path), pyoxigraph.RdfFormat.TURTLE, prefixes=prefixes)
    return path
