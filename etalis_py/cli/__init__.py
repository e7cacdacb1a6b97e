"""The command line: ``etalis run``, ``explain``, ``check``, ``doctor``, ``bench`` and ``demo``."""

from __future__ import annotations

from etalis_py.cli.entry import main

__all__ = ["main"]
