"""``--graph IRI=FILE``: named graphs that only GRAPH and FROM see."""

from __future__ import annotations

from pathlib import Path

import pytest

QUERY = "SELECT ?who WHERE { ?x <http://example.org/low> ?y GRAPH <urn:staff> { ?x <urn:keeper> ?who } }"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "q.rq").write_text(QUERY)
    (folder / "a=1.ttl").write_text("<http://example.org/a> <urn:keeper> <urn:ann> .")
    (folder / "b.ttl").write_text("<http://example.org/a> <urn:keeper> <urn:ben> .")
    (folder / "empty.ttl").write_text("")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("urn:staff=b.ttl", ["urn:ben"]),
        ("urn:staff={folder}/b.ttl", ["urn:ben"]),
        ("<urn:staff>=a=1.ttl urn:staff=b.ttl urn:other=empty.ttl", ["urn:ann", "urn:ben"]),
        ("urn:staff=empty.ttl", []),
        ("urn:other=b.ttl", []),
    ],
)
def test_run(etalis, folder: Path, words: str, found: list[str]) -> None:
    graphs = words.format(folder=folder)
    done = etalis(f"run q.rq --stream rise.ndjson --results ndjson --quiet --graph {graphs}")
    assert (done.code, done.err) == (0, "")
    assert sorted(who for (who,) in done.found) == found


def test_it_may_be_repeated(etalis) -> None:
    done = etalis("run q.rq --stream rise.ndjson --graph urn:staff=b.ttl --graph <urn:staff>=a=1.ttl --quiet")
    assert len(done.answers) == 2


@pytest.mark.parametrize("command", ["check q.rq", "explain q.rq", "run q.rq --stream rise.ndjson"])
def test_a_file_that_is_missing(etalis, command: str) -> None:
    done = etalis(f"{command} --graph urn:staff=none.ttl")
    assert (done.code, done.err.splitlines()[0]) == (
        3,
        "EP421 none.ttl: the file cannot be read: No such file or directory",
    )


def test_results_are_not_written_over_a_graph(etalis, folder: Path) -> None:
    done = etalis("run q.rq --stream rise.ndjson --graph urn:staff=b.ttl --results csv --output b.ttl")
    assert done.code == 2
    assert done.err.startswith("EP507 the results would overwrite b.ttl, which is an input")
    assert "urn:ben" in (folder / "b.ttl").read_text()
