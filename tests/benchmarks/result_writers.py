"""How many matches a second the writers of results write. Run: python tests/benchmarks/result_writers.py"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from etalis_py.matches import Match
from etalis_py.results import RESULT_FORMATS, QueryHead, open_writer
from etalis_py.vocabulary import XSD_INTEGER


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--matches", type=int, default=100_000)
    count = arguments.parse_args().matches
    variables = ("sensor", "value")
    solutions = [
        Match("fall", n, n + 5, variables, (f"http://example.org/sensor/{n % 1000}", (n, XSD_INTEGER)))
        for n in range(count)
    ]
    triples = [
        Match("make", n, n + 5, encoded_triples=((f"urn:s{n}", "urn:p", (n, XSD_INTEGER)),))
        for n in range(count)
    ]
    for form in RESULT_FORMATS:
        made = form == "nquads"
        matches = triples if made else solutions
        head = QueryHead("make", "construct") if made else QueryHead("fall", "select", variables)
        began = time.perf_counter()
        with Path(os.devnull).open("wb") as out, open_writer(form, out, heads=[head]) as writer:
            for first in range(0, count, 1000):
                writer.write_all(matches[first : first + 1000])
        seconds = time.perf_counter() - began
        print(f"{form:8} {count:9,} matches  {seconds:6.2f} s  {count / seconds:10,.0f} matches/s")


if __name__ == "__main__":
    main()
