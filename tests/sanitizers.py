"""Tests that cannot run with libraries that look for errors of memory (``make sanitize``)."""

from __future__ import annotations

import os

import pytest

__all__ = ["IS_SANITIZED", "not_sanitized"]

IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
not_sanitized = pytest.mark.skipif(
    IS_SANITIZED,
    reason="it measures or bounds memory, or sets what is loaded",
)
