"""What a worker needs to run the engine: plain data that Spark can send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from etalis_py.compiler.compile import (
    CompiledQuery,
    compile_program,
    never,
    no_background,
    order_settlements,
)
from etalis_py.compiler.languages.language_names import LanguageName
from etalis_py.compiler.plan.build_plan import BackgroundTest
from etalis_py.compiler.plan.strata import unifies
from etalis_py.core.errors import CompileError
from etalis_py.engine.options import DEFAULTS, EngineOptions
from etalis_py.spark_udfs.execution.shipping import Shipment

__all__ = ["Program", "QuerySource", "absolute_path", "absolute_paths", "compile_all"]


@dataclass(frozen=True, slots=True)
class QuerySource:
    """A text with one query or more, as ``Engine.register`` takes it: its file, and the base of its IRIs."""

    name: str
    text: str
    source: str | None = None
    base: str | None = None
    language: LanguageName | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """The queries of a program and how to run them; paths are those of the driver.

    ``options`` are those of each worker's engines; each part of the events adds its own number to the prefix
    of blank nodes. Functions travel with the program, pickled as Spark pickles functions.
    """

    queries: tuple[QuerySource, ...]
    options: EngineOptions = DEFAULTS
    shipment: Shipment | None = None
    """The files of background, graphs and rules, once they were read."""
    compiled: tuple[CompiledQuery, ...] = ()
    """What runs in one of the stages, instead of all ``queries``."""

    def with_blank_nodes(self, prefix: str) -> Program:
        """The same, with another prefix of blank nodes."""
        return replace(self, options=replace(self.options, blank_node_prefix=prefix))


def absolute_path(path: str) -> str:
    """The path as workers can use it."""
    return str(Path(path).absolute())


def absolute_paths(options: EngineOptions) -> EngineOptions:
    """The options with absolute paths."""

    def absolute(files: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(absolute_path, files))

    graphs = {iri: absolute(files) for iri, files in options.graphs.items()}
    return replace(
        options, background=absolute(options.background), rules=absolute(options.rules), graphs=graphs
    )


def compile_all(
    queries: Sequence[QuerySource],
    options: EngineOptions = DEFAULTS,
    background: BackgroundTest = no_background,
    *,
    has_graphs: bool | None = None,
) -> list[CompiledQuery]:
    """What the compiler makes of the queries; ``background`` says which patterns background may match,
    ``has_graphs`` whether it
    has named graphs; None where that is not known yet.

    Raises:
        QueryError: a query cannot be used, or two have one name.
    """
    at_instant = options.at is not None
    if has_graphs is None:
        has_graphs = options.has_background
    compiled: list[CompiledQuery] = []
    for query in queries:
        compiled += compile_program(
            query.text,
            name=query.name,
            source=query.source,
            base=query.base,
            language=query.language,
            first_number=len(compiled) + 1,
            background=background,
            at_instant=at_instant,
            policy=options.policy,
            has_graphs=has_graphs,
            starting_at=options.starting_at,
        )
    names = [each.name for each in compiled]
    for name in names:
        if names.count(name) > 1:
            raise CompileError("EP206", f"there is a query named {name!r} already")
    order_settlements(compiled, never if at_instant and len(compiled) == 1 else unifies)
    return compiled
