"""Loads a file of background in a process of its own; prints seconds and memory, as JSON.

Run: python -m tests.benchmarks.load_run first|cached|parser FILE CACHE
``cached`` lets another process load it first; ``parser`` reads the file by pyoxigraph and keeps nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

__all__ = ["main"]

WARM = "SELECT ?x { ?x <urn:bench:p> ?y . ?x <urn:bench:q> ?z }"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("way", choices=("first", "cached", "parser"))
    arguments.add_argument("file")
    arguments.add_argument("cache")
    given = arguments.parse_args()
    if given.way == "parser":
        told = _parse(given.file)
    else:
        if given.way == "cached":
            command = [sys.executable, "-m", "tests.benchmarks.load_run", "first", given.file, given.cache]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        told = _load(given.file, given.cache)
    print(json.dumps(told))


def _load(file: str, cache: str) -> dict[str, float]:
    from etalis_py.engine.engine import Engine
    from tests.benchmarks.machine import resident_bytes

    with Engine() as engine:  # the rules are there, and what the compiler needs
        engine.register(WARM)
    os.environ["ETALIS_CACHE"] = cache
    before = resident_bytes()
    began, clock = time.process_time(), time.perf_counter()
    with Engine(background=[file]) as engine:
        engine.register(WARM)
        seconds, elapsed = time.process_time() - began, time.perf_counter() - clock
        (answer,) = engine.prolog("aggregate_all(count, rdf_asserted(_, _, _), Count)")
        triples = int(str(answer["Count"]))
        more = resident_bytes() - before
    return {
        "triples": triples,
        "seconds": seconds,
        "load_seconds": elapsed,
        "bytes_per_triple": more / max(1, triples),
    }


def _parse(file: str) -> dict[str, float]:
    import pyoxigraph

    began = time.process_time()
    triples = sum(1 for _ in pyoxigraph.parse(path=file))
    return {"triples": triples, "seconds": time.process_time() - began}


if __name__ == "__main__":
    main()
