"""The names of compiled background in the user's cache: found by content."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from etalis_py.ontologies.formats import GraphSource, Source, unreadable
from etalis_py.provision.compiled_files import digest_file

__all__ = ["key"]

_WRITERS: Final = (
    ("etalis_py.ontologies", "facts.py"),
    ("etalis_py.rules", "background.pl"),
    ("etalis_py.rules", "background_compile.pl"),
    ("etalis_py.rules", "background_graphs.pl"),
    ("etalis_py", "literals.py"),
    ("etalis_py", "times.py"),
)
"""The code that decides what a compiled file holds; when it changes, all files are compiled anew."""


def key(
    sources: Sequence[Source], graphs: Sequence[GraphSource], prolog_version: str, *, with_places: bool
) -> str:
    """The name of what these files compile to: hash of their contents, in order, and of what compiles them.

    The names of graphs count, too.

    ``with_places``: where the files lie counts as well. Raises DataError EP421.
    """
    total = hashlib.blake2b(f"{prolog_version} {with_places}".encode(), digest_size=20)
    for package, name in _WRITERS:
        total.update(files(package).joinpath(name).read_bytes())
    for source in sources:
        total.update(_digest_source(source, with_places))
    for each in graphs:
        total.update(f"\ngraph <{each.graph}>".encode())
        for source in each.sources:
            total.update(_digest_source(source, with_places))
    return total.hexdigest()


def _digest_source(source: Source, with_places: bool) -> bytes:
    about = f"\n{source.format} {source.packed} {source.base if with_places else ''} ".encode()
    try:
        return about + digest_file(source.path)
    except OSError as error:
        raise unreadable(str(source.path), error) from error
