"""The Prolog predicates a question is most often made of, and which one an unknown name may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from etalis_py.core.errors import RunTimeError

if TYPE_CHECKING:
    from etalis_py.engine.engine import Engine

__all__ = ["VIEWS", "did_you_mean", "own_predicates"]

VIEWS: Final = (
    "rdf", "rdf_asserted", "rdfs_subclass_of", "rdfs_subproperty_of", "rdfs_individual_of",
    "waiting", "occurrence", "since",
)  # fmt: skip
"""What the engine tells."""

_LIBRARY: Final = ("member", "findall", "aggregate_all", "forall", "between", "format", "length")
_INTERNAL: Final = frozenset({"rdfs", "rdfs_subclass", "rdfs_subproperty"})
"""What `VIEWS` are made of."""

_HOWEVER: Final = "However, there are definitions for:"
"""So Prolog begins its own list of names that are near."""

_find_unknown = re.compile(r"Unknown procedure: (?:\w+:)?'?(\w+)'?/(\d+)\s*\Z").search


def own_predicates(engine: Engine) -> list[str]:
    """What questions are most often made of, then the predicates of the rules files."""
    own = (name for name, arity in engine.knowledge.user_predicates() if arity and name not in _INTERNAL)
    return list(dict.fromkeys([*VIEWS, *_LIBRARY, *own]))


@contextmanager
def did_you_mean(engine: Engine) -> Iterator[None]:
    """Within, an error about a predicate that there is not gets a hint at one that has nearly its name."""
    try:
        yield
    except RunTimeError as error:
        error.message, _, near = error.message.partition(_HOWEVER)
        error.message = error.message.rstrip()
        unknown = _find_unknown(error.message)
        if near:
            error.hint = _hint(near.split())
        elif unknown is not None and error.hint is None:
            known = [*own_predicates(engine), *_built_in(engine)]
            error.hint = _hint(get_close_matches(unknown[1], known, n=1, cutoff=0.75))
        raise


def _hint(near: Sequence[str]) -> str | None:
    return f"did you mean {' or '.join(near)}?" if near else None


def _built_in(engine: Engine) -> Iterator[str]:
    """The predicates of Prolog itself."""
    found = engine.prolog("predicate_property(system:H, built_in), functor(H, N, _)", written=True)
    return (each["N"] for each in found)
