"""Named graphs: those in files of background, and those that only GRAPH and FROM see."""

from __future__ import annotations

from pathlib import Path

from etalis_py.embedding import prolog
from etalis_py.ontologies.loader import compile_background
from tests.ontologies.conftest import Load

ONE, TWO = ("urn:s", "urn:p", "urn:one"), ("urn:s", "urn:p", "urn:two")


def write(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / f"{name}.ttl" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


def test_such_a_graph_is_not_in_the_default_graph(load: Load, tmp_path: Path) -> None:
    a, b = write(tmp_path, a="<urn:s> <urn:p> <urn:one> .", b="<urn:s> <urn:p> <urn:two> .")
    found = load(a, graphs={"urn:g": [b]})
    assert found.explicit() == [ONE]
    assert found.answers(ONE[0], None, None) == [ONE]
    assert found.named() == [(*TWO, "urn:g")]


def test_a_file_may_be_background_and_a_graph(load: Load, tmp_path: Path) -> None:
    (a,) = write(tmp_path, a="<urn:s> <urn:p> <urn:one>, <urn:one> .")
    found = load(a, graphs={"urn:g": [a, a], "urn:h": [a]})
    assert found.explicit() == [ONE]
    assert sorted(found.named()) == [(*ONE, "urn:g"), (*ONE, "urn:h")]


def test_a_graph_of_several_files_has_each_triple_once(load: Load, tmp_path: Path) -> None:
    files = write(tmp_path, a="<urn:s> <urn:p> <urn:one> .", b="<urn:s> <urn:p> <urn:one>, <urn:two> .")
    assert sorted(load(graphs={"urn:g": files}).named()) == [(*ONE, "urn:g"), (*TWO, "urn:g")]


def test_blank_nodes_of_two_files_are_different(load: Load, tmp_path: Path) -> None:
    files = write(tmp_path, a="_:x <urn:p> _:x .", b="_:x <urn:p> _:x .")
    found = load(*files, graphs={"urn:g": files, "urn:h": files})
    nodes = {s for s, *_ in [*found.explicit(), *found.named()]}
    assert len(nodes) == 6


def test_an_empty_graph_has_a_name(load: Load, tmp_path: Path) -> None:
    a, b = write(tmp_path, a="# nothing", b="<urn:s> <urn:p> <urn:one> .")
    found = load(graphs={"urn:empty": [a], "urn:full": [a, b], "urn:none": []})
    assert found.graphs() == ["urn:empty", "urn:full", "urn:none"]
    assert found.named() == [(*ONE, "urn:full")]


def test_a_graph_that_background_has_too(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.trig").write_text("<urn:g> { <urn:s> <urn:p> <urn:one> } <urn:h> { }")
    (b,) = write(tmp_path, b="<urn:s> <urn:p> <urn:one>, <urn:two> .")
    found = load(tmp_path / "a.trig", graphs={"urn:g": [b]})
    assert found.explicit() == [ONE]
    assert sorted(found.named()) == [(*ONE, "urn:g"), (*TWO, "urn:g")]


def test_facts_of_prolog_files_join_the_graphs(load: Load, tmp_path: Path) -> None:
    (a,) = write(tmp_path, a="<urn:s> <urn:p> <urn:one> .")
    rules = tmp_path / "rules.pl"
    rules.write_text(
        "rdf('urn:s', 'urn:p', 'urn:two', 'urn:g').\nrdf('urn:s', 'urn:p', 'urn:one', 'urn:h').\n"
    )
    found = load(rules, graphs={"urn:g": [a]})
    assert found.graphs() == ["urn:g", "urn:h"]
    assert sorted(found.named()) == [(*ONE, "urn:g"), (*ONE, "urn:h"), (*TWO, "urn:g")]
    assert sorted(found.explicit()) == [ONE, TWO]


def test_a_merge_has_each_triple_once(load: Load, tmp_path: Path) -> None:
    a, b = write(tmp_path, a="<urn:s> <urn:p> <urn:one>, <urn:two> .", b="<urn:s> <urn:p> <urn:two> .")
    found = load(graphs={"urn:g": [a], "urn:h": [b], "urn:i": [a]})
    assert sorted(found.merged("urn:h", "urn:g", "urn:i", "urn:h")) == [ONE, TWO]
    assert found.merged("urn:h") == [TWO]
    assert found.merged("urn:unknown") == []
    assert found.merged() == []


def test_graphs_decide_the_name_in_the_cache(tmp_path: Path) -> None:
    a, b = write(tmp_path, a="<urn:s> <urn:p> <urn:one> .", b="<urn:s> <urn:p> <urn:two> .")
    backgrounds = [
        ([a], {}),
        ([a, b], {}),
        ([a], {"urn:g": [b]}),
        ([a], {"urn:h": [b]}),
        ([], {"urn:g": [a, b]}),
        ([], {"urn:g": [a], "urn:h": [b]}),
        ([], {"urn:g": [a], "urn:h": []}),
    ]
    digests = {
        compile_background(paths, graphs=graphs, prolog=prolog, cache_dir=tmp_path / "cache").digest
        for paths, graphs in backgrounds
    }
    assert len(digests) == len(backgrounds)


def test_relative_iris_depend_on_the_place(load: Load, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (path,) = write(tmp_path / folder, a="<urn:s> <p> 1 .")
        ((_, predicate, _, _),) = load(graphs={"urn:g": [path]}).named()
        assert predicate == path.with_name("p").as_uri()
