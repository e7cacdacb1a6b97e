"""Stops a call into Prolog while it runs.

Such a call may take hours, a loop in a user's rule for ever, and Python handles no signal before it returns.
So a watcher, a thread of the process, looks ten times a second at the calls that run; it sleeps while there
are none. A call that it sees twice is asked to look up:

- In the main thread the handlers run of the signals that came. What one raises (KeyboardInterrupt,
  SystemExit, the exception of a timeout) ends the call; if it returns, the call goes on. So a signal needs
  nothing but ``signal.signal``. ``INTERRUPTION.is_inside`` tells a handler that it runs in the middle of a
  call.
- ``INTERRUPTION.stop(thread, error)`` ends the call that runs in a thread, and
  ``INTERRUPTION.checked(check)`` lets ``check`` say, as long as calls of this thread run, whether they may go
  on: for limits of time and memory.

The call is aborted, which no goal in Prolog can catch for good, and the error is raised in its place. What
becomes of the engine whose call it was, ``guard.py`` says. The questions of a user (``questions.py``) look up
by alarms of their own, for they run in coroutines.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import GeneratorType
from typing import Final, TypeAlias, cast

__all__ = ["INTERRUPTION", "Check", "Look", "Running"]

_INTERVAL: Final = 0.1
"""Seconds between two looks at the calls that run."""
_IDLE: Final = 10
"""After so many looks at nothing the watcher sleeps."""
_PATIENCE: Final = 5
"""After so many looks a call that has not looked up counts as asleep, and is woken."""

Check: TypeAlias = Callable[[], "BaseException | None"]
"""Gives the error by which a call is to end, or None. It is called by the watcher, so in another thread."""
Look: TypeAlias = Callable[[], bool]
"""Looks up from a call: True, if it is to end."""


class Running:
    """The calls into Prolog of one thread, whose Prolog engine is number ``engine``.

    ``depth`` is how many are open, each called within the one before; ``count`` is how many there were.
    """

    __slots__ = (
        "__weakref__",
        "_look_ups",
        "asked",
        "checks",
        "count",
        "depth",
        "engine",
        "error",
        "looked",
        "seen",
        "waits",
    )

    def __init__(self, engine: int) -> None:
        self.engine = engine
        self.depth = 0
        self.count = 0
        self.seen = 0
        """The call that the watcher saw last."""
        self.asked = 0
        """How often the watcher asked calls to look up."""
        self.looked = 0
        """``asked`` when a call looked up last. Only this thread sets it, and only the watcher the others."""
        self.waits = 0
        """How often the watcher looked since it asked this call."""
        self.error: BaseException | None = None
        """What the call is to raise."""
        self.checks: list[Check] = []
        self._look_ups = self._begin_looking()

    @property
    def look(self) -> Look:
        """Asks the call whether it is to end; made again if an error has ended the generator."""
        if self._look_ups.gi_frame is None:
            self._look_ups = self._begin_looking()
        return self._look_ups.__next__

    def _begin_looking(self) -> GeneratorType[bool, None, None]:
        look_ups = cast("GeneratorType[bool, None, None]", self._looks())
        next(look_ups)
        return look_ups

    def _looks(self) -> Iterator[bool]:
        """A generator, since it is resumed inside the ``try``: there Python runs the handlers of signals."""
        while True:
            try:
                while True:
                    yield self.error is not None
                    self.looked = self.asked
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - whatever a handler raises ends the call
                self.error = error

    def check(self) -> None:
        """Note the first error that a check gives."""
        for check in self.checks:
            self.error = self.error or check()


class Interruption:
    """The calls that run in this process, by thread, and the watcher.

    ``asleep``: it must be woken before a call that it is to see.
    """

    def __init__(self) -> None:
        self.asleep = True
        self._running: dict[int, Running] = {}
        self._waiting: set[int] = set()
        self._begin = threading.Event()
        self._starting = threading.Lock()
        self._watcher: threading.Thread | None = None
        self._over = threading.Event()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_others)

    # ---- the threads that call --------------------------------------------------------------------------

    def add(self, running: Running) -> None:
        """The current thread is going to call."""
        self._running[threading.get_ident()] = running

    def remove(self) -> None:
        """The current thread ends."""
        self._running.pop(threading.get_ident(), None)

    def wake(self, ask: Callable[[Running], None]) -> None:
        """A call begins, and the watcher sleeps. ``ask`` asks a call to look up."""
        with self._starting:
            if self._watcher is None and not self._over.is_set():
                watcher = threading.Thread(
                    target=self._watch, args=(ask,), name="etalis_py watches calls", daemon=True
                )
                watcher.start()
                self._watcher = watcher
            self._begin.set()
            self.asleep = False  # last: if a handler raises before it, the next call wakes

    @property
    def is_inside(self) -> bool:
        """Whether the current thread is in the middle of a call into Prolog, or waits for calls of others."""
        thread = threading.get_ident()
        running = self._running.get(thread)
        return thread in self._waiting or (running is not None and running.depth > 0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Inside, the current thread waits for calls of other threads."""
        thread = threading.get_ident()
        self._waiting.add(thread)
        try:
            yield
        finally:
            self._waiting.discard(thread)

    # ---- what stops calls -------------------------------------------------------------------------------

    def stop(self, thread: int, error: BaseException) -> bool:
        """End the call that runs in ``thread`` (a `threading.get_ident`); False, if none runs."""
        running = self._running.get(thread)
        if running is None or not running.depth:
            return False
        running.error = error
        return True

    @contextmanager
    def checked(self, check: Check) -> Iterator[None]:
        """Calls that this thread makes inside may go on only as long as ``check`` says so."""
        checks = self._running[threading.get_ident()].checks
        checks.append(check)
        try:
            yield
        finally:
            checks.remove(check)

    # ---- the watcher ------------------------------------------------------------------------------------

    def end(self) -> None:
        """End the watcher: the process ends, and with it Prolog."""
        self._over.set()
        self._begin.set()
        if self._watcher is not None:
            self._watcher.join()

    def _watch(self, ask: Callable[[Running], None]) -> None:
        if hasattr(signal, "pthread_sigmask"):  # signals are for threads that wait for them
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        idle = 0
        while not self._over.wait(_INTERVAL):
            idle = 0 if self._look_around(ask) else idle + 1
            if idle > _IDLE:
                self._begin.clear()
                self.asleep = True
                if not any(running.depth for running in list(self._running.values())):
                    self._begin.wait()
                self.asleep, idle = False, 0

    def _look_around(self, ask: Callable[[Running], None]) -> bool:
        """Ask all calls that have run for a while to look up; whether any runs."""
        calling = [each for each in list(self._running.items()) if each[1].depth]
        for thread, running in calling:
            running.check()
            if running.seen != running.count:
                running.seen, running.waits = running.count, 0
                continue
            if not running.waits or running.looked == running.asked:
                running.waits = 0
                running.asked += 1
                ask(running)
            elif running.waits % _PATIENCE == 0:
                from etalis_py.embedding.signal_stack import wake  # seldom, and slow to load

                wake(thread)
            running.waits += 1
        return bool(calling)

    def _forget_others(self) -> None:
        """The current thread is the only one after a fork."""
        here = threading.get_ident()
        self._running = {thread: each for thread, each in self._running.items() if thread == here}
        self._starting, self._begin, self._over = threading.Lock(), threading.Event(), threading.Event()
        self._watcher, self.asleep = None, True


INTERRUPTION: Final = Interruption()
"""That of this process."""
