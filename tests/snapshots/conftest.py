"""What the tests of snapshots share."""

from __future__ import annotations

from tests.oracle.conftest import backgrounds

__all__ = ["backgrounds"]
