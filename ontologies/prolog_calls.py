"""How background knowledge speaks to Prolog."""

from __future__ import annotations

from typing import Any, Protocol

__all__ = ["PrologCalls"]


class PrologCalls(Protocol):
    """The part of the module `etalis_py.embedding.prolog` that is needed here."""

    def call(self, module: str, predicate: str, /, *inputs: Any) -> Any:
        """The last argument of a predicate that the others determine."""

    def do(self, module: str, predicate: str, /, *inputs: Any) -> None:
        """Call a predicate for its effect."""
