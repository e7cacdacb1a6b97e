"""The W3C's test manifests: what each test reads, and what it wants."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rdflib import RDF, Graph, Namespace
from rdflib.collection import Collection
from rdflib.term import Node

__all__ = ["FOLDERS", "W3CTest", "path_of", "read_tests"]

MANIFEST = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QUERY = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
SERVICE = Namespace("http://www.w3.org/ns/sparql-service-description#")

FOLDERS = (
    "aggregates", "bind", "bindings", "cast", "construct", "csv-tsv-res", "entailment", "exists", "functions",
    "grouping", "json-res", "negation", "project-expression", "property-path", "subquery", "syntax-query",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class W3CTest:
    """One test. ``data``, ``background``, ``graphs``, ``query`` and ``result`` are IRIs of files.

    ``data`` is what streams, at one instant. Entailment is a matter of the background: with it the data,
    schema and instances in one file, is the ``background``.

    ``name`` is the folder and the name of the test in its manifest. ``regimes`` are the entailment regimes
    under which the result holds (``RDFS``, ``OWL-Direct``); there are none outside the folder entailment.
    A syntax test has no ``result``.
    """

    name: str
    kind: str
    query: str
    data: tuple[str, ...]
    background: tuple[str, ...]
    graphs: tuple[str, ...]
    result: str | None
    regimes: frozenset[str]

    @property
    def is_negative(self) -> bool:
        """Whether the query is to be refused."""
        return self.kind.startswith("NegativeSyntax")

    @property
    def query_text(self) -> str:
        """The query as it is in its file."""
        return path_of(self.query).read_text(encoding="utf-8")


def path_of(iri: str) -> Path:
    """The file that an IRI names."""
    return Path(unquote(urlsplit(iri).path))


def read_tests(suites: Path, folder: str) -> list[W3CTest]:
    """The tests of one folder, in the order of its manifest."""
    graph = Graph().parse(suites / "sparql11" / folder / "manifest.ttl")
    (entries,) = graph.objects(None, MANIFEST.entries)
    return [_test(graph, test, folder) for test in Collection(graph, entries)]


def _test(graph: Graph, test: Node, folder: str) -> W3CTest:
    action = graph.value(test, MANIFEST.action)
    assert action is not None
    result = graph.value(test, MANIFEST.result)
    regimes = frozenset(_regimes(graph, action))
    data = tuple(sorted(map(str, graph.objects(action, QUERY.data))))
    return W3CTest(
        name=f"{folder}/{_local_name(test)}",
        kind=_local_name(graph.value(test, RDF.type)),
        query=str(graph.value(action, QUERY.query) or action),
        data=() if regimes else data,
        background=data if regimes else (),
        graphs=tuple(sorted(map(str, graph.objects(action, QUERY.graphData)))),
        result=None if result is None else str(result),
        regimes=regimes,
    )


def _regimes(graph: Graph, action: Node) -> list[str]:
    told = graph.value(action, SERVICE.entailmentRegime)
    if told is None:
        return []
    is_list = graph.value(told, RDF.first) is not None
    return [_local_name(each) for each in (Collection(graph, told) if is_list else (told,))]


def _local_name(name: Node | None) -> str:
    text = str(name)
    return text.rpartition("#")[2] if "#" in text else text.rpartition("/")[2]
