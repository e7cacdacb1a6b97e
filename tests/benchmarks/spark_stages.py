"""A program of two stages on Spark beside one of a single stage, with the same events and as many answers.

Run: python -m tests.benchmarks.spark_stages CORES KEYS EVENTS

Three events tell of a part: where it was made, how good it is, and that it was sold. In the program of one
stage all three are about the part, which is the key. In that of two stages it is the place where the part was
made that is sold: the first two events are joined by the part, and what comes of that goes on to the second
stage, by the place. So a third of the rows are shuffled twice. Prints JSON: answers, the median seconds of
each program over runs in turn after one that is not counted, and the median of the ratios of single runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.spark_run import CHUNK, FILES, start, timed
from tests.benchmarks.streams import STEP, duration, events, integer, iri

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["STAGES", "answers_of", "write_events"]

RUNS = 5
STAGES = {"one": "?part", "two": "?place"}
"""What is sold, by the number of stages."""


def query_for(stages: str, keys: int) -> str:
    """Made and tested, then sold, within half a round of the parts."""
    steps = "{ ?part <urn:bench:made> ?place . ?part <urn:bench:grade> ?grade } SEQ"
    sold = f"{{ {STAGES[stages]} <urn:bench:{stages}> ?price }}"
    return f"SELECT * {{ {steps} {sold} FILTER(getDURATION() < {duration(2 * keys * STEP)}) }}"


def write_events(folder: Path, count: int, keys: int) -> None:
    """Parts come round in turn, each with its four events one after the other.

    Both programs take three of them: a sale is written once by the part and once by the place.
    """
    schema = pa.schema([("start", pa.int64()), *((name, pa.string()) for name in "spo")])
    folder.mkdir()
    for part in range(FILES):
        first, last = part * count // FILES, (part + 1) * count // FILES
        with pq.ParquetWriter(folder / f"{part}.parquet", schema) as file:
            for low in range(first, last, CHUNK):
                rows = [_event(n, keys) for n in range(low, min(low + CHUNK, last))]
                file.write_table(events(*map(list, zip(*rows, strict=True)), low))


def _event(number: int, keys: int) -> tuple[str, str, str]:
    part = number // 4 % keys
    return (
        (iri(f"part{part}"), iri("made"), iri(f"place{part}")),
        (iri(f"part{part}"), iri("grade"), integer(number % 1000)),
        (iri(f"part{part}"), iri("one"), integer(number % 100)),
        (iri(f"place{part}"), iri("two"), integer(number % 100)),
    )[number % 4]


def answers_of(session: SparkSession, stages: str, path: Path, keys: int) -> DataFrame:
    """The answers of one of the programs, to be found by an action."""
    from etalis_py.spark_udfs import detect

    return detect(session.read.parquet(str(path)), query_for(stages, keys))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("cores", "keys", "events"):
        arguments.add_argument(name, type=int)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        write_events(path, given.events, given.keys)
        session = start(given.cores)
        frames = {stages: answers_of(session, stages, path, given.keys) for stages in STAGES}
        answers = {stages: frame.count() for stages, frame in frames.items()}
        runs = [{stages: timed(frame) for stages, frame in frames.items()} for _ in range(RUNS)]
        session.stop()
    seconds = {stages: round(statistics.median(run[stages] for run in runs), 2) for stages in STAGES}
    ratio = statistics.median(run["two"] / run["one"] for run in runs)
    print(json.dumps({"answers": answers, "seconds": seconds, "two_to_one": round(ratio, 2)}))


if __name__ == "__main__":
    main()
