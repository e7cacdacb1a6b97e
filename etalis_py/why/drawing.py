"""Outlines as SVG: boxes one below the other, indented by depth, with a time axis beside them.

Pictures of proofs (``svg.py``) and of plans (``plan_svg.py``) are drawn by it. All text is escaped here, and
only here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from textwrap import wrap
from typing import Final

from etalis_py.core.times import format_time

__all__ = ["Box", "Look", "outline_svg"]

_LINE, _PADDING, _GAP, _INDENT, _MARGIN = 17, 7, 9, 26, 16
_CHARACTER = 7.3
"""Width of a character of the fixed-width font at 12 pixels."""
_LONGEST = 78
_AXIS = 330
"""Width of the time axis, in pixels."""
_SMALL: Final = 7
"""Width of a letter of small print."""
_TITLE = 30
_STYLE: Final = (
    "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1b1f24}"
    ".title{font-weight:bold;font-size:13px}.small{fill:#57606a;font-size:11px}"
    ".edge{fill:none;stroke:#8c959f}.guide{stroke:#d8dee4}"
)


class Look(Enum):
    """What a box is, by its colours: fill, border, and whether the border is dashed."""

    OPERATOR = ("#f6f8fa", "#8c959f", False)
    EVENT = ("#ddf4ff", "#0969da", False)
    DERIVED = ("#fbefff", "#8250df", False)
    BACKGROUND = ("#dafbe1", "#1a7f37", False)
    ABSENT = ("#ffffff", "#cf222e", True)
    REASON = ("#ffffff", "#d0d7de", False)
    WAITING = ("#fff8c5", "#9a6700", False)


@dataclass(frozen=True, slots=True)
class Box:
    """One box: its first line, further ones in small print, and the interval for the time axis.

    ``depth`` counts the boxes it stands in; times are microseconds since the epoch, UTC.
    """

    depth: int
    title: str
    look: Look
    notes: tuple[str, ...] = ()
    interval: tuple[int, int] | None = None


def outline_svg(title: str, boxes: Sequence[Box]) -> str:
    """The picture as a whole file.

    >>> outline_svg("a < b", [Box(0, "SEQ", Look.OPERATOR)]).count("a &lt; b")
    2
    """
    return _Outline(title, boxes).text()


class _Outline:
    def __init__(self, title: str, boxes: Sequence[Box]) -> None:
        self._title = wrap(title, _LONGEST + 30) or [""]
        self._boxes = boxes
        self._lines = [_wrapped(box) for box in boxes]
        times = [time for box in boxes if box.interval is not None for time in box.interval]
        self._times = (min(times), max(times)) if times else None
        self._widths = [
            2 * _PADDING + _CHARACTER * max((len(text) for text, _ in lines), default=0)
            for lines in self._lines
        ]
        rights = (
            _MARGIN + box.depth * _INDENT + width for box, width in zip(boxes, self._widths, strict=True)
        )
        self._axis = max(rights, default=0) + 3 * _MARGIN
        self._tops: list[float] = []
        top = _MARGIN + _TITLE + _LINE * (len(self._title) - 1) + (24 if self._times else 0)
        top += _LINE if self._times_are_long else 0
        for lines in self._lines:
            self._tops.append(top)
            top += 2 * _PADDING + _LINE * len(lines) + _GAP
        self._height = top + _MARGIN - _GAP

    def text(self) -> str:
        width = self._axis + (_AXIS + 4 * _MARGIN if self._times else -_MARGIN)
        width = max(width, 2 * _MARGIN + 8 * max(map(len, self._title)))
        size = f'width="{width:.0f}" height="{self._height:.0f}"'
        view = f'viewBox="0 0 {width:.0f} {self._height:.0f}" role="img"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view}>',
            f"<title>{escape(_legal(' '.join(self._title)))}</title>",
            f"<style>{_STYLE}</style>",
            '<rect width="100%" height="100%" fill="white"/>',
            *(
                _text(_MARGIN, _MARGIN + 14 + _LINE * number, line, "title")
                for number, line in enumerate(self._title)
            ),
            *self._time_axis(),
        ]
        for number in range(len(self._boxes)):
            parts += [*self._edge(number), *self._box(number), *self._bar(number)]
        return "\n".join([*parts, "</svg>", ""])

    def _left(self, number: int) -> float:
        return _MARGIN + self._boxes[number].depth * _INDENT

    def _middle(self, number: int) -> float:
        return self._tops[number] + _PADDING + _LINE / 2

    def _box(self, number: int) -> Iterator[str]:
        fill, border, dashed = self._boxes[number].look.value
        left, top = self._left(number), self._tops[number]
        height = 2 * _PADDING + _LINE * len(self._lines[number])
        dashes = ' stroke-dasharray="5 3"' if dashed else ""
        yield (
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{self._widths[number]:.0f}" height="{height}" '
            f'rx="4" fill="{fill}" stroke="{border}"{dashes}/>'
        )
        for row, (text, is_note) in enumerate(self._lines[number]):
            baseline = top + _PADDING + _LINE * row + 12.5
            yield _text(left + _PADDING, baseline, text, "small" if is_note else "")

    def _edge(self, number: int) -> Iterator[str]:
        """From the box above it that it belongs to."""
        depth = self._boxes[number].depth
        for above in range(number - 1, -1, -1):
            if self._boxes[above].depth < depth:
                x = self._left(above) + 12
                bottom = self._tops[above] + 2 * _PADDING + _LINE * len(self._lines[above])
                path = f"M{x:.0f} {bottom:.0f} V{self._middle(number):.1f} H{self._left(number):.0f}"
                yield f'<path class="edge" d="{path}"/>'
                return

    # ---- time -------------------------------------------------------------------------------------------

    def _x(self, time: int) -> float:
        assert self._times is not None
        first, last = self._times
        return self._axis + (_AXIS * (time - first) / (last - first) if last > first else 0)

    def _time_axis(self) -> Iterator[str]:
        if self._times is None:
            return
        top = self._tops[0] if self._tops else self._height
        first, last = self._times
        for time, anchor in ((first, "start"), (last, "end"))[: 1 if first == last else 2]:
            x = self._x(time)
            yield f'<path class="guide" d="M{x:.1f} {top - 8:.0f} V{self._height - 8:.0f}"/>'
            shift = -4 if anchor == "start" else 4
            above = _LINE if anchor == "start" and self._times_are_long else 0
            yield _text(x + shift, top - 14 - above, format_time(time), "small", anchor)

    @property
    def _times_are_long(self) -> bool:
        """Whether those at both ends of the axis have no room beside each other."""
        return self._times is not None and _SMALL * len("".join(map(format_time, self._times))) > _AXIS

    def _bar(self, number: int) -> Iterator[str]:
        box = self._boxes[number]
        if box.interval is None:
            return
        _, colour, _ = box.look.value
        start, end = map(self._x, box.interval)
        y = self._middle(number)
        times = " to ".join(dict.fromkeys(map(format_time, box.interval)))
        name, where = "rect", f'x="{start:.1f}" y="{y - 4:.1f}" width="{end - start:.1f}" height="8" rx="3"'
        if end - start < 8:
            name, where = "circle", f'cx="{(start + end) / 2:.1f}" cy="{y:.1f}" r="5"'
        strength = "0.45" if box.look is Look.OPERATOR else "0.9"
        yield f'<{name} {where} fill="{colour}" opacity="{strength}"><title>{times}</title></{name}>'


def _wrapped(box: Box) -> list[tuple[str, bool]]:
    lines = [(line, False) for line in wrap(box.title, _LONGEST)]
    return lines + [(line, True) for note in box.notes for line in wrap(note, _LONGEST)]


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    where = f'x="{x:.1f}" y="{y:.1f}"'
    style = f' class="{style}"' if style else ""
    anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text {where}{style}{anchor} xml:space="preserve">{escape(_legal(text), quote=False)}</text>'


def _legal(text: str) -> str:
    """Characters that XML 1.0 cannot have are replaced (section 2.2)."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
