"""Limits that a user sets: what one instant may cost, and the process.

What reaches one ends the engine's work with an error (``rules/engine/limits.pl``): the answers before it stay
given, and the engine cannot go on. Only a match of a regular expression that takes too many steps is an error
of its expression alone.
"""

from __future__ import annotations

import mmap
import signal
from functools import cache

from etalis_py.embedding import prolog
from etalis_py.engine.options import DEFAULTS, EngineOptions

__all__ = ["set_limits"]


def set_limits(module: str, options: EngineOptions) -> None:
    """Hold the engine in ``module`` to the limits among its options."""
    answers, time, memory = (
        options.max_answers_per_instant, options.max_time_per_instant, options.max_memory
    )  # fmt: skip
    if answers is not None:
        prolog.do("etalis_limits", "limit_answers", module, "all", answers)
    if memory is not None or time is not None:
        _start_watcher()
        seconds = "none" if time is None else time.total_seconds()
        prolog.do("etalis_limits", "limit_work", module, seconds, "none" if memory is None else memory)
    if options.max_regex_steps != DEFAULTS.max_regex_steps:
        prolog.do("etalis_limits", "limit_regex", module, options.max_regex_steps)


@cache
def _start_watcher() -> None:
    """Start the thread that watches, once a process, where it is given no signal of the process."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        prolog.do("etalis_limits", "start_watcher", mmap.PAGESIZE)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
