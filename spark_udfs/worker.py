"""What runs in a Spark task: one engine for one partition, fed chunk by chunk.

Prolog is imported here, inside the function, so that no driver ever loads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from etalis_py.spark_udfs.answers import answer_table
from etalis_py.spark_udfs.job import Job

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["partition_function"]


def partition_function(job: Job) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow``: events of one partition, sorted by end, in; answers out."""

    def run(chunks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        from etalis_py.engine import Engine

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        with Engine(
            job.background,
            rules=job.rules,
            entailment=job.entailment,
            max_derivations=job.max_derivations,
            blank_node_prefix=f"p{part}x",
        ) as engine:
            for name, text, source in job.queries:
                engine.register(text, name=name, source=source)
            for chunk in chunks:
                engine.send_batch(chunk)
                yield answer_table(engine.matches(), job.variables)
            engine.finish()
            yield answer_table(engine.matches(), job.variables)

    return run
