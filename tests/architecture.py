"""Draws docs/architecture.svg from the imports of the project: python -m tests.architecture.

Boxes are placed by hand, arrows are found. An arrow leads from a folder to one that its modules import. Where
a longer way leads there too, no arrow is drawn.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from tests.test_layout import KNOWN, imports, place, tree_of

PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "architecture.svg"


@dataclass(frozen=True, slots=True)
class Box:
    """A folder or file: its row, its first column, what it does, and how many columns it takes."""

    row: float
    column: float
    role: str
    columns: float = 1


@dataclass(frozen=True, slots=True)
class Panel:
    """The boxes directly below a package. Arrows lead down, or to the left if ``flat``."""

    title: str
    package: str
    boxes: Mapping[str, Box]
    width: int
    flat: bool = False


HOUSE: Final = Panel(
    "The project: etalis_py/ and the folders beside it",
    "etalis_py",
    {
        "shell": Box(0, 0, "queries, events and\nquestions, one by one"),
        "cli": Box(0, 1, "the command etalis: run, explain, check, pack, doctor, bench, demo", 4),
        "serve": Box(0, 5, "engines that stay,\nover HTTP"),
        "notebook": Box(0, 6, "magics, and what\ncells show"),
        "checkpoints": Box(1, 0, "a run in a folder,\nto be continued"),
        "profiling": Box(1, 1, "what each rule\ncosts"),
        "no_answers": Box(1, 2, "why a query found\nnothing"),
        "why": Box(1, 3, "what an answer is\nmade of"),
        "editors": Box(2, 1, "help while a query\nis written"),
        "packing": Box(1, 4, "one archive for\nSpark's workers"),
        "demos": Box(1, 5, "tsunami and\ndelivery"),
        "doctor": Box(1, 6, "checks this\nmachine"),
        "agreement": Box(2, 2, "whether two queries\nsay the same"),
        "spark_udfs": Box(2, 4, "the engine on Spark: planning, tasks,\nstreams, sources and sinks", 1.96),
        "results": Box(3, 3.45, "writers: table,\nNDJSON, Parquet, ..."),
        "engine": Box(4, 0, "registers queries, feeds events to Prolog, gives matches", 4.45),
        "rates": Box(5, 1, "how often events of\neach kind come"),
        "compiler": Box(6, 0, "queries to rules:\nsee below"),
        "streams": Box(6, 2, "stream files to\nbatches of events"),
        "embedding": Box(6, 3.25, "SWI-Prolog in this\nprocess"),
        "texts": Box(7, 3.05, "lines of text to\ncolumns and back"),
        "ontologies": Box(7, 0, "background files to Prolog facts", 3),
        "rules": Box(7, 4.1, "in Prolog: the engine at work,\nstores, SPARQL's values, RDFS", 1.8),
        "connectors": Box(7, 5.95, "brokers, sockets,\ngrowing files"),
        "provision": Box(6, 6, "installs Prolog,\nJava and packages"),
        "core": Box(8, 0, "errors, RDF terms, literals, times, the cache of compiled files", 7),
    },
    158,
)
COMPILER: Final = Panel(
    "The compiler: each stage imports the stages before it, to its left",
    "etalis_py.compiler",
    {
        "parse": Box(0, 0, "text to\nsyntax tree"),
        "languages": Box(1, 2, "SPAseq, ETALIS\nto syntax trees"),
        "algebra": Box(0, 1, "to operators\nover solutions"),
        "passes": Box(0, 2, "the same,\ncheaper"),
        "plan": Box(0, 3, "binary, with\njoin variables"),
        "rules": Box(0, 4, "to EDBC rules\nas clauses"),
        "compile": Box(0, 5, "all stages\nin a row"),
        "partition": Box(0, 6, "by key, by time,\nin stages"),
        "explain": Box(0, 7, "each stage\nas text"),
        "lint": Box(0, 8, "warnings of\nlikely mistakes"),
        "spans": Box(1, 0, "places in\nthe text"),
        "refusals": Box(1, 1, "errors at\na place"),
        "format": Box(2, 1, "the text\nin one style"),
        "association": Box(1, 4, "the order of\njoins, by rates"),
        "state": Box(1, 5.1, "states that\nevents begin"),
        "user_predicates": Box(1, 6.2, "Prolog predicates\nthat queries call", 1.2),
        "rewriting": Box(1, 2.9, "the same in\nanother dialect"),
        "lars": Box(1, 7.7, "queries as\nrules of LARS"),
    },
    123,
    flat=True,
)
_HEIGHT, _GAP, _ROW, _MARGIN, _TITLE = 58, 16, 92, 20, 34
_STYLE: Final = (
    "text{font:12px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1b1f24}"
    "text{text-anchor:middle}"
    ".title{font-weight:bold;font-size:15px;text-anchor:start}.name{font-weight:bold;font-size:13px}"
    ".role{font-size:11px;fill:#57606a}.note{font-size:12px;fill:#57606a;text-anchor:start}"
    "rect{fill:#f6f8fa;stroke:#8c959f}path{fill:none;stroke:#57606a;stroke-width:1.3}"
    ".late{stroke:#0969da;stroke-dasharray:5 4}"
)
_HEADS: Final = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    f'<polygon points="0,0.5 8,4 0,7.5" fill="{colour}"/></marker>'
    for name, colour in (("now", "#57606a"), ("late", "#0969da"))
)


def named(path: Path) -> Iterator[str]:
    """The project's modules that a file names as text, to import them or to read what lies beside them."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in KNOWN:
            yield node.value


