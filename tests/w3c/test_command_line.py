"""Some of the W3C's tests from the command line, with each form of results that the W3C defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.compiler.parser import parse
from tests.w3c.comparison import difference
from tests.w3c.manifests import W3CTest, path_of, read_tests
from tests.w3c.outcomes import FORMATS, read_outcome
from tests.w3c.running import order_of, read_expected

TIME = "2011-03-11T05:46:23Z"


def printed(test: W3CTest, results: str, file: Path) -> bytes:
    """What ``etalis run`` prints for a test."""
    streams = [str(path_of(iri)) for iri in test.data]
    line = ["run", str(path_of(test.query)), "--stream", *streams, "--at", TIME, "--entailment", "none"]
    for iri in test.graphs:
        line += ["--graph", f"{iri}={path_of(iri)}"]
    assert main([*line, "--results", results, "--output", str(file)]) == 0
    return file.read_bytes()


@pytest.mark.parametrize("folder", ["csv-tsv-res", "json-res"])
def test_results_in_the_forms_of_the_w3c(shared_w3c: Path, folder: str, tmp_path: Path) -> None:
    tests = read_tests(shared_w3c, folder)
    for test in tests:
        suffix = path_of(test.result or "").suffix
        found = read_outcome(printed(test, FORMATS[suffix], tmp_path / "out"), suffix)
        assert not difference(read_expected(test), found, ordered_by=order_of(parse(test.query_text)))
    assert len(tests) >= 4


def test_triples_in_nquads(shared_w3c: Path, tmp_path: Path) -> None:
    names = {"construct/constructwhere01", "construct/constructwhere02", "construct/constructwhere03"}
    for test in read_tests(shared_w3c, "construct"):
        if test.name in names:
            found = read_outcome(printed(test, "nquads", tmp_path / "out"), ".ttl")
            assert not difference(read_expected(test), found)
            names.remove(test.name)
    assert not names
