"""What SWI-Prolog does about signals, and Python does not know.

SWI-Prolog 9.2.9 gives each engine that is made an alternate signal stack (``initGuardCStack`` in
``pl-setup.c``), and by that the thread that makes it. With the engine the stack is freed, and the next signal
that Python handles (Ctrl-C) writes over memory that is used otherwise. And it has a signal of its own, to let
system calls end in which one of its threads sleeps.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["kept_signal_stack", "wake"]


_STACK_BYTES = 64
"""More than ``stack_t`` of signal.h takes on any system; it is only handed back."""
_ACTION_BYTES = 512
"""More than ``struct sigaction`` takes; on Linux and macOS the handler comes first."""


@cache
def _sigaltstack() -> Any:
    try:
        return ctypes.CDLL(None).sigaltstack
    except (AttributeError, OSError, TypeError):  # a system without it has no such stack to keep
        return None


@contextmanager
def kept_signal_stack() -> Iterator[None]:
    """Whatever makes Prolog engines inside this, the thread handles its signals where it did before."""
    sigaltstack = _sigaltstack()
    before = ctypes.create_string_buffer(_STACK_BYTES)
    known = sigaltstack is not None and sigaltstack(None, before) == 0
    try:
        yield
    finally:
        if known:
            sigaltstack(before, None)


def wake(thread: int) -> None:
    """Let the system call end in which a thread (a `threading.get_ident`) sleeps.

    By the signal that Prolog has for that, unless somebody else handles it, or it would end the process.
    """
    number = getattr(signal, "SIGUSR2", None)
    if number is not None and signal.getsignal(number) in (None, signal.SIG_DFL) and _is_caught(number):
        signal.pthread_kill(thread, number)


def _is_caught(number: int) -> bool:
    action = ctypes.create_string_buffer(_ACTION_BYTES)
    try:
        failed = ctypes.CDLL(None).sigaction(number, None, action)
    except (AttributeError, OSError, TypeError):
        return False
    handler = ctypes.cast(action, ctypes.POINTER(ctypes.c_void_p))[0] or 0
    return not failed and handler not in (int(signal.SIG_DFL), int(signal.SIG_IGN))
