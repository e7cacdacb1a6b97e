"""The W3C's SPARQL 1.1 syntax tests, and every query of its other suites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import RDF, Graph, Namespace, URIRef

from etalis_py.compiler.parser import parse
from etalis_py.errors import QuerySyntaxError

MANIFEST = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QUERY = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")


def queries(manifest: Path) -> Iterator[tuple[Path, bool]]:
    """The query file of each test, and whether it is right."""
    graph = Graph().parse(manifest)
    for test, action in graph.subject_objects(MANIFEST.action):
        file = graph.value(action, QUERY.query) or action
        if isinstance(file, URIRef) and file.endswith(".rq"):
            kind = str(graph.value(test, RDF.type))
            yield Path(file.removeprefix("file://")), "NegativeSyntax" not in kind


@pytest.mark.parametrize("suite", ["syntax-query", "*"])
def test_every_query_parses_or_is_refused_as_the_w3c_says(shared_w3c: Path, suite: str) -> None:
    wrong: list[str] = []
    counts = {True: 0, False: 0}
    for manifest in sorted(shared_w3c.glob(f"sparql11/{suite}/manifest.ttl")):
        for file, is_right in queries(manifest):
            counts[is_right] += 1
            try:
                parse(file.read_text(encoding="utf-8"), source=file.name)
            except QuerySyntaxError as error:
                if is_right:
                    wrong.append(str(error))
            else:
                if not is_right:
                    wrong.append(f"{file.name} was not refused")
    assert not wrong, "\n".join(wrong)
    assert counts[True] > 50
    assert counts[False] > 25
