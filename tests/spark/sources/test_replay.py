"""Replay, with a clock that the test sets."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from etalis_py.spark_udfs.execution.failures import TaskError
from etalis_py.spark_udfs.sources import replay_reader
from etalis_py.spark_udfs.sources.options import ReadOptions
from etalis_py.spark_udfs.sources.replay_reader import ReplayReader

SCHEMA = pa.schema([("end", pa.int64()), ("s", pa.string())])
ALL = ReadAllAvailable()


class Clock:
    """Seconds that pass when the test says so."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def events(path: Path, seconds: list[int], extra: str = "") -> None:
    rows = [f"{second * 1_000_000},<urn:{second}>,<urn:p>,<urn:o>" for second in seconds]
    path.write_text("\n".join(["start,s,p,o", *rows, ""]) + extra)


def reader(folder: Path, clock: Clock, speed: float = 60) -> ReplayReader:
    return ReplayReader(ReadOptions((str(folder),), speed=speed), SCHEMA, speed, clock)


def read(source: ReplayReader, start: dict, end: dict) -> list[int]:
    """The seconds of the rows between two offsets."""
    found = [row for part in source.partitions(start, end) for row in source.read(part)]
    return [end // 1_000_000 for each in found for end in each["end"].to_pylist()]


def test_rows_come_when_they_are_due(tmp_path: Path) -> None:
    """60 seconds of the stream a second; two files, merged; 240 comes late in its file."""
    #   a  0        60        120            600
    #   b     30         90        300  240
    events(tmp_path / "a.csv", [0, 60, 120, 600])
    events(tmp_path / "b.csv", [30, 90, 300, 240])
    clock = Clock()
    source = reader(tmp_path, clock)
    start = source.initialOffset()
    seen = []
    for seconds in (0, 0.5, 0.5, 1, 3, 4, 1, 100):
        clock.now += seconds
        end = source.latestOffset(start, ALL)
        seen.append(read(source, start, end))
        source.commit(end)
        start = end
    assert seen == [[0], [30], [60], [90, 120], [300, 240], [], [600], []]


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    events(tmp_path / "a.csv", [0, 60, 120, 180, 240])
    clock = Clock()
    source = reader(tmp_path, clock)
    first = source.initialOffset()
    source.latestOffset(first, ALL)
    clock.now += 2
    second = source.latestOffset(first, ALL)
    assert read(source, first, second) == [0, 60, 120]
    clock.now += 1000
    again = reader(tmp_path, clock)
    assert read(again, first, second) == [0, 60, 120]  # a micro-batch whose end was not written down
    third = again.latestOffset(second, ALL)
    assert read(again, second, third) == [180]
    assert read(again, first, third) == [0, 60, 120, 180]
    clock.now += 1
    assert read(again, third, again.latestOffset(third, ALL)) == [240]


def test_the_files_are_to_stay_as_they_are(tmp_path: Path) -> None:
    events(tmp_path / "a.csv", [0, 60])
    start = reader(tmp_path, Clock()).initialOffset()
    events(tmp_path / "b.csv", [10])
    with pytest.raises(TaskError, match="EP602"):
        reader(tmp_path, Clock()).latestOffset(start, ALL)
    with pytest.raises(TaskError, match="EP605"):
        reader(tmp_path, Clock()).latestOffset({"version": 1, "read": "", "new": []}, ALL)


def test_a_bad_row_ends_it_when_all_before_was_given(tmp_path: Path) -> None:
    events(tmp_path / "a.csv", [0, 60], "120000000,<urn:s>,<urn:p>,x\n180000000,<urn:s>,<urn:p>,<urn:o>\n")
    clock = Clock()
    source = reader(tmp_path, clock)
    start = source.initialOffset()
    source.latestOffset(start, ALL)
    clock.now += 100
    end = source.latestOffset(start, ALL)
    assert read(source, start, end) == [0, 60]
    with pytest.raises(TaskError, match="EP407"):
        source.latestOffset(end, ALL)


def test_nothing_waits_where_all_is_to_be_read_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_reader, "_ROWS", 10_000)
    monkeypatch.setattr(replay_reader, "_TASK_ROWS", 6000)
    events(tmp_path / "a.csv", list(range(25_000)))
    source = reader(tmp_path, Clock(), speed=0.001)
    source.prepareForTriggerAvailableNow()
    start, seen = source.initialOffset(), []
    while (end := source.latestOffset(start, ALL)) != start:
        parts = source.partitions(start, end)
        seen += [sum(len(each) for each in source.read(part)) for part in parts]
        source.commit(end)
        start = end
    assert seen == [6000, 4000, 6000, 4000, 5000]


def test_no_rows(tmp_path: Path) -> None:
    events(tmp_path / "a.csv", [])
    source = reader(tmp_path, Clock())
    start = source.initialOffset()
    assert source.latestOffset(start, ALL) == start
