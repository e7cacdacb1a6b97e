"""Runs of the command line that are kept in a folder, on streams that are read in small pieces."""

from __future__ import annotations

from tests.checkpoints.runs import in_small_pieces, work
from tests.cli.conftest import etalis, folder, start

__all__ = ["etalis", "folder", "in_small_pieces", "start", "work"]
