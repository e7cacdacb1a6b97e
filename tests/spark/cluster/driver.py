"""The driver of a small cluster, in a process of its own: runs jobs by name and writes what came of each.

``python driver.py ARCHIVE FOLDER JOB...``; the workers have the archive, and no SWI-Prolog besides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from etalis_py.errors import EtalisError
from etalis_py.spark_udfs import detect, project_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

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

    from etalis_py.prolog import call

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


def main(archive: str, folder: Path, names: list[str]) -> None:
    settings = {
        "spark.archives": f"{archive}#environment",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2,1,2048]").appName("etalis_py cluster")
    spark = builder.config(map=settings).getOrCreate()
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
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
