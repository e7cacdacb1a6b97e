"""Faults in a real Spark: each surfaces as an error of the project, and leaves nothing half-written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.spark_udfs import detect, project_errors
from tests.spark.cluster.page import block
from tests.spark.faults.conftest import SmallDisk

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

COLUMNS = "start long, s string, p string, o string"
ALL = "SELECT * { ?x <urn:p> ?y }"
PYTHON = "spark.sql.execution.pyspark.python"
POISON = "SELECT * {\n  ?x <urn:p> ?y FILTER(prolog:boom(?y)) }"
RULES = "boom('urn:30') :- !, throw(too_hot).\nboom(_).\n"
BARE = """\
import runpy, sys
sys.path += {zips!r}
sys.argv = ["daemon", *sys.argv[3:]]
runpy.run_module("pyspark.daemon", run_name="__main__")
"""


@pytest.fixture
def events(spark: SparkSession) -> DataFrame:
    rows = [(i, f"<urn:{i % 7}>", "<urn:p>", f"<urn:{i}>") for i in range(50)]
    return spark.createDataFrame(rows, COLUMNS)


@pytest.fixture
def worker_python(spark: SparkSession, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Lets workers start by a script of one line."""

    def use(line: str) -> None:
        script = tmp_path / "python"
        script.write_text(f"#!/bin/sh\n{line}\n")
        script.chmod(0o755)
        spark.conf.set(PYTHON, str(script))

    yield use
    spark.conf.unset(PYTHON)


def failure(events: DataFrame) -> RunTimeError:
    with pytest.raises(RunTimeError) as caught:
        detect(events, ALL)  # workers are tried before there is anything to answer
    return caught.value


def test_a_poison_event_is_named(events: DataFrame, tmp_path: Path) -> None:
    (tmp_path / "r.pl").write_text(RULES)
    answers = detect(events, {"hot": POISON}, rules=[str(tmp_path / "r.pl")])
    with pytest.raises(RunTimeError) as caught, project_errors():
        answers.write.parquet(str(tmp_path / "answers"))
    said = str(caught.value)
    assert said.startswith("EP301 line 2, column 23: the Prolog predicate boom/1 raises an error")
    assert "queries: hot; instant: 1970-01-01T00:00:00.00003Z; key: <urn:2>" in said
    assert results_in(tmp_path / "answers") == []


def test_an_action_as_the_page_has_it(events: DataFrame, tmp_path: Path, capsys) -> None:
    found = detect(events.selectExpr("start", "s", "p", "'x' AS o"), ALL)
    exec(block("error.code").replace('"answers"', repr(str(tmp_path / "answers"))), {"found": found})
    assert capsys.readouterr().out.startswith("EP407 EP407 events: column 'o'")


def test_workers_without_prolog(events: DataFrame, worker_python, tmp_path: Path) -> None:
    (tmp_path / "libswipl.so.9").write_text("")
    worker_python(f'LD_LIBRARY_PATH={tmp_path} exec {sys.executable} "$@"')
    error = failure(events)
    assert (error.code, error.hint) == ("EP534", "run etalis doctor to see what is wrong")


def test_workers_without_the_package(events: DataFrame, worker_python, tmp_path: Path) -> None:
    import pyspark

    zips = [str(each) for each in Path(pyspark.__file__).parent.glob("python/lib/*.zip")]
    (tmp_path / "daemon.py").write_text(BARE.format(zips=zips))
    worker_python(f'exec {Path(sys.executable).resolve()} -I {tmp_path}/daemon.py "$@"')
    error = failure(events)
    assert (error.code, error.message) == ("EP613", "the workers' Python has no package etalis_py")


def test_workers_without_python(spark: SparkSession, events: DataFrame, worker_python) -> None:
    worker_python("")
    spark.conf.set(PYTHON, "./environment/bin/python")
    assert failure(events).code == "EP612"


def test_a_full_disk(spark: SparkSession, small_disk: SmallDisk, tmp_path: Path) -> None:
    small_disk(tmp_path, 64)
    rows = spark.range(20_000).selectExpr(
        "id AS start", "concat('<urn:', id, '>') AS s", "'<urn:p>' AS p", "concat('<urn:v', id, '>') AS o"
    )
    with pytest.raises(RunTimeError, match="EP615") as caught, project_errors():
        detect(rows, ALL).write.parquet(str(tmp_path / "answers"))
    assert caught.value.__cause__ is not None
    assert results_in(tmp_path / "answers") == []


def results_in(folder: Path) -> list[str]:
    """What a reader would take for results: Spark reads no file whose name begins with an underscore."""
    names = [each.name for each in folder.iterdir()] if folder.exists() else []
    return [name for name in names if not name.startswith(("_", "."))]
