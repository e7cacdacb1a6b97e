"""Background files compiled once for Prolog, and found in the cache after that."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from etalis_py.core.cache import checked_number, new_file, ready_folder, seal
from etalis_py.core.errors import DataError, Place, RunTimeError
from etalis_py.ontologies.cache import keys
from etalis_py.ontologies.facts import FactWriter
from etalis_py.ontologies.formats import PROLOG, GraphFiles, GraphSource, Source, find_graphs, find_sources
from etalis_py.ontologies.prolog_calls import PrologCalls
from etalis_py.ontologies.triples import read_triples

__all__ = ["CompiledBackground", "compile_background"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CompiledBackground:
    """RDF files as one ``.qlf`` file: ``triple_count`` different triples of all files together.

    The triples of ``graphs`` are not counted.

    ``digest`` names the content: the same files compiled by the same versions have the same. ``folder`` is
    set where there was no cache: the file lies there, and goes with it.
    """

    path: Path
    digest: str
    triple_count: int
    folder: TemporaryDirectory[str] | None = None


def compile_background(
    paths: Sequence[str | os.PathLike[str] | Source],
    *,
    prolog: PrologCalls,
    graphs: GraphFiles = MappingProxyType({}),
    cache_dir: str | os.PathLike[str] | None = None,
    rebuild: bool = False,
) -> CompiledBackground:
    """Compile RDF files (all together one background), or find them compiled in the cache.

    Those of ``graphs`` are named graphs, which only GRAPH and FROM see; such a file may be empty.

    The compiler is the Prolog of this process, not one of its own: what it writes only the same version can
    read, and to start another takes longer than to compile most ontologies. ``rebuild`` ignores the cache.

    Raises:
        DataError: EP421 to EP427 and EP429, for files that cannot be read as RDF.
    """
    sources = find_sources(paths)
    for source in sources:
        if source.format == PROLOG:
            raise ValueError(f"{source.path} is a Prolog file: it is loaded, not compiled")
    named = find_graphs(graphs)
    digests = keys(sources, named, _version(prolog))
    folder = ready_folder("background", cache_dir)
    if folder is not None:
        for digest in () if rebuild else digests:
            count = checked_number(_place(folder, digest))
            if count is not None:
                return CompiledBackground(_place(folder, digest), digest, count)
        try:
            return _compile(sources, named, digests, folder, prolog, None)
        except (OSError, RunTimeError) as error:  # it is full, say, or somebody removed it meanwhile
            _log.warning("no cache for compiled background: %s", error)
    temporary = TemporaryDirectory(prefix="etalis-background-")
    return _compile(sources, named, digests, Path(temporary.name), prolog, temporary)


def _place(folder: Path, digest: str) -> Path:
    return folder / f"{digest}.qlf"


def _compile(
    sources: Sequence[Source],
    graphs: Sequence[GraphSource],
    digests: Sequence[str],
    folder: Path,
    prolog: PrologCalls,
    temporary: TemporaryDirectory[str] | None,
) -> CompiledBackground:
    with new_file(folder, ".pl") as facts, new_file(folder, ".qlf") as compiled:
        uses_base = _write_facts(sources, graphs, facts)
        count = prolog.call("etalis_background_compile", "compile_facts", str(facts), str(compiled))
        seal(compiled, count)
        _check_unchanged(sources, graphs, digests, prolog)
        digest = digests[uses_base]
        compiled.replace(_place(folder, digest))
    _log.info("compiled %d triples of %d files, and %d named graphs", count, len(sources), len(graphs))
    return CompiledBackground(_place(folder, digest), digest, count, temporary)


def _check_unchanged(
    sources: Sequence[Source], graphs: Sequence[GraphSource], digests: Sequence[str], prolog: PrologCalls
) -> None:
    """What was read is to be what the name says, or all that have such files would get it from the cache."""
    if keys(sources, graphs, _version(prolog)) != digests:
        raise DataError(
            "EP421",
            "a file of the background has changed while it was read",
            place=Place(source=", ".join(source.name for source in sources)),
            hint="run again",
        )


def _version(prolog: PrologCalls) -> str:
    return str(prolog.call("system", "current_prolog_flag", "version"))


def _write_facts(sources: Sequence[Source], graphs: Sequence[GraphSource], path: Path) -> bool:
    """Write all triples; whether their meaning depends on where the files lie."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        writer = FactWriter(out)
        for source in sources:
            if writer.write(read_triples(source), source.name) == 0:
                raise DataError(
                    "EP424",
                    "there is no triple in this file",
                    place=Place(source=source.name),
                    hint="leave it out, or check the program that writes it",
                )
        for each in graphs:
            writer.enter_graph(each.graph)
            for source in each.sources:
                writer.write_graph(each.graph, read_triples(source), source.name)
    return writer.uses_base
