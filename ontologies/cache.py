"""The names of compiled background in the user's cache: found by content."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from etalis_py.core.cache import digest_file
from etalis_py.ontologies.formats import GraphSource, Source, unreadable

__all__ = ["keys"]

_WRITERS: Final = (
    ("etalis_py.ontologies", "fact_terms.py"),
    ("etalis_py.ontologies", "facts.py"),
    ("etalis_py.rules.background", "background.pl"),
    ("etalis_py.rules.background", "background_compile.pl"),
    ("etalis_py.rules.background", "background_graphs.pl"),
    ("etalis_py.core", "literals.py"),
    ("etalis_py.core", "times.py"),
)
"""The code that decides what a compiled file holds; when it changes, all files are compiled again."""


def keys(sources: Sequence[Source], graphs: Sequence[GraphSource], prolog_version: str) -> tuple[str, str]:
    """The names of what these files compile to: hash of their contents, in order, and of what compiles them.

    The names of graphs count, too. In the second name, where the files lie counts as well; each file is read
    once for both. Raises DataError EP421.
    """
    anywhere, here = (
        hashlib.blake2b(f"{prolog_version} {with_places}".encode(), digest_size=20)
        for with_places in (False, True)
    )
    for package, name in _WRITERS:
        content = files(package).joinpath(name).read_bytes()
        anywhere.update(content)
        here.update(content)

    def add(source: Source) -> None:
        content = _digest(source)
        about = f"\n{source.format} {source.packed} "
        anywhere.update(f"{about} ".encode() + content)
        here.update(f"{about}{source.base} ".encode() + content)

    for source in sources:
        add(source)
    for each in graphs:
        for total in (anywhere, here):
            total.update(f"\ngraph <{each.graph}>".encode())
        for source in each.sources:
            add(source)
    return anywhere.hexdigest(), here.hexdigest()


def _digest(source: Source) -> bytes:
    try:
        return digest_file(source.path)
    except OSError as error:
        raise unreadable(source.name, error) from error
