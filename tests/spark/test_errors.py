"""Errors on their way from a worker to the driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from etalis_py.core.errors import Place, RunTimeError, UsageError
from etalis_py.core.explanations import MESSAGES
from etalis_py.spark_udfs import detect, project_errors
from etalis_py.spark_udfs.execution.failures import TaskError, from_text, to_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DIE = "die(_) :- current_prolog_flag(pid, P), format(atom(C), 'kill -9 ~w', [P]), shell(C).\n"


@pytest.mark.spark
def test_a_worker_that_is_killed(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "die.pl").write_text(DIE)
    row = (1, "<urn:a>", "<urn:p>", "<urn:b>")
    events = spark.createDataFrame([row], "start long, s string, p string, o string")
    query = "SELECT * { ?x <urn:p> ?y FILTER(prolog:die(?x)) }"
    with pytest.raises(RunTimeError) as caught, project_errors():
        detect(events, query, rules=[str(tmp_path / "die.pl")]).count()
    assert f"{caught.value}\n" == (MESSAGES / "EP614.txt").read_text()


def test_an_error_comes_home_as_it_was() -> None:
    place = Place("a\u2028b.rq", line=2, column=3, excerpt='    "é"\n    ^')
    error = UsageError("EP505", 'two\nlines, "quotes" and \U0001f600', place=place, hint="a hint")
    found = from_text(to_text(error))
    assert (type(found), str(found), found.place, found.code) == (UsageError, str(error), place, "EP505")
    with pytest.raises(UsageError, match="two\nlines") as caught, project_errors():
        raise RuntimeError(f"Spark says\n  {TaskError(error)}\n\tat java.lang.Thread.run(Thread.java:840)")
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_errors_of_others_pass() -> None:
    with pytest.raises(ZeroDivisionError), project_errors():
        raise ZeroDivisionError
