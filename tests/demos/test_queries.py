"""The queries, run by the engine: on the real recordings, and against plain loops on made-up readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import read_recording
from etalis_py.demos.tsunami.detection import Alert, BasinWarning, Detection, collect
from etalis_py.demos.tsunami.engines import detect_local, load_queries
from etalis_py.demos.tsunami.names import HERE, NAMESPACE, buoy_iri
from etalis_py.demos.tsunami.outputs import iso
from etalis_py.demos.tsunami.pipeline import Run, run_pipeline
from etalis_py.demos.tsunami.simulate import simulate
from etalis_py.demos.tsunami.stations import Station, bundled_stations, to_turtle
from tests.effort import tries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

QUERIES = load_queries()
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def detect(paths: Sequence[Path], folder: Path, stations: dict[str, Station] | None = None) -> Run:
    return run_pipeline(paths, stations or bundled_stations(), threshold=0.03, folder=folder)


@pytest.mark.parametrize(
    ("file", "usable", "judged", "above", "first", "first_difference", "largest_at", "largest"),
    [
        ("21418.txt", 2773, 2748, 838, "2011-03-11T05:48:45Z", 0.0347, "2011-03-11T06:19:00Z", 1.576),
        ("21413.txt", 2314, 2297, 496, "2011-03-11T05:53:00Z", 0.0484, "2011-03-11T07:19:00Z", -0.665),
        ("41421.dart", 4321, 4282, 0, None, None, "2018-06-26T06:15:00Z", -0.008),
    ],
)
def test_known_results(
    shared_data: Path, tmp_path: Path, file: str, usable: int, judged: int, above: int, first: str | None,
    first_difference: float | None, largest_at: str, largest: float,
) -> None:  # fmt: skip
    run = detect([shared_data / "dart" / file], tmp_path)
    buoy = run.buoys[0]
    found = run.detection
    assert (buoy.usable, found.judged(buoy.name), len(found.above)) == (usable, judged, above)
    if first is not None:
        begin = min(found.above)
        assert (iso(begin[1]), round(found.difference[begin], 4)) == (first, first_difference)
    biggest = found.largest(buoy.name)
    assert biggest is not None
    assert (iso(biggest[0]), round(biggest[1], 3)) == (largest_at, largest)


def test_one_alert_a_buoy_and_a_basin_warning(shared_data: Path, tmp_path: Path) -> None:
    found = detect([shared_data / "dart" / name for name in ("21418.txt", "21413.txt")], tmp_path).detection
    assert [(iso(alert.start), iso(alert.end), alert.buoy) for alert in found.alerts] == [
        ("2011-03-11T05:48:45Z", "2011-03-11T05:49:15Z", "21418"),
        ("2011-03-11T05:53:00Z", "2011-03-11T05:56:00Z", "21413"),
    ]
    assert [(iso(one.time), one.ocean, one.first, one.second) for one in found.warnings] == [
        ("2011-03-11T05:56:00Z", "PacificOcean", "21418", "21413")
    ]
    # both alerts are of the seismic wave; crests are at 06:19 and, the first at 21413, shortly after 07:05
    assert [(iso(one.time), one.buoy) for one in found.arrivals] == [
        ("2011-03-11T06:17:00Z", "21418"),
        ("2011-03-11T07:05:00Z", "21413"),
    ]


def test_a_simulated_recording_against_plain_loops(
    tmp_path: Path, detect_by_hand: Callable[..., Detection]
) -> None:
    paths = simulate(tmp_path, 4)
    found = detect(paths, tmp_path).detection
    readings = [clean([read_recording(path)]) for path in paths]
    expected = detect_by_hand(readings, bundled_stations(), 0.03)
    assert found.difference == pytest.approx(expected.difference, abs=1e-14)
    assert (found.above, found.alerts) == (expected.above, expected.alerts)
    assert set(found.warnings) == set(expected.warnings)
    assert [(each.time, each.buoy) for each in found.arrivals] == [
        (each.time, each.buoy) for each in expected.arrivals
    ]
    assert len(found.arrivals) == len(found.alerts) == 5
    assert len(found.warnings) == 10


def test_a_buoy_without_a_place_alerts_and_warns_no_basin(tmp_path: Path) -> None:
    paths = simulate(tmp_path, 1)[:2]
    stations = {"21418": bundled_stations()["21418"]}
    found = detect(paths, tmp_path, stations).detection
    assert [alert.buoy for alert in found.alerts] == ["21418", "21413"]
    assert found.warnings == []


def run_queries(
    names: Sequence[str], rows: Sequence[tuple[int, int, str, str, int]], background: Sequence[Path] = ()
) -> Detection:
    """Run some queries on triples (start and end in seconds, buoy, property, integer) in any order."""
    rows = sorted(rows, key=lambda row: row[1])
    table: dict[str, list[Any]] = {
        "start": [row[0] * 1_000_000 for row in rows],
        "end": [row[1] * 1_000_000 for row in rows],
        "s": [f"<{buoy_iri(row[2])}>" for row in rows],
        "p": [f"<{NAMESPACE}{row[3]}>" for row in rows],
        "o": [f'"{row[4]}"^^<{INTEGER}>' for row in rows],
    }
    return collect(detect_local([table], {name: QUERIES[name] for name in names}, background))


def raise_alerts(above: Sequence[int]) -> list[Alert]:
    return run_queries(["alert", "standing"], [(t, t, "21418", "above", t) for t in above]).alerts


HOUR = 3600


@pytest.mark.parametrize(
    ("above", "ends"),
    [
        # x . x . x                    three within five minutes
        ([0, 60, 120], [120]),
        # x . . . x . . . x            five minutes are too long, a second less is not
        ([0, 60, 300], []),
        ([0, 60, 299], [299]),
        # x x x x x x x                more of them change nothing
        ([0, 15, 30, 45, 60, 75], [30]),
        # x ........ x x               a lone one before does not count, nor does it silence
        ([0, 5000, 5060], []),
        ([0, 5000, 5060, 5120], [5120]),
        # xxx ....... xxx              again within twelve hours: the alert still stands
        ([0, 15, 30, 12 * HOUR, 12 * HOUR + 15, 12 * HOUR + 30], [30]),
        # xxx ...... x ...... xxx      a lone one makes it stand longer
        ([0, 15, 30, 8 * HOUR, 16 * HOUR, 16 * HOUR + 15, 16 * HOUR + 30], [30]),
        # xxx .............. xxx       twelve hours of rest: a new alert
        ([0, 15, 30, 13 * HOUR, 13 * HOUR + 15, 13 * HOUR + 30], [30, 13 * HOUR + 30]),
        ([0, 15, 30, 30 + 12 * HOUR, 45 + 12 * HOUR, 60 + 12 * HOUR], [30, 60 + 12 * HOUR]),
    ],
)
def test_when_an_alert_is_raised(above: list[int], ends: list[int]) -> None:
    assert [alert.end for alert in raise_alerts(above)] == ends


@pytest.mark.random
@settings(max_examples=tries(30))
@given(
    st.lists(
        st.tuples(
            st.integers(0, 6).map(lambda n: n * 4 * HOUR), st.integers(0, 30).map(lambda n: n * 30)
        ).map(sum),
        unique=True,
        max_size=24,
    )
)
def test_alerts_are_those_of_a_plain_loop(above: list[int]) -> None:
    found = [(alert.start, alert.end) for alert in raise_alerts(above)]
    standing: int | None = None
    expected = []
    for index, third in enumerate(sorted(above)):
        if standing is not None and third - standing < 12 * HOUR:
            standing = third
        elif index >= 2 and third - sorted(above)[index - 2] < 300:
            expected.append((sorted(above)[index - 2], third))
            standing = third
    assert found == expected


@pytest.mark.parametrize(
    ("other", "start", "end", "warned"),
    [
        ("21413", 600, 700, True),  # one after the other
        ("21413", 50, 150, True),  # overlapping
        ("21413", 20, 100, True),  # raised at the same time
        ("21413", 10_000, 10_799, True),  # just within three hours
        ("21413", 10_000, 10_800, False),
        ("41421", 600, 700, False),  # another ocean
        ("21418", 600, 700, False),  # the same buoy
        ("99999", 600, 700, False),  # nobody knows where
    ],
)
def test_basin_warnings(tmp_path: Path, other: str, start: int, end: int, warned: bool) -> None:
    stations = bundled_stations()
    background = tmp_path / "background.ttl"
    background.write_text(to_turtle({name: stations.get(name) for name in ("21418", other)}, 0.03))
    rows = [(0, 100, "21418", "alert", 100), (start, end, other, "alert", end)]
    found = run_queries(["basin"], rows, [HERE / "sensors.ttl", background])
    first, second = ("21413", "21418") if end == 100 else ("21418", other)
    assert found.warnings == ([BasinWarning(end, "PacificOcean", first, second)] if warned else [])


@pytest.mark.spark
def test_spark_finds_the_same(tmp_path: Path, spark: SparkSession) -> None:
    paths = simulate(tmp_path, 1)[:3]
    local = detect(paths, tmp_path)
    on_spark = run_pipeline(paths, bundled_stations(), threshold=0.03, folder=tmp_path, engine="spark")
    assert spark.getActiveSession() is spark
    assert on_spark.readings.equals(local.readings)
    assert on_spark.detection == local.detection
