"""Pictures of the paper's experiments from records: one of each figure, with what the paper prints beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.benchmarks.paper.demos import BIN_MM, LOCATIONS, THRESHOLD_MM, VISITORS
from tests.benchmarks.paper.printed import (
    COUNT_WINDOW_SPEEDS,
    DELAYS_MS,
    MEMORY_KB,
    TIME_WINDOW_SPEEDS,
    TIME_WINDOWS,
    TIMES_MS,
    TRIPLES,
    Points,
)
from tests.benchmarks.paper.reasoning import ALL, HIERARCHIES
from tests.benchmarks.paper.stock import BACKGROUNDS, MINUTES, VARIANTS
from tests.benchmarks.paper.windows import COUNT_WINDOWS, RATE, WINDOW_CLAUSE
from tests.benchmarks.workload import ENGINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Records",
    "best",
    "delay_ms",
    "draw_demos",
    "draw_reasoning",
    "draw_stock",
    "draw_windows",
    "hierarchy_record",
]

Records: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Records by the name of their experiment."""

OURS, CLAUSE, ESPER, PAPER, BAND = "#1b6ca8", "#2a7f62", "#d1495b", "0.45", "0.9"
STRATEGIES = (OURS, CLAUSE, ESPER, "#8250df")
OF_VISITORS = {1: OURS, 10: ESPER}


def draw_windows(records: Records, path: Path) -> None:
    """Figure 1: throughput over windows of time and of rows."""
    figure = _figure()
    time, rows = figure.subplots(1, 2)
    _window_panel(
        time,
        [records[f"paper-time-{seconds}s"] for seconds in TIME_WINDOWS],
        TIME_WINDOWS,
        {
            ENGINE: "queries (5) and (6)",
            WINDOW_CLAUSE: "one query with WINDOW",
            "esper": "Esper 9",
        },
    )
    time.set_title("1(a)  Queries (5) and (6): an average over time", loc="left", fontsize=10)
    time.set_xlabel(f"window, seconds ({RATE} prices a second)")
    _band(time, TIME_WINDOW_SPEEDS, "between these: the axis of the paper's figure 1(a)")
    _window_panel(
        rows,
        [records[f"paper-sum-{size}"] for size in COUNT_WINDOWS],
        COUNT_WINDOWS,
        {ENGINE: "etalis_py", "esper": "Esper 9"},
    )
    rows.set_title("1(b)  Sum over a sequence", loc="left", fontsize=10)
    rows.set_xlabel("window, matches")
    _band(rows, COUNT_WINDOW_SPEEDS, "below 30,000: the axis of the paper's figure 1(b)")
    _save(figure, path)


