"""What the patterns of a query are matched with: the default graph, or named graphs of the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.parse import syntax

__all__ = ["ActiveGraph", "Dataset", "dataset_of"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """What FROM and FROM NAMED say (SPARQL 1.1, section 13.2); None where the query has neither.

    The stream always belongs to the default graph.
    """

    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None


def dataset_of(clauses: tuple[syntax.DatasetClause, ...], resolve: Callable[[syntax.Iri], str]) -> Dataset:
    """The dataset of a query; one kind of clause alone leaves nothing for the other."""
    if not clauses:
        return Dataset()
    iris = [(resolve(clause.iri), clause.named) for clause in clauses]
    default = tuple(dict.fromkeys(iri for iri, named in iris if not named))
    return Dataset(default, tuple(dict.fromkeys(iri for iri, named in iris if named)))


@dataclass(frozen=True, slots=True)
class ActiveGraph:
    """The graph that patterns at one place are matched with; ``name`` is None outside GRAPH."""

    name: algebra.TermPattern | None = None
    sources: tuple[str, ...] | None = None

    @property
    def variable(self) -> algebra.Variable | None:
        """The variable that stands for the graph, in a GRAPH with one."""
        return self.name if isinstance(self.name, algebra.Variable) else None
