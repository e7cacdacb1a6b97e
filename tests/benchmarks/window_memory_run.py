"""What memory windows take for each element that they hold, in a process of its own; prints it as JSON.

Run: python -m tests.benchmarks.window_memory_run QUERY ELEMENTS [ELEMENTS ...]

A window is filled, emptied, and filled again. Bytes are what the C library has given out, with
what the engine keeps for later. Before that each term has come once, and is kept by the reader
(``etalis_py/texts/words.py``): so windows are measured alone. Graphs have new names each time.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from etalis_py.engine.engine import Engine
from tests.benchmarks.kernel import PREFIX
from tests.benchmarks.streams import STEP, integer, iri

__all__ = ["QUERIES", "Filled", "Held", "main"]

BATCH = 10_000
FEW = 100
"""Elements after a burst."""
CHAIN = 4
"""Elements that lead from one node to the next."""
P, Q = "?k :p ?x", "?k :q ?y"


@dataclass(frozen=True, slots=True)
class Held:
    """A query over windows; ``steps`` of each key in turn: `p`, or `p` and `q`."""

    select: str
    where: str
    grouped: str = ""
    steps: str = "p"
    extent: str = "RANGE {0}ms"

    def query(self, size: int) -> str:
        """The query, over windows of so many elements."""
        return (
            f"PREFIX : <{PREFIX}> SELECT {self.select} FROM NAMED WINDOW :w ON :s "
            f"[{self.extent.format(size, size // 4)}] WHERE {{ {self.where} }} {self.grouped}"
        )


def _window(pattern: str) -> str:
    return f"WINDOW :w {{ {pattern} }}"


CLOSING = "RANGE {0}ms STEP {1}ms"
QUERIES = {
    "new": Held("ISTREAM ?k ?x", _window(P)),
    "all": Held("RSTREAM ?k ?x", _window(P), extent=CLOSING),
    "join": Held("ISTREAM ?k ?x ?y", _window(P) + _window(Q), steps="pq"),
    "sums": Held("RSTREAM ?k (SUM(?x) AS ?n)", _window(P), "GROUP BY ?k", extent=CLOSING),
    "optional": Held("ISTREAM ?k ?x ?y", f"{_window(P)} OPTIONAL {{ {_window(Q)} }}", steps="pq"),
    "minus": Held("ISTREAM ?k ?x", f"{_window(P)} MINUS {{ {_window(Q)} }}", steps="pq"),
    "last": Held(
        "ISTREAM ?k ?x ?y", f"MATCH {{ LAST EVENT :w {{ {P} }} SEQ EVENT :w {{ {Q} }} }}", steps="pq"
    ),
    "path": Held("ISTREAM ?k ?x", _window("?k :p+ ?x"), steps=""),
    "limit": Held("ISTREAM ?k ?x", _window(P), "ORDER BY DESC(?x) ?k LIMIT 10"),
    "elements": Held("ISTREAM ?k ?x", _window(P), extent="ELEMENTS {0}"),
    "graph": Held("ISTREAM ?g ?k ?x", _window(f"GRAPH ?g {{ {P} }}")),
}


class Filled:
    """A window of so many elements, one a millisecond, that can be filled and emptied."""

    def __init__(self, engine: Engine, name: str, size: int) -> None:
        self._engine, self._held, self._size = engine, QUERIES[name], size
        self._has_graphs = name == "graph"
        self._now = self._sent = 0
        engine.register(self._held.query(size), name=name)

    def send(self, count: int, apart: int = 1) -> int:
        """So many elements, milliseconds ``apart``; how many answers there are."""
        answers = 0
        for first in range(0, count, BATCH):
            numbers = range(first, min(first + BATCH, count))
            for batch in self._table(numbers, apart).to_batches():
                self._engine.send_batch(batch)
                answers += self._engine.tables().num_rows
            self._now += len(numbers) * apart
            self._sent += len(numbers)
        return answers

    def fill(self) -> int:
        """Some more than it holds come, so that some leave: what they are found by is kept from then on."""
        return self.send(self._size + self._size // 4)

    def empty(self) -> int:
        """Time passes until nothing is held any more, and again with few elements."""
        answers = 0
        for _ in range(3):
            self._now += 2 * self._size
            answers += self.send(FEW)
        return answers

    def _table(self, numbers: range, apart: int) -> pa.Table:
        steps = self._held.steps
        if steps:
            subjects = [f"k{number // 2}" for number in numbers]
            objects = [integer(number * 389 % 997) for number in numbers]
        else:
            places = [divmod(number % self._size, CHAIN) for number in numbers]
            subjects = [f"k{chain}_{place}" for chain, place in places]
            objects = [iri(f"k{chain}_{place + 1}") for chain, place in places]
        times = [(self._now + place * apart) * STEP for place in range(len(numbers))]
        columns = {
            "start": pa.array(times, pa.int64()),
            "s": list(map(iri, subjects)),
            "p": [iri(steps[number % len(steps)] if steps else "p") for number in numbers],
            "o": objects,
            "stream": [iri("s")] * len(numbers),
        }
        if self._has_graphs:
            columns["graph"] = [iri(f"g{self._sent + number}") for number in range(len(numbers))]
        return pa.table(columns)


class _Allocated(ctypes.Structure):
    """`struct mallinfo2` of the C library (glibc 2.33)."""

    _fields_ = [
        *((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd")),
        *((name, ctypes.c_size_t) for name in ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")),
    ]


def allocated_bytes() -> int:
    """What the C library has given out by now."""
    gc.collect()
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = _Allocated
    found = library.mallinfo2()
    return int(found.uordblks + found.hblkhd)


def measured(name: str, size: int) -> Iterator[tuple[str, int]]:
    """Answers, and bytes for each element, by the names of figures."""
    with Engine() as engine:
        window = Filled(engine, name, size)
        answers = window.send(FEW)
        if name != "elements":  # whose window would be full then
            answers += window.send(size + size // 4, apart=size // 5)
            answers += window.empty()
        before = allocated_bytes()
        for burst in ("first", "second"):
            answers += window.fill()
            yield f"held_{burst}_{size}", (allocated_bytes() - before) // size
            answers += window.empty()
            yield f"left_{burst}_{size}", (allocated_bytes() - before) // size
        yield "answers", answers


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("query", choices=QUERIES)
    arguments.add_argument("elements", type=int, nargs="+")
    given = arguments.parse_args()
    began, told, answers = time.process_time(), dict[str, int](), 0
    for size in given.elements:
        figures = dict(measured(given.query, size))
        answers += figures.pop("answers")
        told |= figures
    print(json.dumps({"answers": answers, "seconds": time.process_time() - began, **told}))


if __name__ == "__main__":
    main()
