"""The table and the picture of what re-routings cost."""

from __future__ import annotations

from pathlib import Path

from etalis_py.demos.delivery.cost_plot import write_cost
from etalis_py.demos.delivery.measure import Cost, Costs
from etalis_py.demos.delivery.network import Network

ONE = Cost(agents=1, stops=10, steps=(0.5, 1.5), seconds=0.1, memory=14.0)


def test_where_no_way_is_found_anew_there_is_no_picture(city: Network, tmp_path: Path) -> None:
    (tmp_path / "cost.png").write_text("of the run before")
    assert write_cost(Costs([], []), city, tmp_path) == [tmp_path / "cost.csv"]
    assert [path.name for path in tmp_path.iterdir()] == ["cost.csv"]


def test_one_kind_of_runs_may_be_without(city: Network, tmp_path: Path) -> None:
    for costs in (Costs([], [ONE]), Costs([ONE], [])):
        table, picture = write_cost(costs, city, tmp_path)
        assert len(table.read_text().splitlines()) == 2
        assert picture.stat().st_size > 1000
