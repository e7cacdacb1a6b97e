"""The options that set limits, of ``etalis run`` and ``etalis shell``."""

from __future__ import annotations

import argparse
from datetime import timedelta

from etalis_py.cli.values import parse_count, parse_delay
from etalis_py.engine.limits import MAX_REGEX_STEPS, Limits, bytes_of, limits_of

__all__ = ["add_limits", "limits_from"]


def add_limits(group: argparse._ActionsContainer) -> None:
    """Give the parser the options."""
    group.add_argument(
        "--max-memory", metavar="SIZE",
        help="most memory of the process, such as 500MB or 2GiB; what needs more ends with an error",
    )  # fmt: skip
    group.add_argument(
        "--max-answers-per-instant", metavar="N", help="most answers of one query at one instant"
    )
    group.add_argument(
        "--max-time-per-instant", metavar="DURATION", help="most time for one instant, such as 10s or PT1M"
    )
    group.add_argument(
        "--max-regex-steps", default=str(MAX_REGEX_STEPS), metavar="N",
        help="most steps of one match of a regular expression (default: %(default)s)",
    )  # fmt: skip


def limits_from(arguments: argparse.Namespace) -> Limits:
    """What the options say.

    Raises:
        UsageError: EP505, EP506.
    """
    memory, answers, time = (
        arguments.max_memory, arguments.max_answers_per_instant, arguments.max_time_per_instant
    )  # fmt: skip
    delay = None if time is None else parse_delay(time, "--max-time-per-instant")
    return limits_of(
        None if memory is None else bytes_of(memory, "--max-memory"),
        None if answers is None else parse_count(answers, "--max-answers-per-instant"),
        None if delay is None else timedelta(microseconds=delay),
        parse_count(arguments.max_regex_steps, "--max-regex-steps"),
    )
