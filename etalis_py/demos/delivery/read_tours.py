"""Read tours from CSV: ``agent,junction``, a row a stop, in order; an agent's first is where it starts."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from etalis_py.core.errors import DataError, Place
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.tours import Tour, plan_tour

__all__ = ["read_tours"]

_EXPECTED = (
    "expected the columns agent,junction: one row for each stop; an agent's first row is where it starts"
)


def read_tours(path: Path, network: Network) -> list[Tour]:
    """The tours of a file.

    Raises ``DataError``: EP466 a file that cannot be read, EP467 an agent without stops, EP468 a stop that is
    no junction of the network.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(
            "EP466", f"the tours cannot be read: {reason}", place=Place(str(path)), hint=_EXPECTED
        ) from error
    rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
    if not {"agent", "junction"} <= set(rows.fieldnames or ()):
        raise DataError("EP466", "a column is missing", place=Place(str(path), line=1), hint=_EXPECTED)
    places: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for row in rows:
        place = Place(str(path), line=rows.line_num)
        agent, junction = ((row[name] or "").strip() for name in ("agent", "junction"))
        if not re.fullmatch(r"[\w.~-]+", agent, re.ASCII):
            message = f"the agent is {agent!r}, expected letters, digits and the signs . ~ _ -"
            raise DataError("EP466", message, place=place, hint=_EXPECTED)
        stops = places.setdefault(agent, [])
        lines.setdefault(agent, rows.line_num)
        if junction:
            _check(junction, agent, network, place)
            if stops[-1:] != [junction]:
                stops.append(junction)
    if not places:
        raise DataError("EP466", "there is no tour in the file", place=Place(str(path)), hint=_EXPECTED)
    for agent, stops in places.items():
        if len(stops) < 2:
            raise DataError(
                "EP467",
                f"agent {agent} has no stops",
                place=Place(str(path), line=lines[agent]),
                hint="give it at least two rows: where it starts, and a stop somewhere else",
            )
    return [plan_tour(network, agent, stops) for agent, stops in places.items()]


def _check(junction: str, agent: str, network: Network, place: Place) -> None:
    if junction not in network.junctions:
        some = ", ".join(list(network.junctions)[:3])
        raise DataError(
            "EP468",
            f"agent {agent} is to stop at {junction}, which is not a junction of the road network",
            place=place,
            hint=f"names of junctions look like {some}; with --largest-part, junctions left out "
            "cannot be stops",
        )
