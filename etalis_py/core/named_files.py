"""Words ``IRI=FILE`` of a command line: a file, and the name of the graph or the stream in it."""

from __future__ import annotations

__all__ = ["split_name"]


def split_name(word: str) -> tuple[str, str] | None:
    """IRI and file of a word ``IRI=FILE``; None where one of the two is missing.

    The last ``=`` stands between the two; ``<IRI>=FILE`` allows one in the name of the file.

    >>> split_name("urn:b?x=1=b.ttl"), split_name("<urn:a>=x=1.ttl"), split_name("b.ttl")
    (('urn:b?x=1', 'b.ttl'), ('urn:a', 'x=1.ttl'), None)
    """
    name, equals, file = word.partition(">=") if word.startswith("<") else word.rpartition("=")
    iri = name.removeprefix("<")
    return (iri, file) if iri and equals and file else None
