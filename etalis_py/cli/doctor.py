"""``etalis doctor``: what the engine needs on this machine, and whether it is there."""

from __future__ import annotations

import argparse

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give the parser the arguments of the command: none but those that all have."""
    parser.epilog = "exit codes: 0, or 4 where something that is needed is missing or broken."


def run(_arguments: argparse.Namespace) -> int:
    """Print what was found; 4 if something needed is missing or broken."""
    from etalis_py.doctor import main

    return main([])
