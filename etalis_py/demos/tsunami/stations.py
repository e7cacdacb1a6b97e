"""Where the buoys are: from the bundled ``buoys.ttl``, or from a user's file of three columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from etalis_py.core.errors import DataError, Place
from etalis_py.demos.tsunami.names import HERE, NAMESPACE, buoy_iri, buoy_name, local_name
from etalis_py.demos.tsunami.oceans import ocean_at

__all__ = ["Station", "bundled_stations", "places_turtle", "read_stations", "to_turtle"]

_GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_HINT = (
    "expected lines 'station lat lon', separated by tabs, commas or blanks; degrees, south and west negative"
)


@dataclass(frozen=True, slots=True)
class Station:
    """A place of a buoy: degrees (WGS 84), the ocean's local name (``PacificOcean``), a name for people."""

    buoy: str
    latitude: float
    longitude: float
    ocean: str | None
    label: str = ""

    @property
    def ocean_label(self) -> str:
        """The ocean for people: ``Pacific Ocean``."""
        return "" if self.ocean is None else self.ocean.replace("Ocean", " Ocean")


def bundled_stations() -> dict[str, Station]:
    """The stations of ``buoys.ttl``, by buoy."""
    from pyoxigraph import Literal, NamedNode, RdfFormat, parse

    facts: dict[str, dict[str, str]] = {}
    for quad in parse(path=str(HERE / "buoys.ttl"), format=RdfFormat.TURTLE):
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, (NamedNode, Literal)):
            facts.setdefault(buoy_name(quad.subject.value), {})[quad.predicate.value] = quad.object.value
    return {
        buoy: Station(
            buoy, float(fact[f"{_GEO}lat"]), float(fact[f"{_GEO}long"]),
            local_name(fact[f"{NAMESPACE}ocean"]), fact.get(_LABEL, ""),
        )
        for buoy, fact in facts.items()
    }  # fmt: skip


def read_stations(path: Path) -> dict[str, Station]:
    """Stations of a user's file: a header ``station lat lon`` (may be left out), then one station a line.

    The ocean follows from the place. Raises ``DataError`` EP457 for a file or a line that cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(
            "EP457", f"the file of stations cannot be read: {reason}", place=Place(str(path)), hint=_HINT
        ) from error
    stations = {}
    for number, line in enumerate(lines, start=1):
        fields = line.replace(",", " ").split()
        if not fields or line.startswith("#") or (number == 1 and fields[0].lower() == "station"):
            continue
        latitude, longitude = _degrees(fields, Place(str(path), line=number))
        stations[fields[0]] = Station(fields[0], latitude, longitude, ocean_at(latitude, longitude))
    return stations


def _degrees(fields: list[str], place: Place) -> tuple[float, float]:
    try:
        latitude, longitude = (float(text) for text in fields[1:3])
    except ValueError:
        raise DataError("EP457", "this line has no latitude and longitude", place=place, hint=_HINT) from None
    if not (math.isfinite(longitude) and -90 <= latitude <= 90 and -180 <= longitude <= 360):
        message = f"not a place on earth: latitude {fields[1]}, longitude {fields[2]}"
        raise DataError("EP457", message, place=place, hint=_HINT)
    return latitude, (longitude + 180) % 360 - 180


def places_turtle(stations: Iterable[Station]) -> str:
    """Where buoys are (W3C Basic Geo), for maps; no query asks for it."""
    lines = ["@prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> ."]
    lines += ["@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .", ""]
    for each in stations:
        place = f"geo:lat {each.latitude!r} ; geo:long {each.longitude!r}"
        name = " ".join(filter(None, [each.buoy, each.label.replace("\\", "").replace('"', "")]))
        lines.append(f'<{buoy_iri(each.buoy)}> {place} ; rdfs:label "{name}" .')
    return "\n".join(lines) + "\n"


def to_turtle(buoys: Mapping[str, Station | None], threshold: float) -> str:
    """Background of one run: each buoy of the recordings with its threshold, in metres, and its ocean.

    A buoy without a place is a DART buoy in no ocean: it is judged and alerts, and no basin warning names it.
    """
    lines = [
        f"@prefix : <{NAMESPACE}> .",
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .",
        "",
    ]
    metres = f'"{Decimal(repr(threshold)):f}"^^xsd:decimal'
    for buoy, station in buoys.items():
        ocean = "" if station is None or station.ocean is None else f" ; :ocean :{station.ocean}"
        lines.append(f"<{buoy_iri(buoy)}> a :DartBuoy ; :threshold {metres}{ocean} .")
    return "\n".join(lines) + "\n"
