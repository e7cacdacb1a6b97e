"""Who may use an engine, and when: one thread at a time, and nobody after a call that was broken off.

A call changes an engine in many steps, in Python and in Prolog. If it is broken off in the middle, by
KeyboardInterrupt, RecursionError, MemoryError, the exception of a signal or a Prolog error, nobody knows
which were done; so the engine has failed, and every later call says so. Errors that refuse what a caller
gave (a query, a row, an argument) leave it as their documentation says.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from typing_extensions import ParamSpec

from etalis_py.core.errors import DataError, EtalisError, QueryError, RunTimeError, UsageError

__all__ = ["Guard"]

_Inputs = ParamSpec("_Inputs")
_Value = TypeVar("_Value")

_CHANGING: Final = "a call was interrupted"
_REFUSALS: Final = (DataError, QueryError, UsageError)


class Guard:
    """That of one engine. ``failure`` is why it cannot be used any more; "" if it is closed.

    Whatever uses the engine holds ``lock``; the thread that has it may take it again, so a callback may use
    the engine that calls it. Whatever changes the engine is done by ``change``.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.failure: str | None = None
        self._changes = False
        self.pauses = False
        """Whether the change stands still between two portions of answers; the engine may be asked then."""

    def check_usable(self) -> None:
        """
        Raises:
            RunTimeError: EP303, the engine has failed or is closed; EP307, it is in the middle of a change.
        """
        if self.failure is None and not self._changes:
            return
        self._check_at_rest(self._changes)
        if self.failure is not None:
            reason = "is closed" if self.failure == "" else f"has failed: {self.failure}"
            raise RunTimeError("EP303", f"the engine {reason}")

    def check_idle(self) -> None:
        """
        Raises:
            RunTimeError: EP307, the engine is in the middle of a change, made by this very thread.
        """
        self._check_at_rest(self._changes and not self.pauses)

    def _check_at_rest(self, works: bool) -> None:
        if works:
            raise RunTimeError(
                "EP307",
                "the engine is in the middle of a call",
                hint="code that runs during a call, such as a signal handler, must not use it",
            )

    def change(
        self, work: Callable[_Inputs, _Value], *inputs: _Inputs.args, **named: _Inputs.kwargs
    ) -> _Value:
        """Do ``work``, which changes the engine; the value of it. ``lock`` is held.

        The engine counts as failed from the first step on and until the last is done: whatever happens
        between them, at whichever instruction, it is not taken for sound.

        Raises:
            RunTimeError: EP303 or EP307, it cannot be used.
            BaseException: what ``work`` raises. The engine has failed then, unless that is a refusal.
        """
        if self.failure is not None or self._changes:
            self.check_usable()
        self.failure = _CHANGING
        try:  # as in `changing`, without a generator: it stands in each call that sends one event
            self._changes = True
            value = work(*inputs, **named)
            self._changes, self.failure = False, None
        except BaseException as error:
            self._end_with(error)
            raise
        return value

    @contextmanager
    def changing(self) -> Iterator[None]:
        """The same, of what is done inside."""
        self.check_usable()
        self.failure = _CHANGING
        try:
            self._changes = True
            yield
            self._changes, self.failure = False, None
        except BaseException as error:
            self._end_with(error)
            raise

    def _end_with(self, error: BaseException) -> None:
        if isinstance(error, _REFUSALS):
            self._changes, self.failure = False, None
            return
        self._changes = False
        if self.failure != "":  # it was closed meanwhile
            self.failure = _reason(error)


def _reason(error: BaseException) -> str:
    if isinstance(error, EtalisError):
        return error.message
    if isinstance(error, GeneratorExit):
        return "its answers were not taken to the end"
    return f"{_CHANGING} by {type(error).__name__}"
