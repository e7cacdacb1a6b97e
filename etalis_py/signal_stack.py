"""Keeps the stack on which signals are handled, which a Prolog engine takes over and then frees.

SWI-Prolog 9.2.9 gives each engine that is made an alternate signal stack (``initGuardCStack`` in
``pl-setup.c``), and by that the thread that makes it. With the engine the stack is freed, and the next signal
that Python handles (Ctrl-C) writes over memory that is used otherwise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["kept_signal_stack"]


_STACK_BYTES = 64
"""More than ``stack_t`` of signal.h takes on any system; it is only handed back."""


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
