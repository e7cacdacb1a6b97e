"""Short ways to write streams and to read answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from etalis_py.engine.engine import Engine

XSD = "http://www.w3.org/2001/XMLSchema#"


def term(value: str | int) -> str:
    """``a`` is <urn:a>, 5 is an integer, text that starts with ``"`` or ``_:`` stands for itself."""
    if isinstance(value, int):
        return f'"{value}"^^<{XSD}integer>'
    return value if value[:1] in '"_<' else f"<urn:{value}>"


def table(rows: Iterable[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Rows (time, s, p, o) or ((start, end), s, p, o), times in seconds."""
    columns: dict[str, list[Any]] = {name: [] for name in ("start", "end", "s", "p", "o")}
    for time, *terms in rows:
        start, end = time if isinstance(time, tuple) else (time, time)
        columns["start"].append(start * 1_000_000)
        columns["end"].append(end * 1_000_000)
        for name, value in zip("spo", terms, strict=True):
            columns[name].append(term(value))
    return columns


def seconds(engine: Engine, name: str | None = None) -> list[tuple[Any, ...]]:
    """The matches taken from ``engine`` as (start, end, bindings) in seconds, IRIs without ``urn:``."""
    return [
        (match.start // 1_000_000, match.end // 1_000_000, shown(dict(match.encoded)))
        for match in engine.matches(name)
    ]


def shown(bindings: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.removeprefix("urn:") if isinstance(value, str) else value[0]
        for name, value in bindings.items()
    }


def run(query: str, rows: Iterable[tuple[Any, ...]], **options: Any) -> list[tuple[Any, ...]]:
    """All answers of one query over a finite stream."""
    with Engine(**options) as engine:
        engine.register("PREFIX : <urn:> " + query)
        engine.send_batch(table(rows))
        engine.finish()
        return seconds(engine)


@pytest.fixture
def engine() -> Iterable[Engine]:
    with Engine() as opened:
        yield opened
