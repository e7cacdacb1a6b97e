"""GeoJSON (RFC 7946) as the demos write it: places as longitude and latitude, WGS 84."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

__all__ = ["Feature", "Position", "collection", "line", "point"]

Position: TypeAlias = "tuple[float, float]"
"""Longitude and latitude, in degrees."""
Feature: TypeAlias = "dict[str, Any]"


def point(position: Position, **properties: object) -> Feature:
    """A place; a property that is None is left out."""
    return _feature("Point", list(position), properties)


def line(positions: Sequence[Position], **properties: object) -> Feature:
    """A line through two places or more; a property that is None is left out."""
    return _feature("LineString", [list(each) for each in positions], properties)


def _feature(kind: str, coordinates: list[Any], properties: dict[str, object]) -> Feature:
    known = {name: value for name, value in properties.items() if value is not None}
    return {
        "type": "Feature",
        "geometry": {"type": kind, "coordinates": coordinates},
        "properties": known,
    }


def collection(features: Iterable[Feature], **about: object) -> str:
    """The text of a file: a feature a line, before them what is said of all."""
    head = json.dumps({"type": "FeatureCollection", **about}, ensure_ascii=False)
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in features)
    return f'{head[:-1]}, "features": [\n{lines}\n]}}\n'
