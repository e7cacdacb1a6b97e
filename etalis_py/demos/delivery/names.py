"""The IRIs of the demo, and the folder its queries, rules and background files are in."""

from __future__ import annotations

from pathlib import Path

__all__ = ["BACKGROUND", "HERE", "NAMESPACE", "QUERIES", "RULES", "iri", "local_name"]

HERE = Path(__file__).parent

NAMESPACE = "urn:etalis:delivery:"

QUERIES = ("keep", "reroute", "cutoff", "late", "spreading")
"""The queries, each in a file of that name with the suffix ``.rq``."""

RULES = ("traffic.pl", "roads.pl", "routing.pl")
"""The Prolog files: what is remembered of the stream, the roads as the search sees them, the search."""

BACKGROUND = "city.ttl"
"""Background that every run has; roads and legs come with the run (``turtle``, ``legs``)."""


def iri(name: str) -> str:
    """The IRI of a junction, segment, agent or leg. A name with a colon is an IRI itself: one of the user's.

    >>> iri("j7"), iri("http://example.org/j7")
    ('urn:etalis:delivery:j7', 'http://example.org/j7')
    """
    return name if ":" in name else f"{NAMESPACE}{name}"


def local_name(text: str) -> str:
    """What follows the demo's namespace in an IRI."""
    return text.removeprefix(NAMESPACE)
