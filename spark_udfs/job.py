"""What a worker needs to run the engine: plain data that Spark can send."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Job"]


@dataclass(frozen=True, slots=True)
class Job:
    """The queries of a program and how to run them.

    ``queries`` are (name, text, source) as ``Engine.register`` takes them; ``variables`` the columns of the
    answers, over all queries.
    """

    queries: tuple[tuple[str, str, str | None], ...]
    variables: tuple[str, ...]
    background: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    entailment: Literal["rdfs", "none"] = "rdfs"
    max_derivations: int = 100_000
