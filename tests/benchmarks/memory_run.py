"""One long stream through a pattern, in a process of its own; prints what memory it took, as JSON.

Run: python -m tests.benchmarks.memory_run engine|kernel EVENTS known|new [--pattern NAME] [--trace]
With ``new`` no IRI and no literal comes twice, but for the pairs of one key. The kernel has the SEQ with a
window, which is meant without a pattern. ``--trace`` tells at each sample what Prolog keeps, on standard
error.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator

import pyarrow as pa

from tests.benchmarks.contender import engine
from tests.benchmarks.kernel import PREFIX, by_hand, kept_by_prolog
from tests.benchmarks.machine import resident_bytes
from tests.benchmarks.streams import STEP, duration, events, integer, iri

__all__ = ["main"]

BATCH = 10_000
KEYS = 1_000
WINDOW = 2 * KEYS * STEP
"""Microseconds; each second step comes right after its first step, and next time the key is out of it."""
QUERY = (
    f"PREFIX : <{PREFIX}> SELECT * WHERE {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} "
    f"FILTER(getDURATION() < {duration(WINDOW)}) }}"
)
PATTERNS = {
    "next": "{ ?x :p ?a } SEQ NEXT { ?x :q ?b } WITHIN PT2S",
    "all": "{ ?x :p ?a } SEQ REPEAT { ?x :q ?v } MEASURES (COUNT(*) AS ?n, SUM(?v) AS ?sum) WITHIN PT2S",
    "strict": "{ ?x :p ?a } SEQ STRICT PER ?x { ?x :q ?b } WITHIN PT2S",
    "longest": "REPEAT STRICT LONGEST PER ?x { ?x :p ?v WITHIN PT1S } MEASURES (COUNT(*) AS ?n)",
    "absence": "{ ?x :p ?a } SEQ NOT { ?x :p ?b } FOR PT1S",
    "before": "NOT { ?x :q ?b } FOR PT1S SEQ { ?x :p ?a } WITHIN PT1S",
}
SAMPLES = 100


def stream(count: int, *, new: bool) -> Iterator[pa.Table]:
    """The events, made batch by batch."""
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        subjects = [iri(f"k{n // 2 if new else n // 2 % KEYS}") for n in numbers]
        objects = [integer(n if new else n % 1000) for n in numbers]
        yield events(subjects, [iri("pq"[n % 2]) for n in numbers], objects, first)


class Watched:
    """A stream that looks at the memory of the process while it is read."""

    def __init__(self, count: int, *, new: bool, trace: bool) -> None:
        self._count, self._new, self._trace = count, new, trace
        self.samples: list[int] = []

    def to_batches(self, max_chunksize: int) -> Iterator[pa.RecordBatch]:
        """As an Arrow table has it."""
        every = max(1, self._count // BATCH // SAMPLES)
        for number, table in enumerate(stream(self._count, new=self._new)):
            yield from table.to_batches(max_chunksize=max_chunksize)
            if number % every == every - 1:
                self.samples.append(resident_bytes())
                if self._trace:
                    print(self.samples[-1], json.dumps(kept_by_prolog()), file=sys.stderr, flush=True)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("contender", choices=("engine", "kernel"))
    arguments.add_argument("events", type=int)
    arguments.add_argument("terms", choices=("known", "new"))
    arguments.add_argument("--pattern", choices=PATTERNS)
    arguments.add_argument("--trace", action="store_true")
    given = arguments.parse_args()
    watched = Watched(given.events, new=given.terms == "new", trace=given.trace)
    query = QUERY
    if given.pattern is not None:
        query = f"PREFIX : <{PREFIX}> SELECT * WHERE {{ {PATTERNS[given.pattern]} }}"
    contender = (
        engine(watched, query) if given.contender == "engine" else by_hand("seq2", watched, "pq", WINDOW)
    )
    with contender.ready(False) as run:
        began = time.process_time()
        outcome = run()
        seconds = time.process_time() - began
    print(json.dumps({"answers": outcome.answers, "seconds": seconds, **growth(watched.samples)}))


def growth(samples: list[int]) -> dict[str, float]:
    """Memory after a tenth of the stream, the most there was later, and how much that is more."""
    tenth = samples[max(0, len(samples) // 10 - 1)]
    most = max(samples[len(samples) // 10 :])
    return {
        "after_a_tenth_bytes": tenth,
        "most_later_bytes": most,
        "growth_percent": round(100 * (most - tenth) / tenth, 2),
    }


if __name__ == "__main__":
    main()
