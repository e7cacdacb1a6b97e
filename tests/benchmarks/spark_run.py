"""A two-step SEQ with a join key on Spark, in a process of its own: by ``detect``, or by the kernel.

Run: python -m tests.benchmarks.spark_run engine|plain|kernel[,...] CORES KEYS EVENTS [new]

Both read Parquet files, let Spark deal the events out by key and sort each part, and make Arrow columns of
their answers, which are thrown away. ``plain`` is ``detect`` with columns of plain values, as the kernel has
them. With ``new`` no key comes again. Prints JSON: answers, seconds by the clock (the median of three runs
after one that is not counted), and the most memory that a Python worker took, in bytes. Of several ways
(``engine,kernel``) these are the first one's; they run in turn, and ``speed_to_kernel`` is the median of the
ratios of single runs, which says most on a machine that has other work, too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.streams import STEP, duration, events, integer, iri

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["answers_of", "measured", "query_for", "start", "timed", "write_events"]

PROJECT = Path(__file__).resolve().parents[2]
CHUNK = 50_000
RUNS = 3
FILES = 8
PLAIN = {"x": "string", "a": "bigint", "b": "bigint"}


def window_of(keys: int) -> int:
    """Microseconds that keep one goal a key alive, so that each second step has one partner."""
    return 2 * keys * STEP


def query_for(keys: int) -> str:
    """Two steps of one key within the window."""
    steps = "{ ?x <urn:bench:p> ?a } SEQ { ?x <urn:bench:q> ?b }"
    return f"SELECT * {{ {steps} FILTER(getDURATION() < {duration(window_of(keys))}) }}"


def write_events(folder: Path, count: int, keys: int, *, new: bool = False) -> None:
    """The stream, in order: each second step comes right after its first.

    In several files of one size, so that all cores have as much to read.
    """
    schema = pa.schema([("start", pa.int64()), *((name, pa.string()) for name in "spo")])
    folder.mkdir()
    for part in range(FILES):
        first, last = part * count // FILES, (part + 1) * count // FILES
        with pq.ParquetWriter(folder / f"{part}.parquet", schema) as file:
            for low in range(first, last, CHUNK):
                numbers = range(low, min(low + CHUNK, last))
                subjects = [iri(f"k{n // 2 if new else n // 2 % keys}") for n in numbers]
                objects = [integer(n % 1000) for n in numbers]
                file.write_table(events(subjects, [iri("pq"[n % 2]) for n in numbers], objects, low))


@dataclass(frozen=True, slots=True)
class KernelTask:
    """The function for ``mapInArrow``: the kernel of ``kernels/seq2.pl`` over one part of the events."""

    window: int

    def __call__(self, chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Answers as columns x, a, b, start, end."""
        import janus_swi  # noqa: TID251 - the yardstick is Prolog by hand

        from tests.benchmarks.kernel import columns_of, started

        numbers = {"<urn:bench:p>": 1, "<urn:bench:q>": 2}
        with started("seq2", self.window) as module:
            for chunk in chunks:
                rows = janus_swi.apply_once(module, "batch", *columns_of(chunk, numbers))
                if rows:
                    kinds = (pa.string(), *(pa.int64(),) * 4)
                    arrays = [
                        pa.array(each, kind)
                        for each, kind in zip(zip(*rows, strict=True), kinds, strict=True)
                    ]
                    yield pa.RecordBatch.from_arrays(arrays, names=["x", "a", "b", "start", "end"])


def answers_of(session: SparkSession, how: str, path: Path, keys: int) -> DataFrame:
    """The answers of the engine or the kernel, to be found by an action."""
    from etalis_py.spark_udfs import detect

    frame = session.read.parquet(str(path))
    if how == "kernel":
        dealt = frame.select("start", "s", "p", "o").repartition("s").sortWithinPartitions("start")
        return dealt.mapInArrow(KernelTask(window_of(keys)), "x string, a long, b long, start long, end long")
    return detect(frame, query_for(keys), columns=PLAIN if how == "plain" else {})


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("how", type=lambda text: text.split(","))
    arguments.add_argument("cores", type=int)
    arguments.add_argument("keys", type=int)
    arguments.add_argument("events", type=int)
    arguments.add_argument("new", nargs="?", choices=("new",))
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        write_events(path, given.events, given.keys, new=given.new is not None)
        session = start(given.cores)
        frames = {how: answers_of(session, how, path, given.keys) for how in given.how}
        told = measured(frames)
        session.stop()
    print(json.dumps(told))


def compare(
    description: str | None,
    write_events: Callable[[Path, int], None],
    answers_of: Callable[[SparkSession, str, Path], DataFrame],
) -> None:
    """The program that measures ways to find the same answers to so many events: HOW[,...] CORES EVENTS."""
    arguments = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    arguments.add_argument("how", type=lambda text: text.split(","))
    arguments.add_argument("cores", type=int)
    arguments.add_argument("events", type=int)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        write_events(path, given.events)
        session = start(given.cores)
        told = measured({how: answers_of(session, how, path) for how in given.how})
        session.stop()
    print(json.dumps(told))


def start(cores: int) -> SparkSession:
    """A session on so many cores, whose workers can import this package.

    Java and all workers stay on these: else the one task that Spark has on one core would read and sort on a
    second one while its worker computes.
    """
    from etalis_py.spark_udfs import local_session

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    os.environ["PYTHONPATH"] = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--master local[{cores}] --driver-memory 1g pyspark-shell"
    return local_session("benchmark")


def measured(frames: Mapping[str, DataFrame]) -> dict[str, Any]:
    """What the program prints of these ways to find the same answers; raises ValueError if they differ."""
    answers = [frame.count() for frame in frames.values()]
    if len(set(answers)) > 1:
        raise ValueError(f"the answers differ: {answers}")
    runs = [[timed(frame) for frame in frames.values()] for _ in range(RUNS)]
    first, *others = zip(*runs, strict=True)
    told = {"answers": answers[0], "seconds": statistics.median(first)}
    for name, seconds in zip(list(frames)[1:], others, strict=True):
        ratios = (theirs / own for own, theirs in zip(first, seconds, strict=True))
        told[f"speed_to_{name}"] = round(statistics.median(ratios), 2)
    told["worker_peak_bytes"] = worker_peak_bytes()
    return told


def timed(answers: DataFrame) -> float:
    """Seconds until all answers are there, and thrown away."""
    began = time.perf_counter()
    answers.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def worker_peak_bytes() -> int:
    """The most that a Python worker of this process's Spark has had in memory."""
    peaks = [0]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"pyspark.daemon" not in (folder / "cmdline").read_bytes() or not _is_ours(folder):
                continue
            lines = (folder / "status").read_text().splitlines()
        except OSError:  # it has ended
            continue
        peaks += [1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return max(peaks)


def _is_ours(folder: Path) -> bool:
    own = str(os.getpid())
    while folder.name not in ("0", "1"):
        if folder.name == own:
            return True
        folder = folder.parent / _parent(folder)
    return False


def _parent(folder: Path) -> str:
    words: list[Any] = (folder / "stat").read_text().rpartition(")")[2].split()
    return str(words[1])


if __name__ == "__main__":
    main()
