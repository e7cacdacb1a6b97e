"""What the patterns of a query are matched with: the default graph, or named graphs of the background."""

from __future__ import annotations

from collections.abc import Callable

from etalis_py.compiler.algebra import algebra
from etalis_py.compiler.parse import syntax
from etalis_py.core.value_class import value_class

__all__ = ["ActiveGraph", "Dataset", "dataset_of"]


@value_class
class Dataset:
    """What FROM and FROM NAMED say (SPARQL 1.1, section 13.2); None where the query has neither.

    The stream always belongs to the default graph; FROM STREAM says which streams.
    """

    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None
    streams: tuple[str, ...] = ()
    """Those of FROM STREAM; none: all."""


def dataset_of(clauses: tuple[syntax.DatasetClause, ...], resolve: Callable[[syntax.Iri], str]) -> Dataset:
    """The dataset of a query; one kind of clause alone leaves nothing for the other."""
    streams = tuple(dict.fromkeys(resolve(clause.iri) for clause in clauses if clause.stream))
    iris = [(resolve(clause.iri), clause.named) for clause in clauses if not clause.stream]
    if not iris:
        return Dataset(streams=streams)
    default = tuple(dict.fromkeys(iri for iri, named in iris if not named))
    return Dataset(default, tuple(dict.fromkeys(iri for iri, named in iris if named)), streams)


@value_class
class ActiveGraph:
    """What patterns at one place are matched with; ``name`` is that of a background graph, in GRAPH.

    ``place``: they stand in STREAM, EVENT, WINDOW, or a GRAPH over elements. ``background_only``: a windowed
    query sees streams through its windows; what those of ``windows`` hold belongs to its default graph.
    """

    name: algebra.TermPattern | None = None
    sources: tuple[str, ...] | None = None
    streams: tuple[str, ...] = ()
    place: algebra.Place | None = None
    background_only: bool = False
    windows: tuple[algebra.Place, ...] = ()

    @property
    def variables(self) -> tuple[algebra.Variable, ...]:
        """The variables that stand for the graph, the stream or the element."""
        terms = (self.name,) if self.place is None else self.place.terms
        return tuple(each for each in terms if isinstance(each, algebra.Variable))

    @property
    def is_element(self) -> bool:
        """Whether patterns belong to one element of a stream."""
        return self.place is not None and self.place.element is not None
