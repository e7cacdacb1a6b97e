"""The parts that the maps are drawn of: streets, ways, a frame, a scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from etalis_py.demos.delivery.network import Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ends", "frame", "legend", "round_length", "scale", "segments", "streets", "way"]

_WATER = "#cfe5f2"
_MAIN = 40.0
"""Streets on which more is permitted (km/h) are drawn thicker."""


def streets(axes: Axes, network: Network, width: float) -> None:
    """All segments, in grey, and the river under them."""
    if network.river:
        axes.plot(
            *zip(*network.river, strict=True), color=_WATER, lw=22 * width, zorder=0, solid_capstyle="butt"
        )
    small = {name for name, segment in network.segments.items() if segment.speed <= _MAIN}
    varied = len(small) not in (0, len(network.segments))
    segments(axes, network, small if varied else network.segments, color="0.82", lw=width, zorder=1)
    if varied:
        segments(axes, network, network.segments.keys() - small, color="0.62", lw=2 * width, zorder=1)


def segments(axes: Axes, network: Network, names: Iterable[str], **style: Any) -> None:
    """Some segments, as straight lines."""
    from matplotlib.collections import LineCollection

    lines = [network.line(name) for name in sorted(names)]
    axes.add_collection(LineCollection(lines, capstyle="round", **style))


def way(axes: Axes, network: Network, start: str, names: Sequence[str], **style: Any) -> None:
    """A way from a junction on, as one line."""
    axes.plot(
        *zip(*network.line_of_way(start, names), strict=True),
        solid_capstyle="round",
        solid_joinstyle="round",
        **style,
    )


def ends(network: Network, names: Iterable[str]) -> set[str]:
    """The junctions of some segments."""
    return {end for name in names for end in (network.segments[name].start, network.segments[name].end)}


def legend(axes: Axes, entries: Sequence[tuple[str, str, str]]) -> None:
    """What the colours mean: text, colour, line style."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=colour, lw=3, ls=style) for _, colour, style in entries]
    axes.legend(
        lines,
        [text for text, _, _ in entries],
        loc="upper left",
        fontsize=8.5,
        framealpha=0.9,
        edgecolor="0.8",
    )


def frame(axes: Axes, network: Network, junctions: Iterable[str], margin: float = 0.04) -> None:
    """Show a square around some junctions, without axes; ``margin``: a share of their extent."""
    xs, ys = zip(*map(network.place, junctions), strict=True)
    half = (0.5 + margin) * max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    axes.set_xlim(x - half, x + half)
    axes.set_ylim(y - half, y + half)
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_color("0.8")


def scale(axes: Axes) -> None:
    """A scale in the lower right corner; to be called after ``frame``."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    metres = round_length(0.2 * (right - left))
    end, y = right - 0.04 * (right - left), bottom + 0.035 * (top - bottom)
    axes.plot([end - metres, end], [y, y], color="0.2", lw=2.5, zorder=9, solid_capstyle="butt")
    text = f"{metres:,g} m\n"
    axes.text(end - metres / 2, y, text, ha="center", va="center", fontsize=8.5, zorder=9)


def round_length(most: float) -> float:
    """The largest of 1, 2, 5, 10, 20, 50... that is not larger.

    >>> round_length(430), round_length(0.7)
    (200.0, 0.5)
    """
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most)
