"""The files and the picture of a run."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from etalis_py.demos.tsunami.clean import clean
from etalis_py.demos.tsunami.dart import read_recording
from etalis_py.demos.tsunami.detection import Detection
from etalis_py.demos.tsunami.outputs import ALERT_COLUMNS, towns_of, write_files
from etalis_py.demos.tsunami.pipeline import Buoy, Run
from etalis_py.demos.tsunami.plot import draw, window_of, write_plot
from etalis_py.demos.tsunami.simulate import simulate
from etalis_py.demos.tsunami.stations import bundled_stations
from etalis_py.demos.tsunami.stream import readings_table
from etalis_py.demos.tsunami.towns import Town


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, detect_by_hand: Callable[..., Detection]) -> Run:
    stations = bundled_stations()
    paths = simulate(tmp_path_factory.mktemp("simulated"), 1)
    readings = [clean([read_recording(path)]) for path in paths]
    buoys = [Buoy(one.buoy, stations[one.buoy], len(one), 0, len(one), simulated=True) for one in readings]
    return Run(buoys, readings_table(readings), detect_by_hand(readings, stations, 0.03), 0.03)


def near_towns(latitude: float, longitude: float) -> list[Town]:
    return [Town("Aomori", "JP", 700.4), Town('Zürich, "old"', "CH", 1999.0)]


def test_alerts_csv(run: Run, tmp_path: Path) -> None:
    write_files(run, towns_of(run, near_towns), tmp_path)
    with (tmp_path / "alerts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == ALERT_COLUMNS
    assert len(rows) == len(run.detection.alerts) == 5
    assert [row["raised"] for row in rows] == sorted(row["raised"] for row in rows)
    assert rows[0]["buoy"] == "21418"
    assert rows[0]["first"] < rows[0]["raised"]
    assert abs(float(rows[0]["difference_m"])) > 0.03
    assert rows[0]["towns"] == 'Aomori (JP, 700 km); Zürich, "old" (CH, 1,999 km)'
    assert {row["simulated"] for row in rows} == {"true"}


def test_warnings_csv(run: Run, tmp_path: Path) -> None:
    write_files(run, {}, tmp_path)
    with (tmp_path / "warnings.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["ocean"] == "Pacific Ocean"
    assert rows[0]["first_buoy"] == "21418"
    assert len(rows) == 10  # all pairs of five buoys


def test_readings_parquet(run: Run, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    write_files(run, {}, tmp_path)
    table = pq.read_table(tmp_path / "readings.parquet")
    assert table.num_rows == run.readings.num_rows
    assert table.schema.metadata[b"simulated"] == b"true"
    assert table["difference"].null_count == table["above"].null_count > 0
    judged = [row for row in table.to_pylist() if row["difference"] is not None]
    assert all(row["above"] == (abs(row["difference"]) > 0.03) for row in judged)
    assert all(abs(row["height"] - row["predicted"] - row["difference"]) < 1e-9 for row in judged)


def test_a_buoy_without_a_place_alerts_without_towns(run: Run, tmp_path: Path) -> None:
    lost = replace(run, buoys=[replace(buoy, station=None) for buoy in run.buoys])
    assert towns_of(lost, near_towns) == {}
    write_files(lost, {}, tmp_path)
    assert "21418,,,," in (tmp_path / "alerts.csv").read_text()
    write_plot(lost, tmp_path / "tsunami.png")


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_picture_has_a_panel_a_buoy(run: Run, tmp_path: Path, count: int) -> None:
    some = replace(run, buoys=run.buoys[:count])
    figure = draw(some)
    assert len(figure.axes) == 2 * count
    assert "Simulated" in figure.texts[0].get_text()
    limits = {axes.get_xlim() for axes in figure.axes}
    assert len(limits) == 1
    assert write_plot(some, tmp_path / "tsunami.png").read_bytes().startswith(b"\x89PNG")


def test_texts_of_a_picture_do_not_overlap(run: Run) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = draw(run)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    boxes = [text.get_window_extent(renderer) for text in figure.texts]
    for axes in figure.axes:
        texts = [axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]  # type: ignore[attr-defined]
        boxes += [text.get_window_extent(renderer) for text in texts if text.get_text()]
    boxes.append(figure.legends[0].get_window_extent(renderer))
    for index, box in enumerate(boxes):
        assert figure.bbox.contains(box.x0, box.y0)
        assert figure.bbox.contains(box.x1, box.y1)
        assert not any(box.overlaps(other) for other in boxes[:index])


def test_a_quiet_run_is_shown_whole(run: Run) -> None:
    quiet = replace(run, detection=Detection(difference=run.detection.difference))
    seconds = run.readings["second"].to_numpy()
    assert window_of(quiet) == (seconds.min(), seconds.max())
    assert "quiet" in draw(quiet).texts[0].get_text()


def test_nothing_to_show_is_shown(run: Run) -> None:
    nothing = replace(run, readings=run.readings.slice(0, 0), detection=Detection())
    figure = draw(nothing)
    assert figure.texts[0].get_text() == "Simulated: no reading could be judged"
    assert figure.axes[0].get_xlim()[0] < figure.axes[0].get_xlim()[1]


def test_a_buoy_with_no_readings_then_has_a_time_of_its_own(run: Run) -> None:
    import pyarrow.compute as pc

    table = run.readings
    a_year_later = pc.if_else(pc.equal(table["buoy"], "41421"), 31_536_000, 0)
    moved = table.set_column(1, "second", pc.add(table["second"], a_year_later))
    figure = draw(replace(run, readings=moved))
    limits = [axes.get_xlim() for axes in figure.axes]
    assert len(set(limits)) == 2
    assert limits[-1] != limits[0]
