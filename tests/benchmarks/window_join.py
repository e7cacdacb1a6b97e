"""A join in a window that slides, with ISTREAM, beside a SEQ that finds the same pairs in the same events.

``python -m tests.benchmarks.window_join [EVENTS] [MILLISECONDS]``: both queries take a batch in turn, so that
other work on the machine hits both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

import pyarrow as pa

from etalis_py.core.vocabulary import XSD
from etalis_py.engine.engine import Engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import bursts, iri

BATCH = 10_000
KEYS = 10_007


def main(events: int = 400_000, width: int = 100) -> None:
    """Print nanoseconds an event in each, the median of all batches but the first two, and their ratio."""
    plain = bursts(events, 2, 1, KEYS)
    placed = plain.append_column("stream", pa.array([iri("s")] * events).dictionary_encode())
    with Engine() as sequence, Engine() as join:
        sequence.register(f"""PREFIX : <{PREFIX}> SELECT ?k ?x ?y {{ {{ ?k :p ?x }} SEQ {{ ?k :q ?y }}
            FILTER (getDURATION() < "PT{width / 1000}S"^^<{XSD}duration>) }}""")
        join.register(f"""PREFIX : <{PREFIX}> SELECT ISTREAM ?k ?x ?y
            FROM NAMED WINDOW :w ON :s [RANGE {width}ms] {{ WINDOW :w {{ ?k :p ?x . ?k :q ?y }} }}""")
        runs = _taking(sequence, plain), _taking(join, placed)
        taken = [tuple(run(at) for run in runs) for at in range(0, events, BATCH)]
    for (_, found), (_, paired) in taken[2:]:
        assert found == paired
    both = [(seq, joined) for (seq, _), (joined, _) in taken[2:]]
    seq, joined = (median(each) / BATCH * 1e9 for each in zip(*both, strict=True))
    ratio = median(seq / joined for seq, joined in both)
    print(f"SEQ {seq:.0f} ns, join {joined:.0f} ns an event; ratio {ratio:.2f}")


def _taking(engine: Engine, events: pa.Table) -> Callable[[int], tuple[float, int]]:
    """What takes the batch that begins at a place, and tells seconds of the processor and answers."""
    rows = events.combine_chunks().to_batches()[0]

    def taken(at: int) -> tuple[float, int]:
        before = time.process_time()
        engine.send_batch(rows.slice(at, BATCH))
        found = sum(each.num_rows for each in engine.tables().values())
        return time.process_time() - before, found

    return taken


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
