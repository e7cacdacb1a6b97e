"""What can be said to ``rdf-stream``, and what is said back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from etalis_py.core.errors import EtalisError, UsageError
from etalis_py.spark_udfs.sources import register_sources
from etalis_py.spark_udfs.sources.options import ReadOptions, read_options

Golden = Callable[[EtalisError], None]


def test_all_options(tmp_path: Path) -> None:
    given = {
        "path": f"file://{tmp_path}",
        "streamformat": "trig",
        "mode": "putaside",
        "badrecordspath": str(tmp_path / "bad"),
        "maxfilespertrigger": "3",
        "checkpointLocation": "/somewhere",
    }
    expected = ReadOptions((str(tmp_path),), "trig", str(tmp_path / "bad"), 3)
    assert read_options(given) == expected
    assert read_options({"paths": '["a", "b"]', "speed": "0.5"}) == ReadOptions(("a", "b"), speed=0.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no path"),
        ({"path": "a", "mode": "drop"}, "'drop'"),
        ({"path": "a", "mode": "putAside"}, "without a badRecordsPath"),
        ({"path": "a", "badRecordsPath": "b"}, "with a badRecordsPath"),
        ({"path": "a", "streamFormat": "turtle"}, "'turtle'"),
        ({"path": "a", "maxFilesPerTrigger": "0"}, "maxFilesPerTrigger is '0'"),
        ({"path": "a", "speed": "nan"}, "speed is 'nan'"),
        ({"path": "a", "speed": "fast"}, "speed is 'fast'"),
        ({"path": "s3://bucket/a"}, "s3://bucket/a"),
    ],
)
def test_what_cannot_be(options: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read_options(options)
    assert caught.value.code == "EP601"


def test_a_word_that_is_nearly_right(golden: Golden) -> None:
    with pytest.raises(UsageError) as caught:
        read_options({"path": "/data/events", "sped": "60"})
    golden(caught.value)


def test_a_pyspark_that_is_too_old(monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.delitem(sys.modules, "etalis_py.spark_udfs.sources.datasource", raising=False)
    monkeypatch.setitem(sys.modules, "etalis_py.spark_udfs.sources.folder_reader", None)
    with pytest.raises(UsageError) as caught:
        register_sources(None)  # type: ignore[arg-type]
    told = str(caught.value.message).partition(": ")[0]
    golden(UsageError("EP607", told, hint=caught.value.hint))
