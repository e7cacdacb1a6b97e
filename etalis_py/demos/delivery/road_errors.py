"""What is said of a road network, or of tours on one, that cannot be used."""

from __future__ import annotations

from collections.abc import Sequence

from etalis_py.core.errors import DataError, Place

__all__ = ["bad_value", "missing", "not_connected", "nothing_in", "unknown_junction", "unreadable"]

CSV_COLUMNS = "from,to,length with, if known, speed (km/h), oneway, from_x,from_y,to_x,to_y (metres)"


def unreadable(place: Place, reason: str, hint: str | None = None) -> DataError:
    """EP461: there is no such file, or it is not in the form that its suffix says."""
    return DataError("EP461", f"the road network cannot be read: {reason}", place=place, hint=hint)


def nothing_in(place: Place, what: str) -> DataError:
    """EP462: no road in the file."""
    return DataError(
        "EP462", f"the file has no {what}", place=place, hint="docs/delivery.md describes the kinds of files"
    )


def missing(place: Place, what: str) -> DataError:
    """EP462: a column, or a property of a segment, is not there."""
    return DataError("EP462", f"{what} is missing", place=place, hint=f"expected {CSV_COLUMNS}")


def bad_value(place: Place, what: str, text: object, expected: str) -> DataError:
    """EP463: not a number, or one that no road has."""
    return DataError("EP463", f"{what} is {text!r}, expected {expected}", place=place)


def unknown_junction(place: Place, segment: str, junction: str) -> DataError:
    """EP464: a segment ends where there is no junction."""
    return DataError(
        "EP464",
        f"segment {segment} ends at {junction}, which is not a junction of the file",
        place=place,
        hint=f"declare {junction} as a :Junction, or correct the end of the segment",
    )


def not_connected(place: Place, parts: Sequence[Sequence[str]]) -> DataError:
    """EP465: some junctions cannot be reached, or cannot be left for the others."""
    rest = sum(map(len, parts[1:]))
    some = ", ".join(sorted(parts[1])[:3])
    return DataError(
        "EP465",
        f"the road network is not connected: {rest} of {rest + len(parts[0])} junctions cannot be reached "
        f"from the others, or cannot be left again, for example {some}",
        place=place,
        hint="--largest-part leaves them out; or add the missing roads, in both directions",
    )
