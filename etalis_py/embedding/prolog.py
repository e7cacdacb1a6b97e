"""The one way into Prolog: SWI-Prolog embedded by janus.

No other module imports janus. Every call may come from any thread: each has a Prolog engine from its first
call to its end. A call may be ended while it runs (``interruption.py``). A Prolog error becomes a
RunTimeError that keeps the original as its cause.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from typing_extensions import Self

from etalis_py.core.collection import without_collection
from etalis_py.core.errors import RunTimeError
from etalis_py.embedding.answer_values import encoded
from etalis_py.embedding.interruption import INTERRUPTION, Look, Running
from etalis_py.embedding.native import (
    answers_taken,
    load_native,
    native_file,
    times_fit,
    unlocked_library,
)
from etalis_py.embedding.runtime_library import load_library
from etalis_py.embedding.undisturbed import undisturbed

with undisturbed():
    import janus_swi

__all__ = [
    "Solutions",
    "answers_taken",
    "call",
    "do",
    "encoded",
    "holds",
    "load_runtime",
    "look",
    "native",
    "native_file",
    "times_fit",
    "unlocked_library",
]

_LEAKED = 3
"""References to the number of a query that is closed: a variable, an argument, and one that nobody holds.

janus-swi 1.5.3 counts the number once too often (``tuple_set_int`` in ``mod_swipl.c``), and so 32 bytes a
query would never be freed.
"""
_Value = TypeVar("_Value")
_threads = threading.local()
_loading = threading.Lock()
atexit.register(INTERRUPTION.end)


def load_runtime() -> None:
    """Load the rules' run-time library; costs nothing when it is there already."""
    _running()
    with _loading:
        if not janus_swi.query_once("current_module(etalis_engine)")["truth"]:
            load_library(janus_swi.query_once)
            load_native(janus_swi.query_once)


def call(module: str, predicate: str, *inputs: Any) -> Any:
    """The value of the last argument of ``module:predicate(*inputs, Value)``.

    Raises:
        RunTimeError: EP301, the predicate raised or failed.
        BaseException: whatever ended the call while it ran.
    """
    return _run(janus_swi.apply_once, module, predicate, inputs)


class Solutions:
    """The values of the last argument of ``module:predicate(*inputs, Value)``, each found when asked for.

    Between two of them anything may be called, but what a thread began last it must end first: there is one
    stack. ``close`` ends the call, wherever it is.

    Raises:
        RunTimeError: EP301, the predicate raised; EP313, a call of this thread that began later is open.
    """

    def __init__(self, module: str, predicate: str, *inputs: Any) -> None:
        _running()
        self._predicate = predicate
        self.is_open = True
        self._others: list[Solutions] = _open_calls()
        with without_collection():
            self._query = janus_swi.apply(module, predicate, *inputs)
        self._number = self._query.state[1]
        self._others.append(self)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if self._others[-1:] != [self]:
            raise RunTimeError(
                "EP313",
                "another engine, which began later, is in the middle of its work",
                hint="take all its answers first",
            )
        return _run(self._step, "", self._predicate, ())

    def _step(self, _module: str, _predicate: str) -> Any:
        return next(self._query)

    def close(self) -> None:
        """End the call; may be called again."""
        self.is_open = False
        while self._others and not self._others[-1].is_open:
            self._others.pop().give_back()

    def give_back(self) -> None:
        """What ``close`` does to the call that began last."""
        number, self._number = self._number, None
        self._query.close()
        if sys.getrefcount(number) == _LEAKED:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(number))


def _open_calls() -> list[Solutions]:
    """Those of this thread, the newest last."""
    if not hasattr(_threads, "open_calls"):
        _threads.open_calls = []
    calls: list[Solutions] = _threads.open_calls
    return calls


def holds(module: str, predicate: str, *inputs: Any) -> bool:
    """Whether ``module:predicate(*inputs)`` succeeds.

    Raises:
        RunTimeError: EP301, the predicate raised.
        BaseException: whatever ended the call while it ran.
    """
    return bool(_run(janus_swi.cmd, module, predicate, inputs))


def do(module: str, predicate: str, *inputs: Any) -> None:
    """Call ``module:predicate(*inputs)`` for its effect.

    Raises:
        RunTimeError: EP301, the predicate raised or failed.
        BaseException: whatever ended the call while it ran.
    """
    if not holds(module, predicate, *inputs):
        raise RunTimeError("EP301", f"the Prolog predicate {predicate} failed")


def native(function: Callable[..., _Value], *inputs: Any) -> _Value:
    """Call a function of the native library that may call Prolog; it has given the interpreter's lock back.

    Raises:
        BaseException: whatever ended the call while it ran.
    """
    running = _running()
    before = running.depth
    if not before:
        running.error = None  # it was meant for the call before
    try:
        running.depth = before + 1
        running.count += 1
        if INTERRUPTION.asleep:
            INTERRUPTION.wake(_ask_to_look)
        value = function(*inputs)
    finally:
        running.depth = before  # whichever line a handler of a signal raised at
    if running.error is not None:
        ended_by, running.error = running.error, None
        raise ended_by
    return value


def _run(way: Any, module: str, predicate: str, inputs: tuple[Any, ...]) -> Any:
    """Call Prolog one ``way`` or the other, so that the call can be ended.

    What crosses is made of many small objects without cycles: to look for cycles would double the time.
    """
    collects = gc.isenabled()
    try:
        gc.disable()
        return native(way, module, predicate, *inputs)
    except janus_swi.PrologError as error:
        running = _running()
        ended_by, running.error = running.error, None
        if ended_by is None:
            raise _run_time_error(predicate, error) from error
    finally:
        if collects:
            gc.enable()
    raise ended_by


def look() -> Look:
    """Looks up from a call of the current thread, for goals that run apart from it (``questions.py``)."""
    return _running().look


def _ask_to_look(running: Running) -> None:
    """Ask a call to look up; by the watcher, whose own calls nobody watches."""
    if not hasattr(_threads, "attached"):
        _threads.attached = _Attached()
    janus_swi.cmd("etalis_interruption", "ask_to_look", running.engine, running.look)


# ---- threads ----------------------------------------------------------------------------------------------


class _Attached:
    """The current thread has a Prolog engine for as long as this is there; janus crashes without one."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        janus_swi.attach_engine()

    def __del__(self) -> None:
        """In the thread itself, when it ends; a fork drops what is of other threads, which is not an end."""
        if threading.get_ident() == self._thread and not sys.is_finalizing():
            INTERRUPTION.remove()
            janus_swi.detach_engine()


def _running() -> Running:
    """The calls of the current thread, which can call from now on."""
    try:
        found: Running = _threads.running
    except AttributeError:
        if janus_swi.engine() < 0:
            _threads.attached = _Attached()
        found = Running(janus_swi.engine())
        INTERRUPTION.add(found)
        _threads.running = found
    return found


def _run_time_error(predicate: str, error: Exception) -> RunTimeError:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - janus cannot print error terms that hold what Python has no form for
        text = "an error that cannot be shown"
    if text.endswith("Not enough resources: memory"):
        return RunTimeError("EP312", f"out of memory in {predicate}")
    return RunTimeError("EP301", f"Prolog reports in {predicate}: {text}")
