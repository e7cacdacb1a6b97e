"""All workloads, in the order of the table, and how they are found by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

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
    reading,
    seq,
    single,
    spark,
    tracing,
    writing,
)

__all__ = ["WORKLOADS", "NoSuchWorkloadError", "choose"]

WORKLOADS: Sequence[Workload] = (
    *seq.WORKLOADS,
    *single.WORKLOADS,
    *operators.WORKLOADS,
    *aggregates.WORKLOADS,
    *paper.WORKLOADS,
    *many.WORKLOADS,
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


class NoSuchWorkloadError(LookupError):
    """No workload has this name; ``near`` is the most similar one, or None."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.near = next(iter(get_close_matches(name, [each.name for each in WORKLOADS], n=1)), None)


def choose(names: Iterable[str]) -> list[Workload]:
    """The workloads with these names, each once, in the order of the suite; all where none is named.

    A name may be a pattern (``seq2-*``), or what names begin with up to a hyphen (``seq2``).

    Raises:
        NoSuchWorkloadError: a name is none and begins none.
    """
    wanted = list(names)
    for name in wanted:
        if not any(_is_meant(each, name) for each in WORKLOADS):
            raise NoSuchWorkloadError(name)
    return [each for each in WORKLOADS if not wanted or any(_is_meant(each, name) for name in wanted)]


def _is_meant(workload: Workload, name: str) -> bool:
    return fnmatchcase(workload.name, name) or workload.name.startswith(f"{name}-")
