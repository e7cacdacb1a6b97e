"""The states that the Prolog files of a background declare."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from etalis_py.ontologies.prolog_calls import PrologCalls
from etalis_py.ontologies.state_declarations import PatternText, StateDeclaration

__all__ = ["read_states"]


def read_states(
    prolog: PrologCalls, module: str, files: Sequence[str | os.PathLike[str]]
) -> tuple[StateDeclaration, ...]:
    """What the ``files`` that were loaded into the background ``module`` declare, in their order.

    Each declaration names its file as ``files`` does.
    """
    names = {str(Path(each).absolute()): str(each) for each in files}
    found = prolog.call("etalis_state_declarations", "declared_states", module)
    return tuple(_state(names, *each) for each in found)


def _state(
    names: Mapping[str, str],
    head: list[Any],
    begins: list[Any],
    ends: list[Any],
    prefixes: list[tuple[str, str]],
) -> StateDeclaration:
    file, line, name, variables = head
    return StateDeclaration(
        name,
        tuple(variables),
        PatternText(*begins),
        PatternText(*ends) if ends else None,
        dict(prefixes),
        names.get(file, file),
        line,
    )