def draw_reasoning(records: Records, path: Path) -> None:
    """Figure 2: the delay by the number of triples, and by the number of classes."""
    figure = _figure()
    triples, classes = figure.subplots(1, 2)
    delays = [records[f"paper-reasoning-{count}"] for count in TRIPLES]
    _delay_panel(triples, delays, TRIPLES)
    triples.set_title(f"2  Triples, with {ALL:,} classes", loc="left", fontsize=10)
    triples.set_xlabel("triples")
    triples.set_xlim(0, TRIPLES[-1] * 1.05)
    triples.set_xticks(TRIPLES, [f"{count:,}" for count in TRIPLES])
    _delay_panel(classes, [hierarchy_record(records, size) for size in HIERARCHIES], HIERARCHIES)
    classes.set_title(f"Classes, with {TRIPLES[-1]:,} triples (not in the paper)", loc="left", fontsize=10)
    classes.set_xlabel("classes below the one that is asked for")
    _log_ticks(classes, HIERARCHIES)
    for axes in (triples, classes):
        axes.set_ylim(1, 20_000)
        axes.set_yticks([1, 10, 100, 1_000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    _band(triples, DELAYS_MS, "below 2,000 ms: the axis of the paper's figure 2")
    _save(figure, path)


def draw_demos(records: Records, path: Path) -> None:
    """Figures 3 and 4: time and memory of deliveries, and a histogram of differences from predictions."""
    figure = _figure(width=14)
    time, memory, differences = figure.subplots(1, 3)
    _delivery_panel(time, records, TIMES_MS, _stream_ms)
    time.set_title("3(a)  Deliveries: time", loc="left", fontsize=10)
    time.set_ylabel("time for the whole stream, ms")
    time.set_ylim(1, 10_000)
    time.set_yticks([1, 10, 100, 1_000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    time.legend(fontsize=8, frameon=False, ncols=2, loc="upper left")
    _delivery_panel(memory, records, MEMORY_KB, _memory_kb)
    memory.set_title("3(b)  Deliveries: memory", loc="left", fontsize=10)
    memory.set_ylabel("memory, kB")
    memory.set_ylim(10, 100_000)
    memory.set_yticks([10, 100, 1_000, 10_000, 100_000], ["10", "100", "1,000", "10,000", "100,000"])
    memory.legend(fontsize=8, frameon=False, ncols=2, loc="lower right")
    _histogram_panel(differences, records["paper-tsunami"])
    differences.set_title("4  Readings by their distance from the prediction", loc="left", fontsize=10)
    _save(figure, path)


def draw_stock(records: Records, path: Path) -> None:
    """Figures 15, 20 and 18 of the SPAseq paper: time by the window, and by the background."""
    figure = _figure()
    windows, background = figure.subplots(1, 2)
    for (variant, (sequence, _)), colour, mark in zip(VARIANTS.items(), STRATEGIES, "osD^", strict=True):
        found = [records[f"paper-stock-{variant}-{minutes}"] for minutes in MINUTES]
        windows.plot(
            MINUTES, list(map(_microseconds, found)), f"{mark}-", color=colour, label=f"{variant}: {sequence}"
        )
    windows.set_title("15, 20  Processor time of an event, by the window", loc="left", fontsize=10)
    windows.set_xlabel("window, minutes")
    windows.set_xticks(MINUTES)
    known = [records[f"paper-stock-known-{size}"] for size in BACKGROUNDS]
    background.plot(BACKGROUNDS, list(map(_microseconds, known)), "o-", color=OURS, label="next: A; B; C")
    background.set_title("18  The same, by the background", loc="left", fontsize=10)
    background.set_xlabel("triples of background")
    _log_ticks(background, BACKGROUNDS)
    for axes in (windows, background):
        axes.set_yscale("log")
        axes.set_ylim(1, 1_000)
        axes.set_yticks([1, 10, 100, 1_000], ["1", "10", "100", "1,000"])
        axes.set_ylabel("microseconds an event")
        axes.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)
    _save(figure, path)


def _microseconds(record: Mapping[str, Any]) -> float:
    return 1e6 / float(record[ENGINE]["events_per_second"])


def best(record: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The part of a contender: of several forms of a peer the fastest, None where it was left out."""
    if name == ENGINE:
        part: Mapping[str, Any] = record[ENGINE]
        return part
    found = record.get("yardsticks", {}).items()
    forms = [part for form, part in found if form == name or form.startswith(f"{name}, ")]
    return max(forms, key=lambda part: part["events_per_second"], default=None)


def delay_ms(record: Mapping[str, Any], name: str) -> float | None:
    """Milliseconds for all events of a record."""
    part = best(record, name)
    return None if part is None else 1_000 * record["events"] / part["events_per_second"]


def hierarchy_record(records: Records, classes: int) -> Mapping[str, Any]:
    """The record of a hierarchy with the most triples."""
    return records[f"paper-reasoning-{TRIPLES[-1]}" if classes == ALL else f"paper-hierarchy-{classes}"]


def _window_panel(
    axes: Axes, records: Sequence[Mapping[str, Any]], windows: Sequence[int], names: Mapping[str, str]
) -> None:
    for (name, label), colour in zip(names.items(), _colours(names), strict=True):
        parts = [best(record, name) for record in records]
        speeds = [float("nan") if part is None else part["events_per_second"] for part in parts]
        axes.plot(windows, speeds, "o-", color=colour, label=label)
    axes.set_yscale("log")
    axes.set_ylim(100, 100_000_000)
    axes.set_yticks(
        [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
        ["100", "1,000", "10,000", "100,000", "1,000,000", "10,000,000"],
    )
    axes.set_ylabel("events/s")
    _log_ticks(axes, windows)
    axes.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)


def _colours(names: Mapping[str, str]) -> list[str]:
    return [{ENGINE: OURS, WINDOW_CLAUSE: CLAUSE}.get(name, ESPER) for name in names]


def _delay_panel(axes: Axes, records: Sequence[Mapping[str, Any]], numbers: Sequence[int]) -> None:
    names = {ENGINE: "etalis_py, which reasons", "esper": "Esper 9 with a set of all classes below"}
    for (name, label), colour in zip(names.items(), _colours(names), strict=True):
        delays = [delay_ms(record, name) for record in records]
        axes.plot(
            numbers,
            [float("nan") if each is None else each for each in delays],
            "o-",
            color=colour,
            label=label,
        )
    axes.set_yscale("log")
    axes.set_ylabel("delay of all triples together, ms")
    axes.legend(fontsize=8, frameon=False, loc="upper left")


def _delivery_panel(axes: Axes, records: Records, printed: Points, value: Any) -> None:
    for visitors in VISITORS:
        label = f"{visitors} visitor{'s' * (visitors > 1)}"
        ours = [value(records[f"paper-delivery-{visitors}-{locations}"]) for locations in LOCATIONS]
        colour = OF_VISITORS[visitors]
        size = 7 if visitors == 1 else 4  # both may be seen where they are equal
        axes.plot(LOCATIONS, ours, "o-", color=colour, markersize=size, label=f"{label}, here")
        axes.plot(
            LOCATIONS,
            [printed[visitors][locations] for locations in LOCATIONS],
            "s:",
            color=colour,
            alpha=0.6,
            markersize=size,
            label=f"{label}, printed",
        )
    axes.set_yscale("log")
    axes.set_xlabel("locations of each visitor")
    axes.set_xticks(LOCATIONS)


def _stream_ms(record: Mapping[str, Any]) -> float:
    ms = delay_ms(record, ENGINE)
    assert ms is not None
    return ms


def _memory_kb(record: Mapping[str, Any]) -> float:
    return 1_000 * float(record[ENGINE]["memory_mb"])


def _histogram_panel(axes: Axes, record: Mapping[str, Any]) -> None:
    bars = record["details"]["histogram_mm"]
    for low, number in bars:
        beyond = low >= THRESHOLD_MM or low + BIN_MM <= -THRESHOLD_MM
        axes.bar(
            low, number, BIN_MM, align="edge", color=ESPER if beyond else OURS, edgecolor="white", lw=0.5
        )
    for sign in (-1, 1):
        axes.axvline(sign * THRESHOLD_MM, color="0.3", lw=0.8, ls="--")
    axes.set_yscale("log")
    axes.set_ylim(0.5, 3 * max(number for _, number in bars))
    axes.set_yticks([1, 10, 100, 1_000, 10_000], ["1", "10", "100", "1,000", "10,000"])
    axes.text(
        0.03,
        0.96,
        f"{record['events']:,} readings,\nsimulated:\n{record['details']['above']} beyond {THRESHOLD_MM} mm",
        transform=axes.transAxes,
        va="top",
        fontsize=8,
    )
    axes.set_xlabel("observed less predicted, mm")
    axes.set_ylabel("readings")


def _band(axes: Axes, ends: tuple[float, float], text: str) -> None:
    """The range in which the curves of a figure of the paper lie."""
    low = max(ends[0], axes.get_ylim()[0])
    axes.axhspan(low, ends[1], color=BAND, zorder=0)
    axes.text(
        0.03,
        (low * ends[1]) ** 0.5,
        text,
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=8,
        color="0.3",
    )


def _log_ticks(axes: Axes, numbers: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(numbers, [f"{number:,}" for number in numbers])


def _figure(width: float = 12) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(width, 4.4), layout=ConstrainedLayoutEngine(w_pad=0.12))
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Figure, path: Path) -> None:
    for axes in figure.axes:
        axes.grid(alpha=0.25)
        axes.set_axisbelow(True)
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)
