"""Background goes from the driver to the workers: they read no files of it, and load it once a process."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import pytest

from etalis_py.core.errors import DataError, RunTimeError
from etalis_py.embedding import prolog
from etalis_py.engine.column_engine import ColumnEngine
from etalis_py.engine.options import EngineOptions
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.spark_udfs.execution import worker_background
from etalis_py.spark_udfs.execution.shipping import pack
from etalis_py.spark_udfs.execution.worker import open_engine
from etalis_py.spark_udfs.execution.worker_background import compiled
from etalis_py.spark_udfs.planning.program import Program, QuerySource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BELOW = "<http://www.w3.org/2000/01/rdf-schema#subPropertyOf>"
COLUMNS = "start long, s string, p string, o string"
QUERY = """SELECT ?x ?n { { ?x <urn:low> ?a } SEQ { ?x <urn:high> ?b }
                         GRAPH <urn:names> { ?x <urn:name> ?n } FILTER (prolog:near(?x)) }"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with background of all kinds; one file is packed, one speaks of itself."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "o.ttl.gz").write_bytes(gzip.compress(f"<urn:up> {BELOW} <urn:high> .".encode()))
    (folder / "names.ttl").write_text("<urn:a> <urn:name> <> .")
    (folder / "near.pl").write_text("near('urn:a').\nfails(_) :- atom_length(_, _).\n")
    return folder


def shipped(folder: Path, query: str, *, rules: bool = True) -> Program:
    shipment = pack(
        [str(folder / "o.ttl.gz")],
        {"urn:names": [str(folder / "names.ttl")]},
        [str(folder / "near.pl")] if rules else [],
    )
    return Program((QuerySource("query", query),), shipment=compiled(shipment))


@pytest.mark.spark
def test_workers_need_no_files(spark: SparkSession, files: Path) -> None:
    rows = [(1, "<urn:a>", "<urn:low>", "<urn:b>"), (2, "<urn:a>", "<urn:up>", "<urn:b>")]
    answers = detect(
        spark.createDataFrame(rows, COLUMNS),
        QUERY,
        background=[str(files / "o.ttl.gz")],
        graphs={"urn:names": [str(files / "names.ttl")]},
        rules=[str(files / "near.pl")],
    )
    rmtree(files)
    (row,) = answers.collect()
    assert (row.x.value, row.n.value) == ("urn:a", (files / "names.ttl").as_uri())


def test_engines_share_what_never_changes(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    load = worker_background._load

    def counted(*words: Any) -> Any:
        loads.append(words[1])
        return load(*words)

    monkeypatch.setattr(worker_background, "_load", counted)
    program = shipped(files, "SELECT ?x { ?x <urn:high> ?b }", rules=False)
    rmtree(files)
    with open_engine(program) as (first, _), open_engine(program) as (second, _):
        assert module_of(first) == module_of(second)
    with open_engine(program) as (third, _):
        assert len(loads) == 1
        other = Program(program.queries, EngineOptions(entailment="none"), program.shipment)
        with open_engine(other) as (fourth, _):
            assert module_of(fourth) != module_of(third)
            assert found(fourth, "<urn:up>") == []
        assert found(third, "<urn:up>") == ["urn:a"]
    with open_engine(shipped_as(program, "another")) as (fifth, _):
        assert found(fifth, "<urn:up>") == ["urn:a"]
    assert len(loads) == 3
    assert not prolog.holds("system", "current_module", loads[0])


def shipped_as(program: Program, digest: str) -> Program:
    """The same with another name: what nobody uses is forgotten when it comes."""
    assert program.shipment is not None
    return replace(program, shipment=replace(program.shipment, digest=digest))


def test_rules_are_each_engines_own(files: Path) -> None:
    program = shipped(files, QUERY)
    with open_engine(program) as (first, _), open_engine(program) as (second, _):
        assert module_of(first) != module_of(second)


def test_messages_name_the_files_of_the_driver(files: Path) -> None:
    (files / "names.ttl").write_text("<urn:a> <urn:name>")
    with pytest.raises(DataError, match="EP422") as caught:
        shipped(files, QUERY)
    assert caught.value.place is not None
    assert caught.value.place.source == str(files / "names.ttl")
    (files / "names.ttl").write_text("")
    (files / "near.pl").write_text("near( .\n")
    with pytest.raises(DataError, match="EP442") as caught, open_engine(shipped(files, QUERY)):
        pass
    assert caught.value.place is not None
    assert caught.value.place.source == str(files / "near.pl")
    with pytest.raises(DataError, match="EP421"):
        pack([str(files / "none.ttl")], {}, [])


@pytest.mark.spark
def test_what_goes_wrong_is_told_as_before(spark: SparkSession, files: Path) -> None:
    events = spark.createDataFrame([(1, "<urn:a>", "<urn:up>", "<urn:b>")], COLUMNS)
    answers = detect(
        events, "SELECT ?x { ?x <urn:up> ?b FILTER (prolog:fails(?x)) }", rules=[str(files / "near.pl")]
    )
    with pytest.raises(RunTimeError, match="fails/1"), project_errors():
        answers.collect()


def module_of(engine: ColumnEngine) -> str | None:
    return engine.knowledge.module


def found(engine: ColumnEngine, predicate: str) -> list[str]:
    engine.send_batch({"start": [1], "s": ["<urn:a>"], "p": [predicate], "o": ["<urn:b>"]})
    engine.finish()
    return engine.answers().values
