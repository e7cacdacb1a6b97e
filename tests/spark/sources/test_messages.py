"""Messages as events, without Kafka and without Spark: the function that runs in its tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from etalis_py.spark_udfs.execution.failures import TaskError
from etalis_py.spark_udfs.sources.messages import _Messages

GOOD = '{"start": 1, "s": "<urn:a>", "p": "<urn:p>", "o": "<urn:b>"}'
SPREAD = (
    '{\n  "start": 1, "end": 2,\r\n  "s": "<urn:c>", "p": "<urn:p>", "o": "\\"a\\\\nb\\"", "graph": ""\n}'
)


def chunk(values: list[Any]) -> pa.RecordBatch:
    count = len(values)
    return pa.record_batch(
        {
            "value": values,
            "topic": ["t"] * count,
            "partition": [1] * count,
            "offset": list(range(10, 10 + count)),
        }
    )


def test_messages_are_events() -> None:
    (batch,) = _Messages(None)(iter([chunk([GOOD, SPREAD])]))
    assert [row["s"] for row in batch.to_pylist()] == ["<urn:a>", "<urn:c>"]
    assert [(row["stream"], row["graph"]) for row in batch.to_pylist()] == [(None, None)] * 2
    assert batch.column("end").cast(pa.int64()).to_pylist() == [1, 2]
    assert batch.to_pylist()[1]["o"] == '"a\\nb"'
    assert [len(each) for each in _Messages(None)(iter([chunk([GOOD.encode()])]))] == [1]


def test_messages_name_their_stream_and_element() -> None:
    named = GOOD.replace("{", '{"stream": "<urn:dock>", "graph": "_:g", ')
    (batch,) = _Messages(None)(iter([chunk([GOOD, named])]))
    assert batch.column("stream").to_pylist() == [None, "<urn:dock>"]
    assert batch.column("graph").to_pylist() == [None, "_:g"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("{", "EP406"),
        ("[]", "EP406"),
        ("", "EP406"),
        (None, "EP406"),
        ('{"start": 1}', "EP404"),
        (GOOD.replace("<urn:b>", "b"), "EP407"),
        (GOOD.replace("1", str(1 << 63)), "EP606"),
        (GOOD.encode() + b"\xff", "EP403"),
    ],
)
def test_messages_that_are_none(tmp_path: Path, value: Any, code: str) -> None:
    good = GOOD.encode() if isinstance(value, bytes) else GOOD
    values = [good, good, value, good, value, good]
    with pytest.raises(TaskError, match=rf"^{code} topic t, partition 1, offset 12:"):
        list(_Messages(None)(iter([chunk(values)])))
    for _ in range(2):
        found = _Messages(str(tmp_path))(iter([chunk(values)]))
        assert sum(len(each) for each in found) == 4
    told = [json.loads(path.read_text()) for path in sorted(tmp_path.iterdir())]
    assert [(each["offset"], each["code"]) for each in told] == [(12, code), (14, code)]
    text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    assert told[0]["record"] == text


def test_the_unit_of_times(tmp_path: Path) -> None:
    value = GOOD.replace("1", "1773820801")
    with pytest.raises(TaskError, match="EP418"):
        list(_Messages(str(tmp_path))(iter([chunk([value])])))
    assert list(tmp_path.iterdir()) == []
    (batch,) = _Messages(None, "s")(iter([chunk([value])]))
    assert batch.column("start").cast(pa.int64()).to_pylist() == [1_773_820_801_000_000]
