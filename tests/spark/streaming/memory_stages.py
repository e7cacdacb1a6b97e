"""The stages of a stream without Spark: the buckets of one after those of the other, in each micro-batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any
from zlib import crc32

import pyarrow as pa

from etalis_py.compiler.partition.stages import Stage
from etalis_py.compiler.plan.solution_scan import solution_stream
from etalis_py.core.terms import ntriples
from etalis_py.engine.matches import Match
from etalis_py.spark_udfs.execution.stage_rows import row_schema, term_columns_of
from etalis_py.spark_udfs.execution.term_columns import Terms
from etalis_py.spark_udfs.execution.text_answers import TermTexts, TextForm
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.stage_links import StageLinks
from etalis_py.spark_udfs.streaming.arrivals import ONWARD, OWN
from etalis_py.spark_udfs.streaming.live_engines import LiveEngines
from etalis_py.spark_udfs.streaming.packing import pack, unpack
from etalis_py.spark_udfs.streaming.processor import SOURCE_BITS, given
from etalis_py.spark_udfs.streaming.stages import bucket_count, stage_program
from tests.spark.streaming.memory import MemoryStream, Row

FORM = TextForm()
ANSWER = pa.struct(list(FORM.schema))
EVENT = pa.schema([row_schema(0, ANSWER).field(name) for name in ("start", "end", "s", "p", "o")])


class MemoryStages:
    """Stages whose tasks run in any of two processes; ``choice`` says which ones fail and are done again.

    ``rows_between`` counts what goes from one stage to the next, ``newest`` is the latest end that came.
    """

    def __init__(self, planned: PlannedProgram, buckets: int, choice: Random) -> None:
        self._planned = planned
        self._buckets = buckets
        self._choice = choice
        self._streams = [
            MemoryStream(
                stage_program(planned, place, buckets, "error", counted=False),
                processes=(LiveEngines(), LiveEngines(limit=2)),
            )
            for place in range(len(planned.stages))
        ]
        self._rows = row_schema(StageLinks(planned).width, ANSWER)
        self.newest = 0
        self.matches: list[Match] = []
        self.rows_between = 0

    def micro_batch(self, rows: Sequence[Row], delay: int = 0, *, is_lost: bool = False) -> None:
        """One micro-batch; with ``is_lost`` it is done twice, and all of the first time is lost."""
        watermark = max(self.newest - delay, 0) // 1000
        if is_lost:
            before = deepcopy([stream.buckets for stream in self._streams])
            self._run(rows, watermark)
            for stream, buckets in zip(self._streams, before, strict=True):
                stream.buckets = buckets
                if self._choice.random() < 0.5:
                    stream.processes[0].close()
        self.matches += self._run(rows, watermark)
        self.newest = max([self.newest, *(row[1] for row in rows)])

    def end(self) -> None:
        """Let the watermark pass all that came."""
        self.newest += 1000
        self.micro_batch([])

    def times(self) -> set[int | None]:
        """The times at which the buckets of all stages stand."""
        heads = [
            bucket.handle.values["head"] for stream in self._streams for bucket in stream.buckets.values()
        ]
        return {head[6] for head in heads}

    def close(self) -> None:
        for stream in self._streams:
            stream.close()

    def _run(self, rows: Sequence[Row], watermark: int) -> list[Match]:
        found: list[Match] = []
        coming = [_events(rows)] if rows else []
        for place, stream in enumerate(self._streams):
            is_last = place == len(self._streams) - 1
            came = self._dealt(place, coming)
            choice, coming = self._choice, []
            for number, woken in stream.woken(
                came, watermark, process=choice.randrange(2), fails=choice.random() < 0.2
            ):
                tables = given(stream.program, FORM, None if is_last else self._rows, number, woken)
                if is_last:
                    found += [match for table in tables for match in self._matches(table)]
                else:
                    coming += tables
        return found

    def _dealt(self, place: int, chunks: Sequence[pa.RecordBatch]) -> Mapping[int, list[bytes]]:
        """What comes to each bucket; all are woken where anything came, or a stage is before this one."""
        stage, *later = self._planned.stages[place:]
        count = bucket_count(stage, self._buckets)
        found: dict[int, list[bytes]] = {number: [] for number in range(count if chunks or place else 0)}
        for chunk in chunks:
            rows = chunk.to_pylist()
            own, onward = ([any(map(_taker(row), stages)) for row in rows] for stages in ([stage], later))
            marked = chunk.append_column(OWN, pa.array(own)).append_column(ONWARD, pa.array(onward))
            of_bucket: dict[int, list[int]] = {}
            for index, row in enumerate(rows):
                key = _key(stage, row)
                number = key % count if isinstance(key, int) else crc32(key.encode()) % count
                if place or own[index] or onward[index]:
                    of_bucket.setdefault(number, []).append(index)
            for number, indices in of_bucket.items():
                found[number].append(pack(marked.take(pa.array(indices))))
                self.rows_between += len(indices) if place else 0
        return found

    def _matches(self, table: pa.RecordBatch) -> Iterator[Match]:
        forms = {each.name: each for each in self._planned.compiled}
        texts = TermTexts()
        for row in unpack(pack(table)).to_pylist():
            query, start, end = forms[row["query"]], row["start"], row["end"]
            terms = [None if text is None else texts[text] for text in row["terms"]]
            if query.form == "select":
                yield Match(query.name, start, end, query.variables, tuple(terms))
            elif query.form == "ask":
                yield Match(query.name, start, end, boolean=True)
            else:
                flat: Any = iter(terms)
                yield Match(query.name, start, end, encoded_triples=tuple(zip(flat, flat, flat, strict=True)))


def _events(rows: Sequence[Row]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, EVENT, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=EVENT)


def _taker(row: Mapping[str, Any]) -> Callable[[Stage], bool]:
    """Whether a stage takes an event."""

    def takes(stage: Stage) -> bool:
        routes = stage.key.routes
        return row["p"] is not None and (row["p"][1:-1] in routes.positions or routes.other is not None)

    return takes


def _key(stage: Stage, row: Mapping[str, Any]) -> str | int:
    """As ``stage_frames.row_key`` has it."""
    routes = stage.key.routes
    unit, predicate = row.get("unit"), row["p"]
    if (unit is None and row.get("answer") is None) or unit in stage.triples:
        positions = routes.positions.get(predicate[1:-1], routes.other) or "s"  # for a later stage
        return " ".join(row[each] for each in positions)
    if unit in stage.solutions:
        places = routes.columns.get(solution_stream(unit), ())
        pairs = [tuple(row[name] for name in term_columns_of(place)) for place in places]
        return " ".join(ntriples(Terms()[pair]) for pair in pairs if pair != (None, None))
    number: int = row["number"]
    return number >> SOURCE_BITS
