"""Background knowledge of one engine: its files, loaded into a Prolog module of their own."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from etalis_py.core.cache import digest_file
from etalis_py.core.errors import DataError
from etalis_py.ontologies.formats import PROLOG, GraphFiles, find_sources
from etalis_py.ontologies.loader import compile_background
from etalis_py.ontologies.prolog_calls import PrologCalls
from etalis_py.ontologies.prolog_files import load_prolog_file
from etalis_py.ontologies.state_declarations import StateDeclaration
from etalis_py.ontologies.states import read_states

__all__ = ["Background"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Background:
    """What patterns match beside the stream. ``module`` is the name to give to ``etalis_rdfs``.

    ``states`` are what its Prolog files declare to begin and end with events. ``digest`` names the content of
    all files: the same files give the same.

    ``close`` gives back all memory; no Prolog goal that reads the background may be running then.
    """

    module: str
    triple_count: int
    states: tuple[StateDeclaration, ...]
    digest: str
    _prolog: PrologCalls

    @classmethod
    def load(
        cls,
        prolog: PrologCalls,
        sources: Sequence[str | os.PathLike[str]],
        entailment: Literal["rdfs", "none"],
        module_name: str,
        *,
        graphs: GraphFiles = MappingProxyType({}),
        rules: Sequence[str | os.PathLike[str]] = (),
        cache_dir: str | os.PathLike[str] | None = None,
        compiled: Path | None = None,
        seconds: float = 30.0,
    ) -> Background:
        """Load RDF and Prolog files; ``rules`` are Prolog files whatever their suffix.

        ``graphs`` are RDF files by the IRI of the named graph whose triples they hold: only GRAPH and FROM
        see them. A graph may have several files, and a file may be empty. ``compiled`` is what they were
        compiled to elsewhere, a file with the name of its digest; then the files need not be here.

        ``seconds`` is the time each directive of a Prolog file may take. Raises DataError (EP421 to EP429,
        EP441 to EP449); nothing stays in memory then.
        """
        found = find_sources(sources)
        prolog_files = [*(source.path for source in found if source.format == PROLOG), *rules]
        rdf = [source.path for source in found if source.format != PROLOG]
        prolog.do("etalis_background", "open_background", module_name)
        try:
            triples = "" if compiled is None else _load_compiled(prolog, module_name, compiled)
            if rdf or graphs:
                triples += _load_rdf(prolog, rdf, graphs, module_name, cache_dir)
            for path in prolog_files:
                load_prolog_file(prolog, module_name, path, seconds)
            prolog.do("etalis_rdfs", "prepare_background", module_name, entailment)
        except BaseException:
            prolog.do("etalis_background", "close_background", module_name)
            raise
        count = prolog.call("etalis_background", "triple_count", module_name)
        digest = blake2b(f"{triples} {entailment}".encode(), digest_size=16)
        for path in prolog_files:
            digest.update(digest_file(Path(path)))
        states = read_states(prolog, module_name, prolog_files)
        return cls(module_name, count, states, digest.hexdigest(), prolog)

    def close(self) -> None:
        """Forget everything."""
        self._prolog.do("etalis_background", "close_background", self.module)


def _load_rdf(
    prolog: PrologCalls,
    paths: Sequence[os.PathLike[str]],
    graphs: GraphFiles,
    module: str,
    cache_dir: str | os.PathLike[str] | None,
) -> str:
    """Load compiled triples; rebuild what another build of SWI-Prolog compiled, or what was removed.

    Returns the digest of their files.
    """
    problem = ""
    for rebuild in (False, True, True):
        compiled = compile_background(
            paths, graphs=graphs, prolog=prolog, cache_dir=cache_dir, rebuild=rebuild
        )
        outcome = prolog.call("etalis_background_compile", "load_compiled", module, str(compiled.path))
        if compiled.folder is not None:
            compiled.folder.cleanup()
        if outcome == "loaded":
            return compiled.digest
        problem = outcome
        _log.warning("compiled background is rebuilt: %s", problem)
    hint = "check the space on the disk, or name another folder in ETALIS_CACHE"
    raise DataError("EP428", f"Prolog cannot read what it compiled: {problem}", hint=hint)


def _load_compiled(prolog: PrologCalls, module: str, path: Path) -> str:
    """Load triples that were compiled before, and maybe elsewhere; the digest of their files."""
    outcome = prolog.call("etalis_background_compile", "load_compiled", module, str(path))
    if outcome != "loaded":
        raise DataError(
            "EP428",
            f"Prolog cannot read what was compiled elsewhere: {outcome}",
            hint="all machines need the same version of SWI-Prolog",
        )
    return path.stem
