"""How much Prolog does, whatever else the machine does meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from etalis_py.embedding import prolog


def steps_of(work: Callable[[], object]) -> int:
    """Inferences that ``work`` takes."""
    before = _inferences()
    work()
    return _inferences() - before


def _inferences() -> int:
    return int(prolog.call("system", "statistics", "inferences"))
