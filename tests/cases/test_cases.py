"""Small streams whose answers were worked out by hand: a folder each, drawn and explained in ``about.md``.

A folder holds ``query*.rq``, ``stream.csv``, perhaps a background (``.ttl`` or ``.trig``), and
``expected.ndjson``: what ``etalis run query*.rq --stream stream.csv --results ndjson`` prints, on Spark too.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.mark.structures import ParameterSet

from etalis_py.cli import main
from etalis_py.engine.engine import Engine
from etalis_py.results import open_writer
from etalis_py.streams import open_streams

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = sorted(file.parent for file in Path(__file__).parent.glob("*/about.md"))

PLAIN = [case for case in CASES if not case.name.startswith(("streams-", "events-", "elements-"))]
"""Spark does not take the columns of streams and elements yet."""


def on_spark() -> Iterator[ParameterSet]:
    """Of the cases about one thing, the first word of their names, the first; others are long tests there."""
    seen = set[str]()
    for case in PLAIN:
        about = case.name.partition("-")[0]
        yield pytest.param(case, id=case.name, marks=pytest.mark.long if about in seen else ())
        seen |= {about} - {"paper"}


def backgrounds(case: Path) -> list[str]:
    """The files with what is known besides."""
    return list(map(str, case.glob("background.*")))


def run_locally(case: Path) -> str:
    """The answers as NDJSON."""
    with Engine(backgrounds(case)) as engine:
        for file in sorted(case.glob("query*.rq")):
            engine.register(file.read_text(encoding="utf-8"), name=file.stem, source=str(file))
        for batch in open_streams([str(case / "stream.csv")]):
            engine.send_encoded(batch)
        engine.finish()
        output = io.BytesIO()
        with open_writer("ndjson", output) as writer:
            writer.write_all(engine.matches())
    return output.getvalue().decode("utf-8")


def run_on_spark(case: Path, output: Path) -> str:
    """The answers as NDJSON, on the Spark session that is there."""
    words = ["run", *map(str, sorted(case.glob("query*.rq"))), "--stream", str(case / "stream.csv")]
    words += [word for file in backgrounds(case) for word in ("--background", file)]
    assert main([*words, "--engine", "spark", "--results", "ndjson", "--output", str(output)]) == 0
    return output.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path) -> None:
    expected = (case / "expected.ndjson").read_text(encoding="utf-8")
    assert _without_labels(run_locally(case)) == _without_labels(expected)


@pytest.mark.spark
@pytest.mark.parametrize("case", on_spark())
def test_case_on_spark(case: Path, tmp_path: Path, spark: SparkSession) -> None:
    expected = (case / "expected.ndjson").read_text(encoding="utf-8")
    found = run_on_spark(case, tmp_path / "found.ndjson")
    assert _without_labels(found) == _without_labels(expected)


def _without_labels(lines: str) -> list[str]:
    """What a new blank node is called means nothing."""
    return re.sub(r'("type": "bnode", "value": )"\w+"', r'\1"b"', lines).splitlines()
