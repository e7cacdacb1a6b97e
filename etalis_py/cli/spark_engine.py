"""``etalis run --engine spark``."""

from __future__ import annotations

from etalis_py.cli.request import Request
from etalis_py.errors import UsageError

__all__ = ["run_on_spark"]


def run_on_spark(request: Request) -> int:
    """Run on Spark; the exit code.

    Raises:
        UsageError: EP506, this version cannot.
    """
    raise UsageError(
        "EP506",
        f"--engine spark cannot run {', '.join(request.queries)} in this version",
        hint="leave out --engine: the queries run in this process",
    )
