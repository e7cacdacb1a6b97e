"""Draw what a re-routing costs (see ``measure``), and write the figures beside the picture."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from etalis_py.demos.delivery.measure import Cost, Costs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from etalis_py.demos.delivery.network import Network

__all__ = ["write_cost"]

COLUMNS = (
    "measured", "agents", "stops", "re_routings", "mean_ms", "p95_ms", "longest_ms", "above_5_ms", "stream_s",
    "memory_mb",
)  # fmt: skip
PAPER = (94.0, 1_295.0)
"""Milliseconds of a re-routing step in Anicic et al. (2011), figure 3."""
TARGET = 5.0
"""Milliseconds."""

_COLOURS = MappingProxyType({1: "#1b6ca8", 10: "#d1495b"})


def write_cost(costs: Costs, network: Network, folder: Path) -> list[Path]:
    """Write ``cost.csv`` and, if a new route was found, ``cost.png`` into the folder; return their paths."""
    table, picture = folder / "cost.csv", folder / "cost.png"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        rows = [("stops", cost) for cost in costs.by_stops] + [("agents", cost) for cost in costs.growth]
        for kind, cost in rows:
            above = sum(step > TARGET for step in cost.steps)
            times = [cost.mean, cost.quantile(0.95), max(cost.steps)]
            found = [*(f"{time:.2f}" for time in times), above, f"{cost.seconds:.2f}", f"{cost.memory:.1f}"]
            writer.writerow([kind, cost.agents, cost.stops, len(cost.steps), *found])
    picture.unlink(missing_ok=True)
    if not rows:
        return [table]
    _draw(costs, network, picture)
    return [table, picture]


def _draw(costs: Costs, network: Network, path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(13, 4.4), layout=ConstrainedLayoutEngine(w_pad=0.12))
    FigureCanvasAgg(figure)
    time, memory, growth = figure.subplots(1, 3)
    figure.suptitle(
        f"A re-routing on {len(network.junctions):,} junctions and {len(network.segments):,} segments: "
        "from the agent's question to the new way",
        fontsize=11,
    )
    _draw_time(time, costs.by_stops)
    _draw_memory(memory, costs.by_stops)
    _draw_growth(growth, costs.growth)
    for axes in (time, memory, growth):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


def _by_stops(costs: Sequence[Cost], agents: int) -> list[Cost]:
    return sorted((cost for cost in costs if cost.agents == agents), key=lambda cost: cost.stops)


def _label(agents: int) -> str:
    return "1 agent" if agents == 1 else f"{agents} agents"


def _stops_axis(axes: Axes, costs: Sequence[Cost]) -> None:
    stops = sorted({cost.stops for cost in costs if cost.agents in _COLOURS})
    axes.set_xlabel("stops of each agent")
    if stops and stops[-1] > 50:
        axes.set_xscale("log")
        stops = [stop for stop in stops if stop != 15]
    axes.set_xticks(stops, [f"{stop:,}" for stop in stops])
    axes.minorticks_off()


def _draw_time(axes: Axes, costs: Sequence[Cost]) -> None:
    for agents, colour in _COLOURS.items():
        found = _by_stops(costs, agents)
        stops = [cost.stops for cost in found]
        axes.plot(stops, [cost.mean for cost in found], "o-", color=colour, label=f"{_label(agents)}: mean")
        axes.plot(
            stops, [cost.quantile(0.95) for cost in found], ":", color=colour, label="19 of 20 are below"
        )
    axes.set_yscale("log")
    axes.set_ylim(0.3, 3_000)
    across = axes.get_yaxis_transform()
    axes.axhspan(*PAPER, color="0.9", zorder=0)
    text = "Anicic et al. (2011), figure 3:\n94 to 1,295 ms on the machines of their day"
    axes.text(0.03, 350, text, transform=across, va="center", fontsize=8, color="0.3")
    axes.axhline(TARGET, color="0.4", lw=0.8, ls="--")
    axes.text(0.03, TARGET * 1.12, "5 ms", transform=across, fontsize=8, color="0.3")
    _stops_axis(axes, costs)
    axes.set_ylabel("time of a re-routing, ms")
    axes.set_yticks([1, 10, 100, 1_000], ["1", "10", "100", "1,000"])
    axes.legend(fontsize=8, loc="center right", frameon=False, bbox_to_anchor=(1.0, 0.5))


def _draw_memory(axes: Axes, costs: Sequence[Cost]) -> None:
    for agents, colour in _COLOURS.items():
        found = _by_stops(costs, agents)
        axes.plot(
            [cost.stops for cost in found],
            [cost.memory for cost in found],
            "o-",
            color=colour,
            label=_label(agents),
        )
    _stops_axis(axes, costs)
    axes.set_ylim(0, 1.25 * max((cost.memory for cost in costs), default=1))
    axes.set_ylabel("memory of the engine after a re-routing, MB")
    axes.legend(fontsize=8, frameon=False, loc="lower right")


def _draw_growth(axes: Axes, costs: Sequence[Cost]) -> None:
    """The whole stream, by the number of agents in the same traffic, and the straight line that fits best."""
    import numpy as np

    agents = [cost.agents for cost in costs]
    seconds = [cost.seconds for cost in costs]
    axes.plot(agents, seconds, "o", color="#2a7f62", label="measured")
    if len(costs) > 1:
        slope, begin = np.polyfit(agents, seconds, 1)
        ends = np.array([0, agents[-1]])
        axes.plot(ends, begin + slope * ends, "-", color="0.6", lw=1, zorder=1, label="straight line")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"agents with {costs[0].stops if costs else 0} stops each, in the same traffic")
    axes.set_ylabel("time for the whole stream, s")
    axes.legend(fontsize=8, frameon=False, loc="upper left")
