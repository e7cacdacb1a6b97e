"""How much Prolog does, whatever else the machine does meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import janus_swi  # noqa: TID251 - the switch between the two ways is Prolog's

from etalis_py.embedding import prolog


@contextmanager
def in_prolog() -> Iterator[None]:
    """All rules are run by Prolog, none by the machine."""
    prolog.load_runtime()
    janus_swi.query_once("assertz(etalis_machine:is_off)")
    try:
        yield
    finally:
        janus_swi.query_once("retractall(etalis_machine:is_off)")


def steps_of(work: Callable[[], object]) -> int:
    """Inferences that ``work`` takes where Prolog runs the rules."""
    with in_prolog():
        before = _inferences()
        work()
        return _inferences() - before


def _inferences() -> int:
    return int(prolog.call("system", "statistics", "inferences"))
