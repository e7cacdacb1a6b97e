"""Named graphs of the background, and property paths over it and the stream."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import pytest

from etalis_py.core.errors import UsageError
from etalis_py.engine.engine import Engine
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs.execution.worker import open_engine
from etalis_py.spark_udfs.planning.program import Program, QuerySource
from tests.engine.conftest import run, seconds, table


def written(folder: Path, **texts: str) -> dict[str, Path]:
    paths = {name: folder / f"{name}.ttl" for name in texts}
    for name, path in paths.items():
        path.write_text("@prefix : <urn:> . " + texts[name], encoding="utf-8")
    return paths


def test_a_graph_is_seen_by_graph_and_from_only(tmp_path: Path) -> None:
    files = written(tmp_path, winter=":dock :guard :ann .", summer=":dock :guard :ben, :ann .")
    options = {"graphs": {"urn:winter": files["winter"], "urn:summer": [files["summer"]]}}
    rows = [(1, "box", "at", "dock")]
    assert run("SELECT ?who { ?box :at ?d . ?d :guard ?who }", rows, **options) == []
    found = run("SELECT ?g ?who { ?box :at ?d GRAPH ?g { ?d :guard ?who } }", rows, **options)
    assert sorted((row["g"], row["who"]) for *_, row in found) == [
        ("summer", "ann"),
        ("summer", "ben"),
        ("winter", "ann"),
    ]
    merged = "SELECT ?who FROM :winter FROM :summer { ?box :at ?d . ?d :guard ?who }"
    assert sorted(row["who"] for *_, row in run(merged, rows, **options)) == ["ann", "ben"]


@pytest.mark.parametrize("name", ["goods", "", "urn:a b", "<urn:a>"])
def test_a_name_that_is_no_iri(name: str) -> None:
    with pytest.raises(UsageError, match=r"EP505 graphs: .* is not an absolute IRI"):
        Engine(graphs={name: "goods.ttl"})


def test_a_worker_has_the_graphs(tmp_path: Path) -> None:
    file = written(tmp_path, winter=":dock :guard :ann .")["winter"]
    query = "SELECT ?who { ?box <urn:at> ?d GRAPH <urn:winter> { ?d <urn:guard> ?who } }"
    program = Program((QuerySource("guards", query),), EngineOptions.of(graphs={"urn:winter": str(file)}))
    assert program.options.has_background
    with open_engine(pickle.loads(pickle.dumps(program))) as (engine, _):
        engine.send_batch(table([(1, "box", "at", "dock")]))
        engine.finish()
        assert seconds(engine) == [(1, 1, {"who": "ann"})]


#   time        1        2        3
#   :to       a -> b   c -> d   d -> a      b -> c always
def test_a_walk_over_stream_and_background(tmp_path: Path) -> None:
    file = written(tmp_path, roads=":b :to :c .")["roads"]
    rows = [(1, "a", "to", "b"), (2, "c", "to", "d"), (3, "d", "to", "a")]
    found = run("SELECT ?y { :b :to+ ?y }", rows, background=file)
    assert sorted((start, end, row["y"]) for start, end, row in found) == [
        (1, 3, "a"),
        (1, 3, "b"),
        (1, 3, "c"),
        (1, 3, "d"),
        (2, 2, "d"),
        (2, 3, "a"),
    ]


def test_paths_do_not_depend_on_the_order_within_an_instant() -> None:
    chooser = random.Random(5)
    rows = [(chooser.randrange(4), chooser.choice("abcd"), "to", chooser.choice("abcd")) for _ in range(12)]
    query = "SELECT * { ?x :to+ ?y }"
    found = set()
    for _ in range(5):
        chooser.shuffle(rows)
        rows.sort(key=lambda row: row[0])
        found.add(str(run(query, rows)))
    assert len(found) == 1


def test_a_window_forgets_walks() -> None:
    rows = [(second, f"n{second}", "to", f"n{second + 1}") for second in range(20)]
    query = 'SELECT * { ?x :to+ ?y FILTER(getDURATION() < "PT2S"^^xsd:duration) }'
    assert len(run(query, rows)) == 20 + 19
