"""The IRIs of the demo, and the folder its queries and background files are in."""

from __future__ import annotations

from pathlib import Path

__all__ = ["BACKGROUND", "HERE", "NAMESPACE", "QUERIES", "buoy_iri", "buoy_name", "local_name"]

HERE = Path(__file__).parent

NAMESPACE = "urn:etalis:tsunami:"

QUERIES = ("predict", "judge", "alert", "standing", "arrival", "arrived", "basin")
"""The queries, each in a file of that name with the suffix ``.rq``, in the order a reading passes them."""

BACKGROUND = "sensors.ttl"
"""Background that every run has; the buoys come with the background of the run (``stations.to_turtle``)."""


def buoy_iri(buoy: str) -> str:
    """The IRI of a buoy; its name is letters, digits, ``_`` and ``-`` (see ``dart.buoy_of``)."""
    return f"{NAMESPACE}buoy:{buoy}"


def buoy_name(iri: str) -> str:
    """The name of the buoy with that IRI.

    >>> buoy_name(buoy_iri("21418"))
    '21418'
    """
    return iri.removeprefix(f"{NAMESPACE}buoy:")


def local_name(iri: str) -> str:
    """What follows the demo's namespace in an IRI."""
    return iri.removeprefix(NAMESPACE)
