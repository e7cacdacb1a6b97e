"""The options of an engine, checked before anything is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import TypeAlias

from etalis_py.core.errors import UsageError
from etalis_py.core.times import SCALES

__all__ = [
    "FileNames",
    "GraphNames",
    "check_choice",
    "check_function",
    "check_query_text",
    "check_time_unit",
    "file_list",
    "graph_files",
]

FileNames: TypeAlias = "str | PathLike[str] | Sequence[str | PathLike[str]]"
"""One path or several."""

GraphNames: TypeAlias = Mapping[str, FileNames]
"""One path or several by the IRI of the named graph they hold."""


def check_choice(name: str, value: object, choices: tuple[str, ...], more: str = "") -> None:
    """Refuse a value that an option does not have.

    Raises:
        UsageError: EP505.
    """
    if value not in choices:
        wanted = " or ".join(map(repr, choices))
        raise UsageError("EP505", f"{name} cannot be {value!r}", hint=f"it is {wanted} {more}".rstrip())


def check_function(name: str, function: object) -> None:
    """Refuse what cannot be called; None is none.

    Raises:
        UsageError: EP505.
    """
    if function is not None and not callable(function):
        raise UsageError("EP505", f"{name} is {function!r} and no function")


def check_query_text(query: str) -> None:
    """Refuse the name of a query file where its text is asked for.

    Raises:
        UsageError: EP505.
    """
    if not isinstance(query, str):
        raise UsageError(
            "EP505", f"query is a {type(query).__name__} and no text", hint="of a file: path.read_text()"
        )
    if query.strip().endswith((".rq", ".sparql", ".epsparql")) and len(query.split()) == 1:
        raise UsageError(
            "EP505",
            f"query is {query!r}, which is no query",
            hint=f"the text of the file: open({query!r}).read()",
        )


def check_time_unit(unit: str | None) -> None:
    """Refuse a unit of time that there is not; None is none.

    Raises:
        UsageError: EP505.
    """
    if unit is not None:
        check_choice("time_unit", unit, tuple(SCALES))


def file_list(files: FileNames) -> list[str]:
    """One path or several, as a list of texts."""
    if isinstance(files, (str, PathLike)):
        return [fspath(files)]
    return [fspath(each) for each in files]


def graph_files(graphs: GraphNames, option: str = "graphs") -> dict[str, list[str]]:
    """The files of each named graph.

    Raises:
        UsageError: EP505 where a name is no absolute IRI.
    """
    for iri in graphs:
        if not _is_iri(iri):
            raise UsageError(
                "EP505", f"{option}: {iri!r} is no absolute IRI", hint="a graph's name is such as urn:goods"
            )
    return {str(iri): file_list(files) for iri, files in graphs.items()}


def _is_iri(text: str) -> bool:
    from pyoxigraph import NamedNode

    try:
        NamedNode(text)
    except ValueError:
        return False
    return True
