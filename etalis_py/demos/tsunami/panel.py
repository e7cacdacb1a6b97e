"""One buoy's panel of the picture: heights above, difference below, one time axis."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpecFromSubplotSpec
    from numpy.typing import NDArray

    from etalis_py.demos.tsunami.stations import Station

__all__ = ["ABOVE", "BAND", "GREY", "INK", "OBSERVED", "PREDICTED", "Panel", "draw_panel"]

INK = "#1f2933"
GREY = "#66707a"
OBSERVED = "#0072B2"
PREDICTED = "#E69F00"
ABOVE = "#D55E00"
BAND = "#009E73"

GAP = 20 * 60
"""Seconds without a reading after which a line is broken."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """What is drawn for one buoy: arrays of one length in order of time, metres and seconds."""

    name: str
    station: Station | None
    second: NDArray[np.int64]
    height: NDArray[np.float64]
    predicted: NDArray[np.float64]
    difference: NDArray[np.float64]
    alerts: tuple[int, ...]
    simulated: bool
    arrivals: tuple[int, ...] = ()


def draw_panel(
    figure: Figure,
    cells: GridSpecFromSubplotSpec,
    panel: Panel,
    window: tuple[int, int],
    threshold: float,
    *,
    name_time: bool,
) -> None:
    """Draw a panel into two cells; ``window`` in seconds, ``threshold`` in metres."""
    upper = figure.add_subplot(cells[0])
    lower = figure.add_subplot(cells[1], sharex=upper)
    shown = (panel.second >= window[0]) & (panel.second <= window[1])
    second, difference = panel.second[shown], panel.difference[shown]
    _heights(upper, second, panel.height[shown], panel.predicted[shown])
    _differences(lower, second, difference, threshold)
    for end in panel.alerts:
        _mark(upper, lower, end, window, "alert", ABOVE, before=True)
    for time in panel.arrivals:
        _mark(upper, lower, time, window, "tsunami", OBSERVED, before=False)
    _titles(upper, panel, second, difference)
    _axes(figure, upper, lower, window, name_time=name_time)


def _heights(
    axes: Axes, second: NDArray[np.int64], height: NDArray[np.float64], predicted: NDArray[np.float64]
) -> None:
    middle = round(float(np.median(height)), 1) if len(height) else 0.0
    axes.plot(*_broken(second, predicted - middle), color=PREDICTED, linewidth=1.6, zorder=2)
    axes.plot(*_broken(second, height - middle), color=OBSERVED, linewidth=1.0, zorder=3)
    axes.set_ylabel(f"height, m\nover {middle:,.1f}" if len(height) else "height, m")
    if len(height):
        _room(axes, np.concatenate([height, predicted[~np.isnan(predicted)]]) - middle, least=0.05)
    else:
        axes.text(0.5, 0.5, "no readings", transform=axes.transAxes, ha="center", va="center", color=GREY)


def _differences(
    axes: Axes, second: NDArray[np.int64], difference: NDArray[np.float64], threshold: float
) -> None:
    axes.axhspan(-threshold, threshold, color=BAND, alpha=0.16, linewidth=0, zorder=1)
    for line in (-threshold, threshold):
        axes.axhline(line, color=BAND, linewidth=0.8, linestyle=(0, (5, 3)), zorder=2)
    axes.plot(*_broken(second, difference), color=INK, linewidth=0.8, zorder=3)
    above = np.abs(np.nan_to_num(difference)) > threshold
    axes.plot(_times(second[above]), difference[above], ".", color=ABOVE, markersize=3.2, zorder=4)
    judged = difference[~np.isnan(difference)]
    _room(axes, judged, least=1.7 * threshold)
    axes.set_ylabel("difference, m")
    if not len(judged):
        axes.text(
            0.5,
            0.5,
            "no reading could be judged",
            transform=axes.transAxes,
            ha="center",
            va="center",
            color=GREY,
        )


def _mark(
    upper: Axes, lower: Axes, end: int, window: tuple[int, int], what: str, color: str, *, before: bool
) -> None:
    """A line at a second, and what it is: ``before`` it where there is room."""
    if not window[0] <= end <= window[1]:
        return
    at = _times(np.array([end]))[0]
    for axes in (upper, lower):
        axes.axvline(at, color=color, linewidth=1.1, zorder=2.5)
    lower.plot(
        [at],
        [1],
        marker="v",
        color=color,
        markersize=8,
        transform=lower.get_xaxis_transform(),
        clip_on=False,
        zorder=6,
    )
    share = (end - window[0]) / (window[1] - window[0])
    after = share < 0.12 or (not before and share < 0.88)
    lower.annotate(
        f"{what}\n{datetime.fromtimestamp(end, timezone.utc):%H:%M:%S}",
        (at, 1), (6 if after else -6, -7), xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="left" if after else "right", va="top", fontsize=8.5, fontweight="bold", color=color, zorder=6,
        bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1},
    )  # fmt: skip


def _titles(axes: Axes, panel: Panel, second: NDArray[np.int64], difference: NDArray[np.float64]) -> None:
    axes.set_title(f"Buoy {panel.name}", loc="left", fontsize=11.5, fontweight="bold", color=INK, pad=18)
    parts = ["simulated"] if panel.simulated else []
    parts += (
        ["place not known"] if panel.station is None else [panel.station.label, panel.station.ocean_label]
    )
    judged = np.flatnonzero(~np.isnan(difference))
    if len(judged):
        largest = judged[np.argmax(np.abs(difference[judged]))]
        time = datetime.fromtimestamp(int(second[largest]), timezone.utc)
        value = f"{difference[largest]:+.3f}".replace("-", "\N{MINUS SIGN}")
        parts.append(f"largest difference {value} m, {time.day} {time:%B %H:%M:%S}")
    axes.annotate(
        "  ·  ".join(part for part in parts if part), (0, 1), (0, 6), xycoords="axes fraction",
        textcoords="offset points", fontsize=8.5, color=GREY,
    )  # fmt: skip


def _axes(figure: Figure, upper: Axes, lower: Axes, window: tuple[int, int], *, name_time: bool) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.transforms import ScaledTranslation

    locator = AutoDateLocator(tz=timezone.utc, minticks=5, maxticks=13)  # type: ignore[no-untyped-call]
    lower.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, tz=timezone.utc, show_offset=False)  # type: ignore[no-untyped-call]
    lower.xaxis.set_major_formatter(formatter)
    lower.set_xlim(*_times(np.array(window)))
    upper.tick_params(labelbottom=False)
    if name_time:
        begin = datetime.fromtimestamp(window[0], timezone.utc)
        lower.set_xlabel(f"UTC, from {begin.day} {begin:%B %Y}", color=GREY)
    for axes in (upper, lower):
        axes.grid(True, color="#e4e7eb", linewidth=0.6, zorder=0)
        axes.tick_params(colors=GREY, labelcolor=INK, length=3)
        axes.yaxis.label.set_color(INK)
        axes.spines[["top", "right"]].set_visible(False)
        left_of_numbers = axes.transAxes + ScaledTranslation(-0.56, 0, figure.dpi_scale_trans)  # inches
        axes.yaxis.set_label_coords(0, 0.5, transform=left_of_numbers)


def _room(axes: Axes, values: NDArray[np.float64], least: float) -> None:
    """Limits around the values with a margin, and never narrower than ``least`` to either side of zero."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    margin = 0.08 * (high - low)
    axes.set_ylim(min(low - margin, -least), max(high + margin, least))


def _broken(second: NDArray[np.int64], values: NDArray[np.float64]) -> tuple[Any, NDArray[np.float64]]:
    """Times and values of a line, with a missing value in each gap between readings."""
    after = np.flatnonzero(np.diff(second) > GAP) + 1
    return _times(np.insert(second, after, second[after - 1] + 1)), np.insert(values, after, np.nan)


def _times(second: NDArray[np.int64]) -> Any:
    return second.astype("datetime64[s]")
