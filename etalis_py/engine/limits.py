"""Limits that a user sets: what one instant may cost, and the process.

What reaches one ends the engine's work with an error (``rules/engine/limits.pl``): the answers before it stay
given, and the engine cannot go on. Only a match of a regular expression that takes too many steps is an error
of its expression alone.
"""

from __future__ import annotations

import mmap
import re
import signal
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from etalis_py.core.errors import UsageError

__all__ = ["MAX_REGEX_STEPS", "NO_LIMITS", "Limits", "bytes_of", "limits_of"]

MAX_REGEX_STEPS: Final = 1_000_000
"""Unless the user says another number."""
_PCRE_STEPS: Final = 10_000_000
"""What PCRE2 is built with; a pattern can only lower it (pcre2pattern, "Setting match resource limits")."""

_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}
_match_size = re.compile(r"(\d+(?:\.\d+)?) ?(|[kmg]i?)b?", re.IGNORECASE).fullmatch


@dataclass(frozen=True, slots=True)
class Limits:
    """None is no limit.

    ``memory`` is in bytes, of the whole process, as ``/proc/self/statm`` tells (resident); ``answers`` of one
    query at one instant; ``seconds`` of work for one instant, by the clock on the wall.
    ``regex_steps`` are those of PCRE for one match.
    """

    memory: int | None = None
    answers: int | None = None
    seconds: float | None = None
    regex_steps: int = MAX_REGEX_STEPS

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of an `Engine`."""
        return {
            "max_memory": self.memory,
            "max_answers_per_instant": self.answers,
            "max_time_per_instant": None if self.seconds is None else timedelta(seconds=self.seconds),
            "max_regex_steps": self.regex_steps,
        }

    def set(self, module: str) -> None:
        """Hold the engine in ``module`` to them."""
        from etalis_py.embedding import prolog

        if self.answers is not None:
            prolog.do("etalis_limits", "limit_answers", module, "all", self.answers)
        if self.memory is not None or self.seconds is not None:
            _start_watcher()
            bounds = ["none" if each is None else each for each in (self.seconds, self.memory)]
            prolog.do("etalis_limits", "limit_work", module, *bounds)
        if self.regex_steps != MAX_REGEX_STEPS:
            prolog.do("etalis_limits", "limit_regex", module, self.regex_steps)


NO_LIMITS: Final = Limits()


def limits_of(memory: object, answers: object, time: object, regex_steps: object = MAX_REGEX_STEPS) -> Limits:
    """The limits as a user gives them: a size, a whole number, a timedelta, a whole number.

    Raises:
        UsageError: EP505 what is none; EP506 where the system does not tell how much memory there is.
    """
    size = None if memory is None else bytes_of(memory, "max_memory")
    if size is not None and not Path("/proc/self/statm").exists():
        raise UsageError("EP506", "max_memory needs /proc", hint="it is there on Linux")
    if answers is not None and not (type(answers) is int and answers > 0):
        raise _no_limit("max_answers_per_instant", answers, "a number above 0")
    if not (type(regex_steps) is int and 0 < regex_steps <= _PCRE_STEPS):
        raise _no_limit("max_regex_steps", regex_steps, f"a number from 1 to {_PCRE_STEPS}")
    if time is None:
        return Limits(size, answers, None, regex_steps)
    if not isinstance(time, timedelta) or time <= timedelta(0):
        raise _no_limit("max_time_per_instant", time, "a timedelta above 0")
    return Limits(size, answers, time.total_seconds(), regex_steps)


def _no_limit(option: str, value: object, wanted: str) -> UsageError:
    return UsageError("EP505", f"{option} cannot be {value!r}", hint=f"it is {wanted}")


def bytes_of(size: object, option: str) -> int:
    """A number of bytes: as a number, or as text with a unit.

    Raises:
        UsageError: EP505.

    >>> bytes_of(5000, "max_memory"), bytes_of("1.5 GB", "max_memory"), bytes_of("2GiB", "max_memory")
    (5000, 1500000000, 2147483648)
    """
    count = 0
    if type(size) is int:
        count = size
    elif isinstance(size, str) and (match := _match_size(size)):
        count = int(float(match[1]) * _UNITS[match[2].lower()])
    if count <= 0:
        hint = "it is such as 500MB, 2GB or 2GiB"
        raise UsageError("EP505", f"{option}: {size!r} is no size of memory", hint=hint)
    return count


@cache
def _start_watcher() -> None:
    """Start the thread that watches, once a process, where it is given no signal of the process."""
    from etalis_py.embedding import prolog

    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        prolog.do("etalis_limits", "start_watcher", mmap.PAGESIZE)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
