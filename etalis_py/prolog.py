"""The one way into Prolog: SWI-Prolog embedded by janus.

No other module imports janus. Every call may come from any thread; a Prolog error becomes a RunTimeError
that keeps the original as its cause.
"""

from __future__ import annotations

import threading
from typing import Any

from etalis_py.answer_values import encoded
from etalis_py.collection import without_collection
from etalis_py.embedding import undisturbed
from etalis_py.errors import RunTimeError
from etalis_py.runtime_library import load_library

with undisturbed():
    import janus_swi

__all__ = ["call", "do", "encoded", "holds", "load_runtime"]

_threads = threading.local()
_loading = threading.Lock()


def load_runtime() -> None:
    """Load the rules' run-time library; costs nothing when it is there already."""
    _attach()
    with _loading:
        if not janus_swi.query_once("current_module(etalis_engine)")["truth"]:
            load_library(janus_swi.query_once)


def call(module: str, predicate: str, *inputs: Any) -> Any:
    """The value of the last argument of ``module:predicate(*inputs, Value)``.

    Raises:
        RunTimeError: EP301, the predicate raised or failed.
    """
    _attach()
    try:
        with without_collection():
            return janus_swi.apply_once(module, predicate, *inputs)
    except janus_swi.PrologError as error:
        raise _run_time_error(predicate, error) from error


def holds(module: str, predicate: str, *inputs: Any) -> bool:
    """Whether ``module:predicate(*inputs)`` succeeds.

    Raises:
        RunTimeError: EP301, the predicate raised.
    """
    _attach()
    try:
        return bool(janus_swi.cmd(module, predicate, *inputs))
    except janus_swi.PrologError as error:
        raise _run_time_error(predicate, error) from error


def do(module: str, predicate: str, *inputs: Any) -> None:
    """Call ``module:predicate(*inputs)`` for its effect.

    Raises:
        RunTimeError: EP301, the predicate raised or failed.
    """
    if not holds(module, predicate, *inputs):
        raise RunTimeError("EP301", f"the Prolog predicate {predicate} failed")


def _attach() -> None:
    """Give the calling thread a Prolog engine; janus crashes without one (seen with janus-swi 1.5.3)."""
    if getattr(_threads, "attached", False) or threading.current_thread() is threading.main_thread():
        return
    janus_swi.attach_engine()
    _threads.attached = True


def _run_time_error(predicate: str, error: Exception) -> RunTimeError:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - janus cannot print error terms that hold what Python has no form for
        text = "an error that cannot be shown"
    return RunTimeError("EP301", f"Prolog reports in {predicate}: {text}")
