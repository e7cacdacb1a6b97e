"""Read a road network from Turtle or N-Triples in the vocabulary of ``city.ttl``.

``:Junction`` with ``:x`` and ``:y`` (metres) or ``geo:lat`` and ``geo:long`` (degrees); ``:OneWaySegment``
and ``:TwoWaySegment`` with ``:from``, ``:to``, ``:length`` (metres) and ``:permitted`` (km/h, else 50).
A segment's other class is its district; districts lie in larger ones by ``rdfs:subClassOf``, and those with
``a :Borough`` are warned.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from etalis_py.core.errors import Place
from etalis_py.demos.delivery.names import local_name
from etalis_py.demos.delivery.network import Junction, Network, Segment, in_metres
from etalis_py.demos.delivery.road_errors import bad_value, missing, nothing_in, unreadable
from etalis_py.demos.delivery.road_values import NORMAL_SPEED

__all__ = ["read_turtle"]

About: TypeAlias = "Mapping[str, Sequence[str]]"

_SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_GEO = "http://www.w3.org/2003/01/geo/wgs84_pos#"
_KINDS = ("OneWaySegment", "TwoWaySegment", "Segment")


def read_turtle(path: Path) -> Network:
    """The network of a file; whether it is whole is checked in ``roads``.

    Raises ``DataError``: EP461 a file that cannot be read, EP462 nothing in it or something missing, EP463 a
    value that is not valid.
    """
    place = Place(str(path))
    junctions: dict[str, Junction] = {}
    segments: dict[str, Segment] = {}
    districts: dict[str, str] = {}
    boroughs = []
    degrees = False
    for subject, about in _facts(path).items():
        name = local_name(subject)
        kinds = [local_name(kind) for kind in about.get(_TYPE, ())]
        if outer := about.get(_SUBCLASS):
            districts[name] = local_name(outer[0])
        if "Borough" in kinds:
            boroughs.append(name)
        if "Junction" in kinds:
            degrees = degrees or f"{_GEO}lat" in about
            junctions[name] = _junction(place, name, about)
        elif any(kind in _KINDS for kind in kinds):
            segments[name] = _segment(place, name, about, kinds, len(segments) + 1)
    if not segments:
        raise nothing_in(place, "segment (:OneWaySegment or :TwoWaySegment)")
    found = Network(junctions, segments, districts, tuple(boroughs))
    return in_metres(found) if degrees else found


def _facts(path: Path) -> dict[str, dict[str, list[str]]]:
    """The objects by subject and predicate, with the demo's namespace left out of predicates."""
    from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, parse

    form = RdfFormat.N_TRIPLES if path.suffix == ".nt" else RdfFormat.TURTLE
    facts: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    try:
        for quad in parse(path=str(path), format=form):
            if isinstance(quad.subject, NamedNode) and isinstance(
                quad.object, (NamedNode, Literal, BlankNode)
            ):
                facts[quad.subject.value][local_name(quad.predicate.value)].append(quad.object.value)
    except OSError as error:
        raise unreadable(Place(str(path)), error.strerror or str(error)) from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise unreadable(Place(str(path), line=line), getattr(error, "msg", str(error))) from error
    return facts


def _junction(place: Place, name: str, about: About) -> Junction:
    if f"{_GEO}lat" in about or f"{_GEO}long" in about:
        x = _number(place, name, about, f"{_GEO}long", -360.0, 360.0)
        y = _number(place, name, about, f"{_GEO}lat", -90.0, 90.0)
    elif "x" in about or "y" in about:
        x, y = (_number(place, name, about, axis, -math.inf, math.inf) for axis in ("x", "y"))
    else:
        return Junction(name, label=_label(about))
    return Junction(name, x, y, _label(about))


def _label(about: About) -> str:
    return next(iter(about.get(_LABEL, ())), "")


def _segment(place: Place, name: str, about: About, kinds: Sequence[str], number: int) -> Segment:
    return Segment(
        name,
        local_name(_one(place, name, about, "from")),
        local_name(_one(place, name, about, "to")),
        _number(place, name, about, "length", 0.0, math.inf),
        _number(place, name, about, "permitted", 0.0, 500.0) if "permitted" in about else NORMAL_SPEED,
        "OneWaySegment" in kinds,
        next((kind for kind in kinds if kind not in _KINDS), ""),
        number,
    )


def _one(place: Place, name: str, about: About, what: str) -> str:
    if what not in about:
        raise missing(place, f":{local_name(what)} of {name}")
    return about[what][0]


def _number(place: Place, name: str, about: About, what: str, low: float, high: float) -> float:
    """A value above ``low`` and below ``high``."""
    text = _one(place, name, about, what)
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not low < value < high:
        raise bad_value(place, f"the {local_name(what).rpartition('#')[2]} of {name}", text, _expected(low))
    return value


def _expected(low: float) -> str:
    return "a number above 0" if low == 0 else "a number"
