"""The W3C's tests from the command line, with each form of results that the W3C defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from etalis_py.cli import main
from etalis_py.compiler.parse.parser import parse
from etalis_py.compiler.parse.syntax import Construct, Query
from tests.w3c.comparison import difference
from tests.w3c.manifests import FOLDERS, W3CTest, path_of, read_tests
from tests.w3c.outcomes import FORMATS, read_outcome
from tests.w3c.running import order_of, read_expected
from tests.w3c.test_evaluation import known_failures

TIME = "2011-03-11T05:46:23Z"


def suffix_of(test: W3CTest, query: Query) -> str:
    """That of the expected results, if they are in a form that is written, or of another that will do."""
    suffix = path_of(test.result or "").suffix
    if suffix in FORMATS:
        return suffix
    return ".ttl" if isinstance(query.form, Construct) else ".srj"


def command(test: W3CTest, results: str, empty: Path, out: Path) -> list[str]:
    """What to say to ``etalis`` for a test."""
    streams = [str(path_of(iri)) for iri in test.data] or [str(empty)]
    line = ["run", str(path_of(test.query)), "--stream", *streams, "--at", TIME]
    line += ["--entailment", "rdfs" if test.regimes else "none"]
    for iri in test.background:
        line += ["--background", str(path_of(iri))]
    for iri in test.graphs:
        line += ["--graph", f"{iri}={path_of(iri)}"]
    return [*line, "--results", results, "--output", str(out)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_answers(shared_w3c: Path, folder: str, tmp_path: Path) -> None:
    empty, out = tmp_path / "empty.ttl", tmp_path / "out"
    empty.touch()
    problems: dict[str, str] = {}
    for test in read_tests(shared_w3c, folder):
        if test.result is None or test.name in known_failures():
            continue
        query = parse(test.query_text)
        suffix = suffix_of(test, query)
        if code := main(command(test, FORMATS.get(suffix, "nquads"), empty, out)):
            problems[test.name] = f"exit code {code}"
            continue
        found = read_outcome(out.read_bytes(), suffix)
        if problem := difference(read_expected(test), found, ordered_by=order_of(query)):
            problems[test.name] = problem
    assert problems == {}
