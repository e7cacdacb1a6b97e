"""A two-step SEQ with a join key: the engine against a hand-written Prolog kernel, in the same run.

Run: python tests/benchmarks/seq.py [--events N] [--runs N]

The engine takes columns of N-Triples text and gives matches; the kernel takes lists of integers and counts.
The figure to quote is the ratio: these are medians of runs in turn, and absolute speed is the machine's.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import janus_swi  # noqa: TID251 - the yardstick is Prolog by hand

from etalis_py.engine import Engine

XSD_INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
QUERY = """PREFIX : <urn:>
SELECT * {{ {{ ?x :p ?a }} SEQ {{ ?x :q ?b }} FILTER(getDURATION() < "PT{window}S"^^xsd:duration) }}"""
CHUNK = 50_000
STEP = 1_000  # microseconds from one event to the next


def window_of(keys: int) -> int:
    """A window in microseconds that keeps one goal a key alive, so that each second step has one partner."""
    return 2 * keys * STEP


def engine_seconds(events: int, keys: int) -> tuple[float, int]:
    """Seconds and matches of the engine."""
    table = {
        "start": [number * STEP for number in range(events)],
        "s": [f"<urn:k{number // 2 % keys}>" for number in range(events)],
        "p": ["<urn:p>", "<urn:q>"] * (events // 2),
        "o": [f'"{number % 1000}"^^<{XSD_INTEGER}>' for number in range(events)],
    }
    chunks = [
        {name: column[first : first + CHUNK] for name, column in table.items()}
        for first in range(0, events, CHUNK)
    ]
    with Engine() as engine:
        engine.register(QUERY.format(window=window_of(keys) / 1_000_000))
        began = time.perf_counter()
        found = 0
        for chunk in chunks:
            engine.send_batch(chunk)
            found += sum(1 for _ in engine.matches())
        engine.finish()
        found += sum(1 for _ in engine.matches())
        return time.perf_counter() - began, found


def kernel_seconds(events: int, keys: int) -> tuple[float, int]:
    """Seconds and matches of the kernel."""
    columns = [
        [number // 2 % keys for number in range(events)],
        [1, 2] * (events // 2),
        [number % 1000 for number in range(events)],
        [number * STEP for number in range(events)],
    ]
    began = time.perf_counter()
    found = janus_swi.apply_once("etalis_kernel_seq", "run_kernel", *columns, window_of(keys))
    return time.perf_counter() - began, found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--events", type=int, default=200_000)
    arguments.add_argument("--runs", type=int, default=3)
    given = arguments.parse_args()
    janus_swi.consult(str(Path(__file__).parent / "kernels" / "seq.pl"))
    print(f"{'keys':>8}  {'engine':>12}  {'kernel':>12}  {'ratio':>5}")
    for keys in (10, 1_000, 100_000):
        engine, kernel = [], []
        for _ in range(given.runs):
            seconds, found = engine_seconds(given.events, keys)
            engine.append(given.events / seconds)
            seconds, counted = kernel_seconds(given.events, keys)
            kernel.append(given.events / seconds)
            assert found == counted, f"the engine finds {found}, the kernel {counted}"
        ratio = statistics.median(a / b for a, b in zip(engine, kernel, strict=True))
        speeds = f"{statistics.median(engine):10,.0f}/s  {statistics.median(kernel):10,.0f}/s"
        print(f"{keys:8,}  {speeds}  {ratio:5.2f}")


if __name__ == "__main__":
    main()
