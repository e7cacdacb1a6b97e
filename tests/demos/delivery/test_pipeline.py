"""The whole pipeline: what the queries find is what the simulation did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from etalis_py.core.errors import QuerySyntaxError
from etalis_py.demos.delivery.city import make_city
from etalis_py.demos.delivery.engines import load_program, run_local
from etalis_py.demos.delivery.names import HERE, QUERIES, RULES
from etalis_py.demos.delivery.network import Network
from etalis_py.demos.delivery.outcome import collect
from etalis_py.demos.delivery.pipeline import Run, run_pipeline
from etalis_py.demos.delivery.tours import make_tours

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTES = 60_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def run(city: Network, folder: Path) -> Run:
    return run_pipeline(city, make_tours(city, 10, 20, 1), closed=0.5, seed=1, folder=folder)


def test_each_agent_is_told_the_way_it_drives(run: Run) -> None:
    check_answers(run)
    assert run.outcome.reroutes
    assert run.outcome.cut_off


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "agents", "stops", "closed"),
    [(3, 1, 1, 1.0), (4, 30, 5, 1.0), (5, 3, 40, 0.0), (6, 20, 20, 0.8)],
)
def test_other_days(tmp_path: Path, seed: int, agents: int, stops: int, closed: float) -> None:
    city = make_city(seed)
    tours = make_tours(city, agents, stops, seed)
    check_answers(run_pipeline(city, tours, closed=closed, seed=seed, folder=tmp_path))


def check_answers(run: Run) -> None:
    asked = [(time, trip.leg.name, here, way) for trip in run.day.trips for time, here, way in trip.asked]
    found = run.outcome
    assert found.kept == sorted((time, leg) for time, leg, _, way in asked if way == ())
    assert [(one.time, one.leg, one.here, one.way) for one in found.reroutes] == sorted(
        (time, leg, here, way) for time, leg, here, way in asked if way
    )
    assert [(one.time, one.leg, one.here) for one in found.cut_off] == sorted(
        (time, leg, here) for time, leg, here, way in asked if way is None
    )


def test_late_is_who_took_longer_than_promised(run: Run) -> None:
    expected = [
        (trip.reached, trip.leg.agent, trip.leg.name, trip.leg.promised, trip.reached - trip.left)
        for trip in run.day.trips
        if trip.leg.promised < trip.reached - trip.left < 360 * MINUTES
    ]
    found = [(one.time, one.agent, one.leg, one.promised, one.taken) for one in run.outcome.late]
    assert found == sorted(expected)
    assert found


def test_boroughs_are_warned_of_neighbours(run: Run) -> None:
    network = run.network
    ends = {name: {one.start, one.end} for name, one in network.segments.items()}
    expected = {
        (later.begin, network.districts[network.segments[later.segment].district], later.segment)
        for later in run.day.closures
        for before in run.day.closures
        if 0 < later.begin - before.begin < 10 * MINUTES
        and later.segment != before.segment
        and ends[later.segment] & ends[before.segment]
    }
    assert [(one.time, one.borough, one.segment) for one in run.outcome.warned] == sorted(expected)
    assert len(expected) > 10


def test_the_files_of_a_run_can_be_run_again(run: Run, folder: Path) -> None:
    program = load_program([folder / "roads.ttl", folder / "tours.ttl"])
    assert collect(run_local(program, pq.read_table(folder / "stream.parquet"))) == run.outcome


def test_with_etalis_run(run: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from etalis_py.cli import main

    words = [
        "run",
        *(str(HERE / f"{name}.rq") for name in QUERIES),
        "--stream",
        str(folder / "stream.parquet"),
    ]
    words += ["--background", str(HERE / "city.ttl"), str(folder / "roads.ttl"), str(folder / "tours.ttl")]
    assert main([*words, "--rules", *(str(HERE / name) for name in RULES), "--results", "ndjson"]) == 0
    printed = capsys.readouterr().out
    assert printed.count('"query": "late"') == len(run.outcome.late)
    assert printed.count('"query": "keep"') == len(run.outcome.kept)


def test_queries_and_rules_that_were_changed_are_run(roads: Callable[..., Network], tmp_path: Path) -> None:
    network = roads([("a", "b", 100), ("b", "c", 100), ("a", "c", 100)])
    tours = make_tours(network, 1, 3, 1)
    first = run_pipeline(network, tours, closed=0.5, seed=1, folder=tmp_path)
    assert first.changed == ()
    keep = tmp_path / "program" / "keep.rq"
    keep.write_text(keep.read_text().replace("FILTER (!", "FILTER (false && !"))
    second = run_pipeline(network, tours, closed=0.5, seed=1, folder=tmp_path)
    assert second.changed == ("keep.rq",)
    assert first.outcome.kept
    assert not second.outcome.kept
    keep.write_text("SELECT ?x\n")
    with pytest.raises(QuerySyntaxError, match=r"program/keep\.rq, line"):
        run_pipeline(network, tours, closed=0.5, seed=1, folder=tmp_path)


@pytest.mark.spark
def test_spark_finds_the_same(run: Run, folder: Path, spark: SparkSession, tmp_path: Path) -> None:
    found = run_pipeline(run.network, run.tours, closed=0.5, seed=1, folder=tmp_path, engine="spark")
    assert spark.getActiveSession() is spark
    assert found.outcome == run.outcome
