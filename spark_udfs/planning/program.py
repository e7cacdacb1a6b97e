"""What a worker needs to run the engine: plain data that Spark can send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from etalis_py.compiler.algebra.policies import PolicyName
from etalis_py.compiler.compile import (
    CompiledQuery,
    compile_program,
    never,
    no_background,
    order_settlements,
)
from etalis_py.compiler.plan.build_plan import BackgroundTest
from etalis_py.compiler.plan.strata import unifies
from etalis_py.core.errors import CompileError
from etalis_py.engine.functions import Function
from etalis_py.engine.limits import NO_LIMITS, Limits
from etalis_py.spark_udfs.execution.shipping import Shipment

__all__ = ["Program", "QuerySource", "compile_all"]


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A text with one query or more, as ``Engine.register`` takes it: its file, and the base of its IRIs."""

    name: str
    text: str
    source: str | None = None
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """The queries of a program and how to run them; paths are those of the driver.

    ``blank_nodes`` is how the labels begin of the blank nodes that CONSTRUCT queries make; each part of the
    events adds its own number. ``graphs``: the IRI and the files of each named graph.
    """

    queries: tuple[QuerySource, ...]
    background: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    entailment: Literal["rdfs", "none"] = "rdfs"
    max_derivations: int = 100_000
    blank_nodes: str = "etalis"
    graphs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    at: int | None = None
    """The one instant of the run, microseconds (UTC), if it has but one."""
    policy: PolicyName = "unrestricted"
    functions: tuple[tuple[str, Function], ...] = ()
    """Python functions by IRI; they travel with the program, pickled as Spark pickles functions."""
    shipment: Shipment | None = None
    """The files of ``background``, ``graphs`` and ``rules``, once they were read."""
    limits: Limits = NO_LIMITS
    """Of each worker's engines."""
    compiled: tuple[CompiledQuery, ...] = ()
    """Of a program in stages: what runs in one of them, instead of all ``queries``."""

    @property
    def has_background(self) -> bool:
        """Whether Prolog has to be asked what the queries mean."""
        return bool(self.background or self.graphs or self.rules)


def compile_all(
    queries: Sequence[QuerySource],
    background: BackgroundTest = no_background,
    *,
    at_instant: bool = False,
    policy: PolicyName = "unrestricted",
) -> list[CompiledQuery]:
    """What the compiler makes of the queries; ``background`` says which patterns background may match.

    ``at_instant``: the run has one instant only. ``policy`` is that of queries without one of their own.

    Raises:
        QueryError: a query cannot be used, or two have one name.
    """
    compiled: list[CompiledQuery] = []
    for query in queries:
        compiled += compile_program(
            query.text,
            name=query.name,
            source=query.source,
            base=query.base,
            first_number=len(compiled) + 1,
            background=background,
            at_instant=at_instant,
            policy=policy,
        )
    names = [each.name for each in compiled]
    for name in names:
        if names.count(name) > 1:
            raise CompileError("EP206", f"there is a query named {name!r} already")
    order_settlements(compiled, never if at_instant and len(compiled) == 1 else unifies)
    return compiled
