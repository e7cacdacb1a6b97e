"""``tsunami.png``: a panel a buoy, with observed and predicted height above, and their difference below.

Panels of one event share the time axis (UTC), so that the wave is seen to arrive at one buoy after the
other; a buoy that alerted at another time, or has no readings then, has a time axis of its own. Colours are
of the palette of Okabe and Ito, which colour-blind people can tell apart; alerts differ in shape as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from etalis_py.demos.tsunami.outputs import judged_readings
from etalis_py.demos.tsunami.panel import ABOVE, BAND, GREY, INK, OBSERVED, PREDICTED, Panel, draw_panel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from etalis_py.demos.tsunami.pipeline import Buoy, Run

__all__ = ["MOST_PANELS", "draw", "window_of", "write_plot"]

MOST_PANELS = 24
"""With more buoys, those without an alert are left out of the picture first."""

BEFORE, AFTER = 2 * 3_600, 9 * 3_600
"""Seconds shown before the first alert and after the last one."""

ONE_EVENT = 86_400
"""Alerts within so many seconds of the first one are shown in one picture."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Sizes in inches."""

    columns: int
    rows: int
    width: float
    height: float
    left: float = 0.95
    head: float = 1.85
    foot: float = 0.95
    right: float = 0.25

    @staticmethod
    def between(room: float, cells: int, gap: float) -> float:
        """The share of a cell that a gap of so many inches has, with so many cells in that room."""
        return gap / ((room - (cells - 1) * gap) / cells)


def write_plot(run: Run, path: Path) -> Path:
    """Draw the run into a PNG file and return its path."""
    draw(run).savefig(path, dpi=130)
    return path


def draw(run: Run) -> Figure:
    """The picture of a run."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    panels = _panels(run)
    layout = _layout(len(panels))
    window = window_of(run)
    windows = [_window_of_panel(panel, window) for panel in panels]
    with rc_context(
        {"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": GREY, "text.color": INK}
    ):
        figure = Figure(figsize=(layout.width, layout.height), facecolor="white")
        grid = figure.add_gridspec(
            layout.rows, layout.columns,
            left=layout.left / layout.width, right=1 - layout.right / layout.width,
            top=1 - layout.head / layout.height, bottom=layout.foot / layout.height,
            wspace=layout.between(layout.width - layout.left - layout.right, layout.columns, 1.2),
            hspace=layout.between(layout.height - layout.head - layout.foot, layout.rows, 1.05),
        )  # fmt: skip
        for index, panel in enumerate(panels):
            cell = grid[index // layout.columns, index % layout.columns]
            inner = cell.subgridspec(2, 1, height_ratios=(1, 1.25), hspace=0.06)
            named = len(set(windows)) > 1 or index + layout.columns >= len(panels)
            draw_panel(figure, inner, panel, windows[index], run.threshold, name_time=named)
        _head(figure, run, layout, window)
        _legend(figure, run, layout)
        _foot(figure, layout, hidden=len(run.buoys) - len(panels))
    return figure


def window_of(run: Run) -> tuple[int, int]:
    """The seconds shown: around the first event, or everything where there was no alert."""
    return _around([alert.end for alert in run.detection.alerts], run.readings["second"].to_numpy())


def _window_of_panel(panel: Panel, common: tuple[int, int]) -> tuple[int, int]:
    """The window that the panels have in common, or a panel's own where nothing of it would be seen there."""

    def seen(second: int) -> bool:
        return common[0] <= second <= common[1]

    if any(map(seen, panel.alerts)) or (not panel.alerts and any(map(seen, panel.second.tolist()))):
        return common
    return _around(panel.alerts, panel.second) if len(panel.second) else common


def _around(alerts: Sequence[int], seconds: NDArray[np.int64]) -> tuple[int, int]:
    if not alerts:
        first = int(seconds.min()) if len(seconds) else 0
        return first, max(first + 3_600, int(seconds.max(initial=0)))
    last = max(end for end in alerts if end <= alerts[0] + ONE_EVENT)
    return alerts[0] - BEFORE, last + AFTER


