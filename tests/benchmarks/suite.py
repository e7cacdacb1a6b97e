"""All workloads, in the order of the table, and how they are found by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from tests.benchmarks.workload import Workload
from tests.benchmarks.workloads import (
    aggregates,
    association,
    files,
    knowledge,
    loading,
    many,
    memory,
    operators,
    paper,
    patterns,
    reading,
    seq,
    single,
    spark,
    threads,
    tracing,
    unheard,
    windows,
    writing,
)

__all__ = ["QUICK", "WORKLOADS", "NoSuchWorkloadError", "choose"]

WORKLOADS: Sequence[Workload] = (
    *seq.WORKLOADS,
    *single.WORKLOADS,
    *operators.WORKLOADS,
    *aggregates.WORKLOADS,
    *windows.WORKLOADS,
    *paper.WORKLOADS,
    *patterns.WORKLOADS,
    *many.WORKLOADS,
    *threads.WORKLOADS,
    *unheard.WORKLOADS,
    *association.WORKLOADS,
    *tracing.WORKLOADS,
    *knowledge.WORKLOADS,
    *loading.WORKLOADS,
    *files.WORKLOADS,
    *reading.WORKLOADS,
    *writing.WORKLOADS,
    *memory.WORKLOADS,
    *spark.WORKLOADS,
)

QUICK: Sequence[str] = (
    "seq2-unrestricted-window-alternating", "seq3-recent-window-alternating", "single-event", "optionalseq",
    "filter", "range-500", "pattern-next", "pattern-absence-100", "queries-100", "read-csv", "write-ndjson",
)  # fmt: skip
"""One of each kind, for a look at a machine in some seconds."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Chosen = TypeVar("Chosen", bound=_Named)


class NoSuchWorkloadError(LookupError):
    """No workload has this name; ``near`` is the most similar one, or None."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(name)
        self.near = next(iter(get_close_matches(name, list(known), n=1)), None)


def choose(names: Iterable[str], known: Sequence[Chosen]) -> list[Chosen]:
    """Those of the known workloads with these names, each once, in their order; all where none is named.

    A name may be a pattern (``seq2-*``), or what names begin with up to a hyphen (``seq2``).

    Raises:
        NoSuchWorkloadError: a name is none and begins none.
    """
    wanted = list(names)
    for name in wanted:
        if not any(_is_meant(each.name, name) for each in known):
            raise NoSuchWorkloadError(name, (each.name for each in known))
    return [each for each in known if not wanted or any(_is_meant(each.name, name) for name in wanted)]


def _is_meant(workload: str, name: str) -> bool:
    return fnmatchcase(workload, name) or workload.startswith(f"{name}-")