def found(panel: Panel) -> dict[tuple[str, str], bool]:
    """Who imports whom, and whether one of the imports is done at once, with that of its module."""
    edges: dict[tuple[str, str], bool] = {}
    for name, path in KNOWN.items():
        if not name.startswith(panel.package + "."):
            continue
        at_once = imports(path, lazy=False)
        for used in imports(path, lazy=True) | set(named(path)):
            if used.startswith(panel.package + "."):
                edge = (place(name, panel.package), place(used, panel.package))
                if edge[0] != edge[1] and edge[0] != "__main__":  # which only calls cli
                    edges[edge] = edges.get(edge, False) or used in at_once
    return edges


def drawn(panel: Panel) -> dict[tuple[str, str], bool]:
    """The arrows: what is found, but for what a longer way leads to as early."""
    edges = found(panel)
    forward = {edge: at_once for edge, at_once in edges.items() if _is_forward(panel, *edge)}
    return {
        edge: at_once
        for edge, at_once in sorted(edges.items())
        if not _has_longer_way(*edge, {each for each in forward if forward[each] or not at_once})
    }


def _has_longer_way(user: str, used: str, edges: set[tuple[str, str]]) -> bool:
    reached, new = set[str](), {other for one, other in edges if one == user and other != used}
    while new:
        reached |= new
        new = {other for one, other in edges if one in reached} - reached
    return used in reached


def _is_forward(panel: Panel, user: str, used: str) -> bool:
    """Whether an arrow goes the way of the panel: down, or to the left."""
    one, other = panel.boxes[user], panel.boxes[used]
    if panel.flat:
        return other.column < one.column or (other.column == one.column and other.row > one.row)
    return other.row > one.row or (other.row == one.row and other.column > one.column)


def architecture_svg() -> str:
    """The picture as a whole file."""
    parts: list[str] = []
    top = _MARGIN
    for panel in (HOUSE, COMPILER):
        parts.append(f'<text class="title" x="{_MARGIN}" y="{top + 14}">{panel.title}</text>')
        top += _TITLE
        for edge, at_once in drawn(panel).items():
            parts.append(_arrow(panel, *edge, at_once, top))
        for name, box in panel.boxes.items():
            parts += _box(panel, name, box, top)
        top += int(max(box.row for box in panel.boxes.values())) * _ROW + _HEIGHT + 36
    parts.append(
        f'<text class="note" x="{_MARGIN}" y="{top}">An arrow leads from a folder to one that it '
        "imports; where a longer way leads there too, it is left out. Dashed: loaded only when it is needed."
        "</text>"
    )
    width = 2 * _MARGIN + 7 * HOUSE.width - _GAP
    size = f"{width} {top + _MARGIN}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{width}" role="img">'
    title = "<title>The folders of etalis_py and what they import</title>"
    style = f"<style>{_STYLE}</style><defs>{_HEADS}</defs>"
    ground = '<rect width="100%" height="100%" style="fill:white;stroke:none"/>'
    return "\n".join([head, title, style, ground, *parts, "</svg>", ""])


def _sides(panel: Panel, box: Box, top: float) -> tuple[float, float, float, float]:
    """Left, right, top and bottom of a box."""
    left = _MARGIN + box.column * panel.width
    above = top + box.row * _ROW
    return left, left + box.columns * panel.width - _GAP, above, above + _HEIGHT


def _box(panel: Panel, name: str, box: Box, top: float) -> Iterator[str]:
    left, right, above, below = _sides(panel, box, top)
    middle = (left + right) / 2
    yield f'<rect x="{left:g}" y="{above:g}" width="{right - left:g}" height="{below - above}" rx="5"/>'
    lines = box.role.split("\n")
    first = (above + below) / 2 - 7.5 * len(lines) + 4
    yield f'<text class="name" x="{middle:g}" y="{first:g}">{escape(name)}</text>'
    for number, line in enumerate(lines, 1):
        yield f'<text class="role" x="{middle:g}" y="{first + 15 * number:g}">{escape(line)}</text>'


def _arrow(panel: Panel, user: str, used: str, at_once: bool, top: float) -> str:
    one = _sides(panel, panel.boxes[user], top)
    other = _sides(panel, panel.boxes[used], top)
    if one[2] == other[2]:  # beside each other
        to_left = other[0] < one[0]
        shift = 0 if _is_forward(panel, user, used) else 12
        y = one[2] + _HEIGHT / 2 + shift
        line = f"M{one[0] if to_left else one[1]:g} {y:g}H{other[1] if to_left else other[0]:g}"
    else:
        down = other[2] > one[2]
        shift = 0 if _is_forward(panel, user, used) else -24
        x1, x2 = _near(one, other, shift), _near(other, one, shift)
        y1, y2 = (one[3], other[2]) if down else (one[2], other[3])
        bend = 0.45 * (y2 - y1)
        line = f"M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"
    kind = "now" if at_once else "late"
    return f'<path class="{kind}" d="{line}" marker-end="url(#{kind})"/>'


def _near(
    box: tuple[float, float, float, float], other: tuple[float, float, float, float], shift: int
) -> float:
    """Where an arrow to or from another box touches this one: above or below the middle of the smaller."""
    middle = (other[0] + other[1]) / 2 if other[1] - other[0] <= box[1] - box[0] else (box[0] + box[1]) / 2
    return min(max(middle, box[0] + 20), box[1] - 20) + shift


if __name__ == "__main__":
    PICTURE.write_text(architecture_svg(), encoding="utf-8")
