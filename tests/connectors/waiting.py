"""Waiting for what comes in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from tests.patience import PATIENCE

_Value = TypeVar("_Value")


def eventually(found: Callable[[], _Value], wanted: Callable[[_Value], bool]) -> _Value:
    """What is found, as soon as it is what is wanted."""
    end = time.monotonic() + PATIENCE
    while not wanted(value := found()):
        assert time.monotonic() < end, value
        time.sleep(0.05)
    return value
