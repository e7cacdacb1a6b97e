"""Engines in a worker: one is opened for a part of the events, and its answers are taken as it works.

Prolog is imported here, inside a function, so that no driver ever loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from etalis_py.core.errors import EtalisError
from etalis_py.spark_udfs.planning.program import Program

if TYPE_CHECKING:
    import pyarrow as pa

    from etalis_py.engine.answer_columns import Answers
    from etalis_py.engine.column_engine import ColumnEngine
    from etalis_py.engine.feeding import Portions

__all__ = ["AnswerForm", "found_by", "open_engine"]


class AnswerForm(Protocol):
    """How answers leave the worker."""

    @property
    def schema(self) -> pa.Schema:
        """The columns."""

    def tables(self, answers: Answers) -> Iterable[pa.RecordBatch]:
        """Answers as rows; none where there are none."""

    def failure(self, error: EtalisError, time: int | None) -> pa.RecordBatch | None:
        """A row that stands for an error at the instant ``time``; None: let it end the job."""


@contextmanager
def open_engine(program: Program, part: int | str = 0) -> Iterator[tuple[ColumnEngine, list[str]]]:
    """An engine with the queries of a program, and their names; no other engine has the same ``part``.

    Its background is that of the shipment, which is compiled; where nothing was shipped, the files.
    """
    from etalis_py.engine.column_engine import ColumnEngine

    load = None
    if program.shipment is not None:
        from etalis_py.spark_udfs.execution.worker_background import background_loader

        load = background_loader(program.shipment)
    prefix = f"{program.options.blank_node_prefix}{part}x"
    with ColumnEngine(load, **program.options.keywords(blank_node_prefix=prefix)) as engine:
        names = engine.install(program.compiled)
        for query in () if program.compiled else program.queries:
            names += engine.register(
                query.text, name=query.name, source=query.source, base=query.base, language=query.language
            )
        yield engine, names


def found_by(engine: ColumnEngine, work: Portions) -> Iterator[Answers]:
    """What is found while an engine does some work, portion by portion, and what it found before."""
    with closing(work):
        for _ in work:
            yield engine.answers()
    yield engine.answers()
