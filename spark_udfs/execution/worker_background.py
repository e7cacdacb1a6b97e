"""Background in a worker: compiled by the one that is asked first, loaded once in each process.

Imported in workers only, for it loads Prolog. What is RDF alone never changes, so the tasks of a process
share it; Prolog files may hold state, so each engine has them, and the RDF beside them, for itself.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from etalis_py.core.cache import checked_number, new_file, ready_folder
from etalis_py.embedding import prolog
from etalis_py.ontologies.background import Background
from etalis_py.ontologies.loader import compile_background
from etalis_py.spark_udfs.execution.shipping import Shipment, unpacked_prolog, unpacked_sources

if TYPE_CHECKING:
    from etalis_py.engine.column_engine import BackgroundLoader

__all__ = ["background_loader", "compiled"]

Entailment = Literal["rdfs", "none"]
_Key: TypeAlias = "tuple[str, Entailment]"
"""The name of what was compiled, and the entailment."""


def compiled(shipment: Shipment) -> Shipment:
    """The shipment with what its RDF files compile to in their place.

    Raises:
        DataError: a file cannot be read as RDF.
    """
    if not shipment.rdf and not shipment.graphs:
        return shipment
    prolog.load_runtime()
    with unpacked_sources(shipment) as (sources, graphs):
        made = compile_background(sources, graphs=graphs, prolog=prolog)
        content = made.path.read_bytes()
        if made.folder is not None:
            made.folder.cleanup()
    return replace(shipment, rdf=(), graphs=(), compiled=content, digest=made.digest)


def background_loader(shipment: Shipment) -> BackgroundLoader:
    """How an engine gets the background of a compiled shipment."""
    if shipment.prolog:
        return partial(_load, shipment)
    return partial(_share, shipment)


def _share(shipment: Shipment, _module: str, entailment: Entailment) -> Background:
    return _shelf.take(shipment, entailment)


class _Shelf:
    """The shared backgrounds of this process; those that no engine uses go when another one comes."""

    def __init__(self) -> None:
        self._loaded: dict[_Key, Background] = {}
        self._users: Counter[_Key] = Counter()

    def take(self, shipment: Shipment, entailment: Entailment) -> Background:
        """The background for one more engine, whose ``close`` gives it back."""
        key = (shipment.digest, entailment)
        if key not in self._loaded:
            for unused in [each for each in self._loaded if not self._users[each]]:
                self._loaded.pop(unused).close()
            self._loaded[key] = _load(shipment, f"etalis_shared_{shipment.digest}_{entailment}", entailment)
        self._users[key] += 1
        found = self._loaded[key]
        whole = found.module, found.triple_count, found.states, found.digest, prolog
        return _SharedBackground(*whole, self, key)

    def give_back(self, key: _Key) -> None:
        """One engine less uses it."""
        self._users[key] -= 1


@dataclass(frozen=True, slots=True)
class _SharedBackground(Background):
    """A background that an engine does not take with it."""

    shelf: _Shelf
    key: _Key

    def close(self) -> None:
        """Leave it to the next engine."""
        self.shelf.give_back(self.key)


_shelf: Final = _Shelf()
"""What outlives a task is meant to: it is the same for all that have the files."""


def _load(shipment: Shipment, module: str, entailment: Entailment) -> Background:
    with unpacked_prolog(shipment) as rules, TemporaryDirectory(prefix="etalis-background-") as folder:
        path = _unpacked(shipment, Path(folder)) if shipment.compiled else None
        return Background.load(prolog, (), entailment, module, rules=rules, compiled=path)


def _unpacked(shipment: Shipment, folder: Path) -> Path:
    """The compiled file in the cache of this machine, where there is one; else in ``folder``."""
    cache = ready_folder("background") or folder
    place = cache / f"{shipment.digest}.qlf"
    if checked_number(place) is None:
        with new_file(cache, ".qlf") as file:
            file.write_bytes(shipment.compiled)
            file.replace(place)
    return place
