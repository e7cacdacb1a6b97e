"""Files as they come: none is read twice, none is lost, and what was planned is what is read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from etalis_py.core.errors import DataError, EtalisError, UsageError
from etalis_py.core.times import SCALES
from etalis_py.spark_udfs.sources.files import file_batches
from etalis_py.spark_udfs.sources.listing import StreamFile, check_unchanged, list_files, shares
from etalis_py.spark_udfs.sources.offsets import FolderOffset
from etalis_py.spark_udfs.sources.options import read_options

Golden = Callable[[EtalisError], None]


def test_what_is_listed(tmp_path: Path) -> None:
    for number, name in enumerate(("z.csv", "in/a.nq.gz", "b.trig", ".c.csv", "_d/e.csv", "in/.f/g.csv")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (number, number))
    assert [file.path for file in list_files([str(tmp_path)], None)] == [
        str(tmp_path / name) for name in ("z.csv", "in/a.nq.gz", "b.trig")
    ]
    assert [file.size for file in list_files([str(tmp_path / "z.csv")], None)] == [5]
    (tmp_path / "read.me").write_text("")
    with pytest.raises(UsageError, match="EP521") as caught:
        list_files([str(tmp_path)], None)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(".option('streamFormat', ...)")
    assert len(list_files([str(tmp_path)], "csv")) == 4


def test_small_files_share_a_task() -> None:
    files = [StreamFile(str(number), 1 << 20, 0) for number in range(40)]
    assert [len(each) for each in shares(files)] == [16, 16, 8]
    assert [len(each) for each in shares([StreamFile("a", 1 << 40, 0), *files[:1]])] == [1, 1]


def test_every_file_is_read_once_however_it_comes() -> None:
    choice = Random(3)
    names = [f"/in/{number}.csv" for number in range(60)]
    there: list[StreamFile] = []
    read: list[str] = []
    offset = FolderOffset({})
    for day in range(40):
        there += [StreamFile(names.pop(), 1, day) for _ in range(min(len(names), choice.randrange(4)))]
        new = offset.unread(there)[: choice.randrange(1, 4)]
        read += [file.path for file in new]
        after = offset.after(new, there, day)
        kept = FolderOffset.from_json(after.to_json())
        assert kept == after
        assert [file.path for file in offset.unread(kept.new)] == [file.path for file in new]
        offset = kept
        gone = [file for file in there if file.path in read and choice.random() < 0.2]
        there = [file for file in there if file not in gone]
    assert not offset.unread(there)
    assert len(read) == len(set(read)) == 60


def test_a_file_that_is_gone_is_forgotten_after_a_week() -> None:
    file, other = StreamFile("/in/a.csv", 1, 0), StreamFile("/in/b.csv", 1, 0)
    offset = FolderOffset({}).after([file], [file], 100)
    assert offset.after([other], [other], 107).unread([file]) == []
    assert offset.after([other], [other], 108).unread([file]) == [file]
    assert offset.after([other], [file, other], 200).unread([file]) == []


def test_an_offset_of_another_kind(golden: Golden) -> None:
    with pytest.raises(DataError) as caught:
        FolderOffset.from_json({"version": 1, "row": 7})
    golden(caught.value)
    with pytest.raises(DataError, match="EP605"):
        FolderOffset.from_json({"version": 2, "read": "", "new": []})


def test_a_file_that_grew(tmp_path: Path, golden: Golden) -> None:
    (tmp_path / "a.csv").write_text("start,s,p,o\n")
    (file,) = list_files([str(tmp_path)], None)
    check_unchanged(file)
    with (tmp_path / "a.csv").open("a") as more:
        more.write("1,<urn:s>,<urn:p>,<urn:o>\n")
    with pytest.raises(DataError) as caught:
        check_unchanged(file)
    golden(caught.value)


@pytest.mark.parametrize("aside", [False, True])
def test_the_unit_of_times(tmp_path: Path, aside: bool) -> None:
    (tmp_path / "a.csv").write_text("start,s,p,o\n1773820801,<urn:s>,<urn:p>,<urn:o>\n")
    options = {"path": str(tmp_path)}
    if aside:
        options |= {"mode": "putAside", "badRecordsPath": str(tmp_path / "bad")}
    (file,) = list_files([str(tmp_path)], None)
    with pytest.raises(DataError, match="EP418"):
        list(file_batches(file, read_options(options)))
    for unit, scale in SCALES.items():
        (batch,) = file_batches(file, read_options({**options, "timeunit": unit}))
        assert list(batch.start) == [1_773_820_801 * scale]
    assert not (tmp_path / "bad").exists()
