"""Streams that the command line calls as the queries do: ``s1`` for ``<s1>``, and ``ex:readings``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from etalis_py.cli.query_files import QueryFile
from etalis_py.core.errors import UsageError
from etalis_py.streams import StreamFile

__all__ = ["with_iris"]


def with_iris(streams: Sequence[StreamFile], queries: Iterable[QueryFile], option: str) -> list[StreamFile]:
    """``streams`` of an option, each with the IRI of what it is called.

    Raises:
        QuerySyntaxError: a query cannot be read.
        UsageError: EP505, no query calls a stream so, or two mean another one by it.
    """
    if all(each.called is None for each in streams):
        return list(streams)
    written = dict[str, set[str]]()
    for name, iri in (each for file in queries for each in _written(file)):
        written.setdefault(name, set()).add(iri)
    return [each if each.called is None else _found(each, each.called, written, option) for each in streams]


def _found(file: StreamFile, called: str, written: dict[str, set[str]], option: str) -> StreamFile:
    found = sorted(written.get(called, ()))
    if file.stream is not None and (not found or any(file.stream in each for each in written.values())):
        return replace(file, called=None)  # it is an IRI, after all
    if len(found) == 1:
        return replace(file, stream=found[0], called=None)
    message = f"{option}: {called!r} is not an absolute IRI"
    if found:
        message = f"{option}: {called!r} means several streams"
        meant = " or ".join(f"<{iri}>" for iri in found)
        raise UsageError("EP505", message, hint=f"name one of them: {meant}")
    hint = f"a stream is named by one, such as urn:dock={file.path}"
    if written:
        hint = f"the queries have the streams {', '.join(sorted(written))}: {min(written)}={file.path}"
    raise UsageError("EP505", message, hint=hint)


def _written(file: QueryFile) -> Iterator[tuple[str, str]]:
    """How a query writes its streams, without ``<`` and ``>``, and the IRIs of them."""
    from etalis_py.compiler.languages.languages import read_program
    from etalis_py.compiler.parse import syntax
    from etalis_py.compiler.parse.names import Names
    from etalis_py.compiler.parse.syntax_walk import walk

    for read in read_program(file.text, file.path, file.language):
        names = Names(read.query.prologue, text=file.text, source=file.path, base=file.base)
        for node in walk(read.query.form):
            match node:
                case (
                    syntax.StreamWindow(stream=name)
                    | syntax.StreamPattern(name=name)
                    | syntax.EventPattern(stream=name)
                    | syntax.DatasetClause(iri=name, stream=True)
                ) if isinstance(name, syntax.IriRef | syntax.PrefixedName):
                    written = file.text[name.span.start : name.span.end]
                    yield written.removeprefix("<").removesuffix(">"), names.resolve(name)
                case _:
                    pass
