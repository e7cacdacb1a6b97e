"""The options of an engine as commands take them; what each of them is, `etalis_py.engine.options` says."""

from __future__ import annotations

import argparse
from typing import Any

from etalis_py.engine.options import DEFAULTS, OPTIONS, EngineOptions

__all__ = ["LIMITS", "SURROUNDINGS", "add_engine_options", "engine_options"]

SURROUNDINGS = ("background", "graphs", "rules", "functions", "policy")
"""What a query is compiled with besides its text."""
LIMITS = (
    *("max_derivations", "max_memory", "max_answers_per_instant", "max_time_per_instant"),
    "max_regex_steps",
)


def add_engine_options(group: argparse._ActionsContainer, *names: str) -> None:
    """Give the parser options of an engine."""
    for name in names:
        option = OPTIONS[name]
        assert option.flag is not None, "it is an option of the command line"
        more: dict[str, Any] = {"nargs": "+", "action": "extend"} if option.several else {}
        group.add_argument(
            option.flag,
            dest=name,
            default=argparse.SUPPRESS,
            metavar=option.metavar,
            choices=option.choices,
            help=_help(name),
            **more,
        )


def _help(name: str) -> str:
    option, default = OPTIONS[name], getattr(DEFAULTS, name)
    form = f"; {option.form}" if option.form else ""
    shown = f" (default: {default})" if default else ""
    return f"{option.help}{form}{shown}".replace("%", "%%")


def engine_options(arguments: argparse.Namespace) -> EngineOptions:
    """What the options of a command say.

    Raises:
        UsageError: EP505, EP506, a value that an option cannot have; EP510, EP511 for functions.
    """
    given = vars(arguments)
    return EngineOptions(**{name: each.read(given[name]) for name, each in OPTIONS.items() if name in given})