def _layout(panels: int) -> _Layout:
    columns = 1 if panels <= 3 else 2 if panels <= 10 else 3
    rows = max(1, -(-panels // columns))
    width = {1: 13.0, 2: 16.0, 3: 21.0}[columns]
    return _Layout(columns, rows, width, 2.6 + rows * (5.2 if rows == 1 else 4.0 if rows < 4 else 3.3))


def _panels(run: Run) -> list[Panel]:
    """The buoys to show, first alert first, then those that stayed quiet."""
    table = judged_readings(run)
    names = np.asarray(table["buoy"].to_pylist(), dtype=object)
    second = run.readings["second"].to_numpy()
    columns: dict[str, Any] = {
        name: table[name].to_numpy().astype(np.float64) for name in ("height", "predicted", "difference")
    }
    raised: dict[str, list[int]] = {}
    for alert in run.detection.alerts:
        raised.setdefault(alert.buoy, []).append(alert.end)

    def order(buoy: Buoy) -> tuple[bool, int, str]:
        return (buoy.name not in raised, raised.get(buoy.name, [0])[0], buoy.name)

    panels = []
    for buoy in sorted(run.buoys, key=order)[:MOST_PANELS]:
        mine = names == buoy.name
        panels.append(
            Panel(
                name=buoy.name, station=buoy.station, second=second[mine],
                height=columns["height"][mine], predicted=columns["predicted"][mine],
                difference=columns["difference"][mine], alerts=tuple(raised.get(buoy.name, ())),
                simulated=buoy.simulated,
                arrivals=tuple(each.time for each in run.detection.arrivals if each.buoy == buoy.name),
            )
        )  # fmt: skip
    return panels


def _head(figure: Figure, run: Run, layout: _Layout, window: tuple[int, int]) -> None:
    left = layout.left / layout.width
    first = _date(run.detection.alerts[0].end if run.detection.alerts else window[0])
    last = _date(window[1])
    if run.detection.alerts:
        title = (
            f"A tsunami crosses the deep sea, {first}"
            if run.detection.warnings
            else f"Tsunami alert, {first}"
        )
    elif not run.detection.difference:
        title = "No reading could be judged"
    else:
        title = f"A quiet sea, {first}" + ("" if first == last else f" to {last}")
    if run.simulated:
        title = f"Simulated: {title[0].lower()}{title[1:]}"
    figure.text(left, 1 - 0.34 / layout.height, title, fontsize=19, fontweight="bold", va="center")
    figure.text(left, 1 - 0.72 / layout.height, _summary(run), fontsize=10.5, color=GREY, va="center")


def _summary(run: Run) -> str:
    parts = []
    if run.detection.warnings:
        first = run.detection.warnings[0]
        ocean = first.ocean.replace("Ocean", " Ocean")
        parts.append(
            f"Basin warning for the {ocean} at {_clock(first.time)} UTC ({first.first}, then {first.second})"
        )
    elif run.detection.alerts:
        parts.append(
            f"First alert at {_clock(run.detection.alerts[0].end)} UTC, buoy {run.detection.alerts[0].buoy}"
        )
    else:
        parts.append("No alert")
    parts.append(f"threshold {run.threshold * 1000:g} mm")
    if run.simulated:
        parts.append("made by a computer, not measured")
    return "  ·  ".join(parts)


def _foot(figure: Figure, layout: _Layout, hidden: int) -> None:
    text = (
        "Height of the water above the pressure sensors of DART buoys on the sea floor. Predicted: the cubic "
        "through four means of the buoy's own readings of the last hours. Alert: three differences above the "
        "threshold within five minutes."
    )
    if hidden > 0:
        text += f" {hidden} more buoys are not shown."
    from textwrap import fill

    figure.text(
        layout.left / layout.width,
        0.1 / layout.height,
        fill(text, int(layout.width * 13)),
        fontsize=7.5,
        color=GREY,
        va="bottom",
    )


def _legend(figure: Figure, run: Run, layout: _Layout) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Line2D([], [], color=OBSERVED, linewidth=1.4, label="observed"),
        Line2D([], [], color=PREDICTED, linewidth=1.8, label="predicted"),
        Line2D([], [], color=INK, linewidth=1.0, label="difference"),
        Line2D([], [], color=ABOVE, marker=".", linestyle="none", label="above the threshold"),
        Patch(facecolor=BAND, alpha=0.25, label=f"within {run.threshold * 1000:g} mm"),
        Line2D([], [], color=ABOVE, marker="v", label="alert"),
        Line2D([], [], color=OBSERVED, marker="v", label="the tsunami itself"),
    ]
    figure.legend(
        handles=handles, loc="center left", ncols=len(handles), frameon=False, fontsize=9, borderpad=0,
        bbox_to_anchor=(layout.left / layout.width, 1 - 1.05 / layout.height), borderaxespad=0,
        columnspacing=1.6,
    )  # fmt: skip


def _date(second: int) -> str:
    time = datetime.fromtimestamp(second, timezone.utc)
    return f"{time.day} {time:%B %Y}"


def _clock(second: int) -> str:
    return f"{datetime.fromtimestamp(second, timezone.utc):%H:%M:%S}"
