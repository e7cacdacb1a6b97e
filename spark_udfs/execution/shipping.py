"""Background on its way from the driver to the workers: the files' bytes, and what they were compiled to.

The driver reads the files, one worker compiles the RDF among them, and all others get what it compiled to
with their tasks; Spark sends what is big as a broadcast, so each machine gets it once. No worker needs the
files, and the driver no Prolog. What was read when ``detect`` was called is what counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from etalis_py.ontologies.formats import PROLOG, Source, find_graphs, find_sources, unreadable

__all__ = ["PrologFile", "Shipment", "ShippedFile", "pack", "unpacked_prolog", "unpacked_sources"]


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """One file: where it lay on the driver, its format as of `Source`, and its bytes."""

    path: str
    format: str
    packed: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class Shipment:
    """``rdf`` and ``graphs`` (by their IRIs) until they are compiled; ``prolog`` files; ``compiled`` is the
    ``.qlf`` file with the name ``digest``, empty where there is no RDF.
    """

    rdf: tuple[ShippedFile, ...] = ()
    graphs: tuple[tuple[str, tuple[ShippedFile, ...]], ...] = ()
    prolog: tuple[ShippedFile, ...] = ()
    compiled: bytes = b""
    digest: str = ""


def pack(background: Sequence[str], graphs: Mapping[str, Sequence[str]], rules: Sequence[str]) -> Shipment:
    """Read the files.

    Raises:
        DataError: EP421, EP423, EP426, EP441: a file that cannot be read, or is none of background.
    """
    found = find_sources(background)
    named = find_graphs(graphs)
    prolog = [each for each in found if each.format == PROLOG]
    return Shipment(
        tuple(_read(each) for each in found if each.format != PROLOG),
        tuple((each.graph, tuple(map(_read, each.sources))) for each in named),
        (*map(_read, prolog), *(_read(Source(Path(path), PROLOG, packed=False)) for path in rules)),
    )


def _read(source: Source) -> ShippedFile:
    try:
        content = source.path.read_bytes()
    except OSError as error:
        code = "EP441" if source.format == PROLOG else "EP421"
        raise unreadable(str(source.path), error, code) from error
    return ShippedFile(str(source.path), source.format, source.packed, content)


# ---- in a worker ----------------------------------------------------------------------------------------


class PrologFile:
    """A copy of a Prolog file, which messages call by the name of the original."""

    def __init__(self, copy: Path, original: str) -> None:
        self._copy, self._original = copy, original

    def __fspath__(self) -> str:
        return str(self._copy)

    def __str__(self) -> str:
        return self._original


@contextmanager
def unpacked_sources(shipment: Shipment) -> Iterator[tuple[list[Source], dict[str, list[Source]]]]:
    """The RDF files and those of named graphs as copies, which go at the end."""
    with TemporaryDirectory(prefix="etalis-background-") as folder:
        graphs = {graph: _sources(Path(folder), files) for graph, files in shipment.graphs}
        yield _sources(Path(folder), shipment.rdf), graphs


@contextmanager
def unpacked_prolog(shipment: Shipment) -> Iterator[list[PrologFile]]:
    """The Prolog files as copies, which go at the end."""
    with TemporaryDirectory(prefix="etalis-rules-") as folder:
        copies = zip(_copies(Path(folder), shipment.prolog), shipment.prolog, strict=True)
        yield [PrologFile(copy, each.path) for copy, each in copies]


def _sources(folder: Path, files: Sequence[ShippedFile]) -> list[Source]:
    copies = zip(_copies(folder, files), files, strict=True)
    return [Source(copy, each.format, each.packed, Path(each.path)) for copy, each in copies]


def _copies(folder: Path, files: Sequence[ShippedFile]) -> Iterator[Path]:
    for each in files:
        copy = Path(folder, str(sum(1 for _ in folder.iterdir())))
        copy.mkdir()
        copy /= Path(each.path).name
        copy.write_bytes(each.content)
        yield copy
