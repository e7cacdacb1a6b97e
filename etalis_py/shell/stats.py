"""``:stats``: what went in, what came out, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from resource import RUSAGE_SELF, getpagesize, getrusage
from typing import TYPE_CHECKING

from etalis_py.core.counting import counted
from etalis_py.core.times import format_time

if TYPE_CHECKING:
    from etalis_py.shell.session import Session

__all__ = ["stats_lines"]


def stats_lines(session: Session) -> Iterator[str]:
    """Lines to show: events and clock, a row for each query, memory."""
    clock = session.engine.clock
    now = "nothing has happened yet" if clock is None else f"the newest at {format_time(clock)}"
    late = f", {session.engine.late:,} late" if session.engine.late else ""
    yield f"{counted(session.taken, 'event')}{late}, {now}"
    answers = session.count_answers()
    names = session.query_names()
    width = max((len(name) for name in names), default=0)
    for name in names:
        waiting = counted(session.engine.count_waiting(name), "goal")
        yield f"  {name:{width}}  {counted(answers[name], 'answer')}, {waiting} waiting"
    yield f"memory {_resident() / 2**20:,.0f} MiB"


def _resident() -> int:
    """Bytes of the process in memory; where the system does not say so, the most there were."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * getpagesize()
    except OSError:
        return getrusage(RUSAGE_SELF).ru_maxrss * 1024
