"""Entailment covers stream and background together: with streamed instances the W3C's answers are the same.

The files of the RDFS tests hold schema and instances. The schema alone is the background here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rdflib import RDFS, BNode, Graph

from tests.w3c.manifests import W3CTest, path_of, read_tests
from tests.w3c.running import problem_of
from tests.w3c.test_evaluation import known_failures

SCHEMA = (RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range)


def streamed(test: W3CTest, folder: Path) -> W3CTest | None:
    """The test with its instances in the stream; None where it has none, or a blank node in its schema."""
    (data,) = test.background
    schema, instances = Graph(), Graph()
    for triple in Graph().parse(path_of(data)):
        (schema if triple[1] in SCHEMA else instances).add(triple)
    if not schema or not instances or any(isinstance(term, BNode) for triple in schema for term in triple):
        return None
    files = [folder / f"{test.name.rpartition('/')[2]}-{name}.nt" for name in ("schema", "instances")]
    for graph, file in zip((schema, instances), files, strict=True):
        graph.serialize(file, format="nt", encoding="utf-8")
    background, stream = (file.as_uri() for file in files)
    return replace(test, background=(background,), data=(stream,))


def test_instances_may_stream(shared_w3c: Path, tmp_path: Path) -> None:
    tests = [
        test
        for test in read_tests(shared_w3c, "entailment")
        if "RDFS" in test.regimes and test.name not in known_failures()
    ]
    changed = [test for test in (streamed(test, tmp_path) for test in tests) if test is not None]
    problems = {test.name: problem_of(test) for test in changed}
    assert {name: problem for name, problem in problems.items() if problem} == {}
    assert len(changed) >= 9
