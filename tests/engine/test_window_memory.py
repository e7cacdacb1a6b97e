"""What windows on streams keep: so many bytes for each element that they hold, none for those that left."""

from __future__ import annotations

import pytest

from etalis_py.engine.engine import Engine
from tests.benchmarks.window_memory_run import QUERIES, Filled

SMALL, LARGE = 1_000, 8_000
"""Elements in a window: both are a little less than a power of two, up to which stores have room."""


@pytest.mark.parametrize("name", QUERIES)
def test_bytes_go_with_the_elements_that_are_held(name: str) -> None:
    few, _, _ = kept(name, SMALL)
    many, left, again = kept(name, LARGE)
    assert 0.5 * LARGE / SMALL * few < many < 2 * LARGE / SMALL * few
    if name != "elements":  # they stay until others come
        assert left < 3 * few  # room for some rows stays, however few there are
    assert many * 0.9 < again < many * 1.1


def kept(name: str, size: int) -> tuple[int, int, int]:
    """Bytes of stores and groups: of a full window, when most have left it, and of one that is full again."""
    with Engine() as engine:
        window = Filled(engine, name, size)

        def bytes_now() -> int:
            return sum(each.bytes for each in engine.kept()[name])

        window.fill()
        window.empty()  # stores have all their indexes then
        window.fill()
        full = bytes_now()
        window.empty()
        left = bytes_now()
        window.fill()
        return full, left, bytes_now()
