"""Tests that cannot run with libraries that look for errors of memory (``make sanitize``)."""

from __future__ import annotations

import os

import pytest

__all__ = ["not_sanitized"]

not_sanitized = pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="it measures or bounds memory, or sets what is loaded",
)
