"""The driver of a small cluster, in a process of its own: runs jobs by name and writes what came of each.

``python driver.py FOLDER JOB...``, in a folder with the archive; the workers have that, and no SWI-Prolog
besides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from etalis_py.core.errors import EtalisError
from etalis_py.spark_udfs import detect, project_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = "start long, s string, p string, o string"
RISE = "SELECT ?x ?b { { ?x <urn:low> ?a } SEQ { ?x <urn:high> ?b } }"
THINGS = 40


def events(spark: SparkSession) -> Any:
    rows = [
        (2 * thing + step, f"<urn:{thing}>", f"<urn:{name}>", f"<urn:v{thing}>")
        for thing in range(THINGS)
        for step, name in enumerate(("low", "up"))
    ]
    return spark.createDataFrame(rows, COLUMNS)


def answers(spark: SparkSession, folder: Path) -> Any:
    """With an ontology: what is high is only so by it."""
    found = detect(events(spark), RISE, background=[str(folder / "o.ttl")], partitions=4)
    return told(found)


def told(found: DataFrame) -> Any:
    rows = found.selectExpr("x.value", "b.value", "unix_micros(start)", "unix_micros(end)").collect()
    return sorted(list(row) for row in rows)


def places(spark: SparkSession, _folder: Path) -> Any:
    """Where the workers' Python and their libraries lie, by executor."""
    rows = spark.range(4, numPartitions=4).mapInArrow(look_around, "told string").collect()
    return [json.loads(row.told) for row in rows]


def look_around(chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import sys

    import pyarrow as pa

    from etalis_py.embedding.prolog import call

    for _ in chunks:
        maps = Path("/proc/self/maps").read_text().splitlines()
        libraries = {line.split(maxsplit=5)[5] for line in maps if ".so" in line}
        told = {
            "prefix": sys.prefix,
            "work": str(Path.cwd()),
            "home": call("system", "current_prolog_flag", "home"),
            "libraries": sorted(libraries),
            "etalis_py": sys.modules["etalis_py"].__file__,
        }
        yield pa.record_batch({"told": [json.dumps(told)]})


def killed_once(spark: SparkSession, folder: Path) -> Any:
    """A worker is killed in the middle of its part, the first time."""
    return _with_deaths(spark, folder, "once")


def executor_killed_once(spark: SparkSession, folder: Path) -> Any:
    """The Java above the worker is killed as well."""
    return _with_deaths(spark, folder, "with_executor")


def killed_always(spark: SparkSession, folder: Path) -> Any:
    """A poison event: whoever gets it dies."""
    return _with_deaths(spark, folder, "always")


def _with_deaths(spark: SparkSession, folder: Path, kind: str) -> Any:
    query = (
        f"SELECT ?x ?b {{ {{ ?x <urn:low> ?a }} SEQ {{ ?x <urn:up> ?b FILTER(prolog:dies_{kind}(?x)) }} }}"
    )
    found = detect(events(spark), query, rules=[str(folder / "deaths.pl")], partitions=4)
    return told(found)


JOBS: dict[str, Callable[[SparkSession, Path], Any]] = {
    each.__name__: each for each in (answers, places, killed_once, executor_killed_once, killed_always)
}


def main(folder: Path, names: list[str]) -> None:
    sys.path.append(str(Path(__file__).resolve().parents[3]))  # by PYTHONPATH, workers would have it as well
    from tests.spark.cluster.page import block

    page: dict[str, Any] = {}
    exec(block("spark.archives"), page)  # the session is made as docs/spark-cluster.md says
    spark: SparkSession = page["spark"]
    try:
        for name in names:
            done: dict[str, Any]
            try:
                with project_errors():
                    done = {"value": JOBS[name](spark, folder)}
            except EtalisError as error:
                done = {"code": error.code, "text": str(error)}
            (folder / f"{name}.json").write_text(json.dumps(done))
    finally:
        spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
