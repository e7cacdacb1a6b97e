"""Relative IRIs: reference resolution of RFC 3986, section 5.2.

Does not normalize: SPARQL 1.1, section 4.1.1.2, leaves IRIs as they are otherwise.
"""

from __future__ import annotations

import re

__all__ = ["is_absolute", "resolve_reference"]

_PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
"""RFC 3986, appendix B: scheme, authority, path, query (with ``?``), fragment (with ``#``)."""


def is_absolute(iri: str) -> bool:
    """Whether the IRI has a scheme.

    >>> is_absolute("urn:x:1"), is_absolute("a/b:c")
    (True, False)
    """
    return _split(iri)[0] is not None


def resolve_reference(reference: str, base: str) -> str:
    """The IRI that ``reference`` means where ``base`` is the base IRI.

    >>> resolve_reference("../g?x#y", "http://a/b/c/d;p?q")
    'http://a/b/g?x#y'
    >>> resolve_reference("", "http://a/b?q#f")
    'http://a/b?q'
    """
    scheme, authority, path, query, fragment = _split(reference)
    base_scheme, base_authority, base_path, base_query, _ = _split(base)
    if scheme is not None:
        return _join(scheme, authority, _without_dots(path), query, fragment)
    if authority is not None:
        return _join(base_scheme, authority, _without_dots(path), query, fragment)
    if not path:
        return _join(base_scheme, base_authority, base_path, base_query if query is None else query, fragment)
    if not path.startswith("/"):
        path = _merged(base_authority, base_path, path)
    return _join(base_scheme, base_authority, _without_dots(path), query, fragment)


def _split(iri: str) -> tuple[str | None, str | None, str, str | None, str | None]:
    match = _PARTS.fullmatch(iri)
    assert match is not None, "the pattern matches every text"
    scheme, authority, path, query, fragment = match.groups()
    return scheme, authority, path, query, fragment


def _join(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    start = "" if scheme is None else f"{scheme}:"
    host = "" if authority is None else f"//{authority}"
    return f"{start}{host}{path}{query or ''}{fragment or ''}"


def _merged(base_authority: str | None, base_path: str, path: str) -> str:
    """Section 5.2.3: the base's path up to its last slash, then the reference's."""
    if base_authority is not None and not base_path:
        return f"/{path}"
    return base_path[: base_path.rfind("/") + 1] + path


def _without_dots(path: str) -> str:
    """Section 5.2.4: the path with its ``.`` and ``..`` segments taken out."""
    if "." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1 or (kept and kept[0]):
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    if path.startswith("/") and kept[:1] != [""]:
        kept.insert(0, "")
    return "/".join(kept)
