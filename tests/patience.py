"""How long tests wait for what must happen: to end a test that hangs, and never to judge speed."""

from __future__ import annotations

PATIENCE = 300.0
"""Seconds. No wait takes a fifth of that on a machine with many times as much to do as it has cores."""
