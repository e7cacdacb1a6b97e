"""Engines that are opened, used and closed, in a process of its own; prints what memory that took, as JSON.

Run: python -m tests.benchmarks.engines_run COUNT [--trace]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from etalis_py.core.vocabulary import RDF_TYPE
from etalis_py.engine.engine import Engine
from tests.benchmarks.contender import drain
from tests.benchmarks.kernel import PREFIX, kept_by_prolog
from tests.benchmarks.machine import resident_bytes
from tests.benchmarks.memory_run import QUERY, growth, stream

__all__ = ["main"]

EVENTS = 500
SAMPLES = 50
SUM = (
    f"PREFIX : <{PREFIX}> SELECT ?x (SUM(?a) AS ?sum) WHERE {{ ?x :p ?a . ?x a :Sensor }} "
    "GROUP BY ?x WINDOW [ROWS 10]"
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("engines", type=int)
    arguments.add_argument("--trace", action="store_true")
    given = arguments.parse_args()
    every = max(1, given.engines // SAMPLES)
    samples, answers = [], 0
    began = time.process_time()
    (table,) = stream(EVENTS, new=False)
    with tempfile.TemporaryDirectory() as folder:
        ontology = Path(folder, "background.nt")
        lines = (f"<{PREFIX}k{key}> <{RDF_TYPE}> <{PREFIX}Sensor> .\n" for key in range(100))
        ontology.write_text("".join(lines), encoding="utf-8")
        for number in range(given.engines):
            with Engine(background=[ontology], policy=("unrestricted", "recent")[number % 2]) as engine:
                engine.register(QUERY)
                engine.register(SUM)
                answers += drain(engine, table, keep=False, finish=True).answers
            if number % every == every - 1:
                samples.append(resident_bytes())
                if given.trace:
                    print(samples[-1], json.dumps(kept_by_prolog()), file=sys.stderr, flush=True)
    told = {"answers": answers, "seconds": time.process_time() - began, **growth(samples)}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
