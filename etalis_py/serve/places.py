"""What of the background has a place on earth: points of W3C Basic Geo, points and lines of OGC GeoSPARQL."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import Any, Final

from rdflib.term import URIRef

from etalis_py.engine.engine import Engine

__all__ = ["line_of", "places_of"]

_GEO: Final = "http://www.w3.org/2003/01/geo/wgs84_pos#"
_POINTS: Final = f"rdf(S, '{_GEO}lat', Lat), rdf(S, '{_GEO}long', Long)"
_LINES: Final = "rdf(S, 'http://www.opengis.net/ont/geosparql#asWKT', Text)"
_LABEL: Final = "rdf(S, rdfs:label, Label)"
_MOST_POINTS: Final = 1000
_MOST_LINES: Final = 20_000
_is_line = re.compile(r"\s*LINESTRING\s*\(([^()]+)\)\s*", re.IGNORECASE).fullmatch


def places_of(engine: Engine) -> list[dict[str, Any]]:
    """Points with ``latitude`` and ``longitude`` in degrees and their labels; lines with ``line``, pairs of
    longitude and latitude.
    """
    return [*_points(engine), *_lines(engine)]


def _points(engine: Engine) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for answer in islice(engine.prolog(_POINTS), _MOST_POINTS):
        with suppress(ValueError, TypeError):
            where = {"latitude": float(answer["Lat"]), "longitude": float(answer["Long"])}
            found.setdefault(str(answer["S"]), {"subject": str(answer["S"]), **where, "label": None})
    for subject, place in found.items():
        for answer in islice(engine.prolog(_LABEL, S=URIRef(subject)), 1):
            place["label"] = str(answer["Label"])
    return list(found.values())


def _lines(engine: Engine) -> list[dict[str, Any]]:
    answers = islice(engine.prolog(_LINES), _MOST_LINES)
    lines = ((str(answer["S"]), line_of(str(answer["Text"]))) for answer in answers)
    return [{"subject": subject, "line": line} for subject, line in lines if line is not None]


def line_of(text: str) -> list[list[float]] | None:
    """The points of a line in Well-Known Text (OGC 06-103r4, section 7), longitude before latitude.

    None: it is no line in the plane.

    >>> line_of("LINESTRING(9.1 49, 9.2 49.5)")
    [[9.1, 49.0], [9.2, 49.5]]
    """
    found = _is_line(text)
    if found is None:
        return None
    try:
        points = [[float(number) for number in point.split()] for point in found[1].split(",")]
    except ValueError:
        return None
    return points if len(points) > 1 and all(len(point) == 2 for point in points) else None
