"""What the queries found, read from their solutions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from etalis_py.core.literals import Encoded
from etalis_py.demos.delivery.names import local_name

__all__ = ["CutOff", "Late", "Outcome", "Reroute", "Solution", "Warned", "collect"]

Solution: TypeAlias = (
    "tuple[str, int, int, Mapping[str, Encoded], Sequence[tuple[Encoded, Encoded, Encoded]]]"
)
"""The query, start and end in microseconds, bindings, and the triples of a CONSTRUCT."""


@dataclass(frozen=True, slots=True, order=True)
class Reroute:
    """A leg asked for at a junction (``time``: microseconds) and its new way, by segments."""

    time: int
    leg: str
    here: str
    way: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class CutOff:
    """An agent from whose place no open way leads to its goal."""

    time: int
    agent: str
    leg: str
    here: str
    goal: str


@dataclass(frozen=True, slots=True, order=True)
class Late:
    """A stop reached (at ``time``) later than promised; ``promised`` and ``taken`` in microseconds."""

    time: int
    agent: str
    leg: str
    promised: int
    taken: int


@dataclass(frozen=True, slots=True, order=True)
class Warned:
    """A borough in which closures spread: the segment that closed (at ``time``) beside one closed before."""

    time: int
    borough: str
    segment: str
    first: int


@dataclass(slots=True)
class Outcome:
    """Everything found in a run, each in order of time. ``kept``: time and leg of each way that was open."""

    kept: list[tuple[int, str]] = field(default_factory=list)
    reroutes: list[Reroute] = field(default_factory=list)
    cut_off: list[CutOff] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    warned: list[Warned] = field(default_factory=list)


def collect(solutions: Iterable[Solution]) -> Outcome:
    """Sort the solutions of the queries into an ``Outcome``."""
    found = Outcome()
    for query, start, end, bindings, triples in solutions:
        row = {name: _text(term) for name, term in bindings.items()}
        match query:
            case "keep":
                found.kept.append((end, row["leg"]))
            case "reroute":
                about = {local_name(str(p)): (_text(s), _text(o)) for s, p, o in triples}
                if "goesBy" in about:
                    leg, way = about["goesBy"]
                    segments = tuple(local_name(part) for part in way.split())
                    found.reroutes.append(Reroute(end, leg, about["blockedAt"][1], segments))
            case "cutoff":
                found.cut_off.append(CutOff(end, row["agent"], row["leg"], row["here"], row["goal"]))
            case "late":
                found.late.append(
                    Late(end, row["agent"], row["leg"], _duration(bindings["promised"]), end - start)
                )
            case "spreading":
                found.warned += [Warned(end, _text(s), _text(o), start) for s, _, o in triples]
            case _:
                pass
    found.warned = _once(found.warned)
    found.kept.sort()
    found.reroutes.sort()
    found.cut_off.sort()
    found.late.sort()
    return found


def _once(warned: Iterable[Warned]) -> list[Warned]:
    """Of the warnings for one segment, in one borough, at one time, that of the closure last before it."""
    last = {(one.time, one.borough, one.segment): one for one in sorted(warned)}
    return sorted(last.values())


def _text(term: Encoded) -> str:
    """An IRI by its local name; the text of a literal."""
    return local_name(term) if isinstance(term, str) else str(term[0])


def _duration(term: Encoded) -> int:
    """The microseconds of a day-time duration."""
    if isinstance(term, tuple) and isinstance(term[0], tuple):
        return term[0][1]
    raise TypeError(f"not a duration: {term!r}")
