"""Stages of a stream, without Spark: where there are any, what is late, and whose state it is."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from etalis_py.core.errors import DataError
from etalis_py.spark_udfs.execution.stage_rows import event_rows, row_schema
from etalis_py.spark_udfs.planning.dealing import PlannedProgram
from etalis_py.spark_udfs.planning.program import Program, QuerySource, compile_all
from etalis_py.spark_udfs.planning.stage_links import StageFlow
from etalis_py.spark_udfs.streaming.arrivals import ONWARD, OWN, sorted_out
from etalis_py.spark_udfs.streaming.packing import PackTask, UnpackTask, pack
from etalis_py.spark_udfs.streaming.processor import given
from etalis_py.spark_udfs.streaming.stages import bucket_count, stage_program
from tests.spark.streaming.memory import MemoryStream, packed
from tests.spark.streaming.memory_stages import ANSWER, FORM, MemoryStages
from tests.spark.streaming.test_buckets import event
from tests.spark.streaming.test_random_stages import PLAIN, planned_for

TWO = "SELECT * { { ?x <urn:p> ?y . ?x <urn:q> ?z } SEQ { ?u <urn:r> ?y } }"
SOON = "SELECT * { { ?x <urn:p> ?y } SEQ { ?z <urn:q> ?u } FILTER(getDURATION() < 'PT10S'^^xsd:duration) }"


def planned(*queries: str, buckets: int = 3) -> PlannedProgram:
    sources = tuple(QuerySource(f"q{number}", text) for number, text in enumerate(queries))
    return planned_for(Program(sources).with_blank_nodes("b"), compile_all(sources), PLAIN, buckets)


def test_where_there_are_stages() -> None:
    assert [bucket_count(stage, 3) for stage in planned(TWO).stages] == [3, 3]
    assert [bucket_count(stage, 1) for stage in planned(TWO, buckets=1).stages] == [1]
    assert [bucket_count(stage, 3) for stage in planned(SOON).stages] == [1]  # slices of time, in a batch
    keyed = "SELECT ?x { ?x <urn:p> ?y . ?x <urn:q> ?z }"
    assert [bucket_count(stage, 3) for stage in planned(SOON, keyed).stages] == [1, 3]


def test_state_is_that_of_one_stage() -> None:
    mine, others = planned(TWO), planned(TWO.replace("?u <urn:r> ?y", "?y <urn:r> ?u"))
    found = {
        stage_program(each, place, buckets, "error", counted=False).fingerprint
        for each in (mine, others)
        for place in (0, 1)
        for buckets in (3, 4)
    }
    assert len(found) == 8
    again = stage_program(planned(TWO), 1, 3, "drop", counted=True).fingerprint
    assert again in found


def test_late_events_are_told() -> None:
    stages = MemoryStages(planned(TWO), 3, Random(1))
    stages.micro_batch([event(1, "p"), event(1, "q"), event(10, "p", "b")])
    stages.micro_batch([event(20, "p", "c")])
    with pytest.raises(DataError, match="EP413 events: an element that ends at 1970-01-01T00:00:09Z"):
        stages.micro_batch([event(9, "r", "d")])  # of stage 2, to which nothing has come
    stages.close()


def test_events_are_sorted_out() -> None:
    """A late event is for no stage, though several take it; a bucket keeps none that is only for others."""
    row = {name: [f"<urn:{name}>"] * 4 for name in "spo"}
    marks = {OWN: [True, True, False, True], ONWARD: [True, False, True, True]}
    events = pa.record_batch({"start": [1, 6, 7, 8], "end": [1, 6, 7, 8], **row, **marks})
    came = sorted_out([pack(events)], StageFlow(), 5, "drop")
    assert (came.taken, came.late, came.rows) == (4, 1, [])
    own, passed = ([chunk.column("end").to_pylist() for chunk in each] for each in (came.events, came.passed))
    assert (own, passed) == ([[6, 8]], [[7, 8]])
    given = pa.RecordBatch.from_arrays(
        [
            *event_rows(came.passed[0], row_schema(2, ANSWER)).columns,
            pa.array([True, False]),
            pa.array([False, True]),
        ],
        names=[*row_schema(2, ANSWER).names, OWN, ONWARD],
    )
    later = sorted_out([pack(given)], StageFlow(), 9, "error")  # what was passed on is not looked at again
    own, passed = (
        [chunk.column("end").to_pylist() for chunk in each] for each in (later.events, later.passed)
    )
    assert (own, passed) == ([[7]], [[8]])
    assert later.passed[0].schema.names == row_schema(2, ANSWER).names


def test_nothing_of_an_earlier_stage_is_dropped_as_late() -> None:
    """It cannot be late where all buckets stand at one time; if it were, it would be told, and not lost."""
    first, second = (
        MemoryStream(stage_program(planned(TWO), place, 3, "drop", counted=False)) for place in (0, 1)
    )
    list(first.woken({0: packed([event(1, "p"), event(1, "q")])}, 0))
    ((_, woken),) = first.woken({}, 2000)
    (found,) = given(first.program, FORM, row_schema(3, ANSWER), 0, woken)
    list(second.woken({0: []}, 5000))  # it is further on
    with pytest.raises(DataError, match="EP413"):
        list(second.woken({0: [pack(found)]}, 6000))
    for stream in (first, second):
        stream.close()


def test_a_bucket_is_woken_by_each_watermark() -> None:
    stream = MemoryStream(stage_program(planned(TWO), 0, 3, "error", counted=False))
    ((_, (new,)),) = stream.woken({2: []}, 0)
    assert new.timer == 1
    ((_, (*_, woken)),) = stream.woken({}, 1)
    assert (woken.timer_before, woken.timer) == (1, 2)
    assert list(stream.woken({}, 1)) == []
    assert [woken.timer for _, (*_, woken) in stream.woken({}, 700)] == [701]
    stream.close()


def test_packing() -> None:
    chunk = pa.record_batch({"end": pa.array([5, 6]), "bucket": pa.array([2, 2], pa.int32())})
    first, second = PackTask(3)(iter([chunk]))
    assert (first.column("bucket").to_pylist(), first.column("rows").null_count) == ([0, 1, 2], 3)
    assert second.column("bucket").to_pylist() == [2]
    answers = pa.record_batch({"answers": second.column("rows"), "watermark": [7]})
    (rows,) = UnpackTask(has_watermark=False)(iter([answers]))
    assert rows.to_pydict() == {"end": [5, 6]}
