"""Engines with rules files written on the spot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from etalis_py.engine.engine import Engine

PREFIX = ":- prefix('', 'urn:').\n"
CLOSED = PREFIX + (
    ':- state(closed(Segment), begins("?Segment :status :closed"), ends("?Segment :status :open")).\n'
)
SPEED = PREFIX + (
    ':- state(speed(Segment, Speed), begins("?Segment :speed ?Speed"), ends("?Segment :speed ?any")).\n'
)
Open = Callable[..., Engine]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """``opened(rules, query..., **options)``: an engine with queries named q, q-2, ..."""

    def open_engine(rules: str, *queries: str, **options: Any) -> Engine:
        path = tmp_path / "rules.pl"
        path.write_text(rules, encoding="utf-8")
        engine = Engine(rules=[path], **options)
        for number, query in enumerate(queries, start=1):
            engine.register("PREFIX : <urn:> " + query, name="q" if number == 1 else f"q-{number}")
        return engine

    return open_engine


def asked(engine: Engine, goal: str) -> list[dict[str, str]]:
    """The answers to a question, sorted, IRIs without ``urn:``."""
    found = (
        {name: str(value).removeprefix("urn:") for name, value in row.items()} for row in engine.prolog(goal)
    )
    return sorted(found, key=str)
