"""The parser's table in the user's cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from etalis_py.compiler.parse.grammar_table import query_parser
from etalis_py.compiler.parse.parser import parse


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "cache"))
    query_parser.cache_clear()
    yield tmp_path / "cache"
    query_parser.cache_clear()


def test_is_written_once_and_read_again(cache: Path) -> None:
    made = parse("ASK { ?x ?y ?z }")
    (table,) = (cache / "grammar").iterdir()
    before = table.stat().st_mtime_ns
    query_parser.cache_clear()
    assert parse("ASK { ?x ?y ?z }") == made
    assert [file.stat().st_mtime_ns for file in (cache / "grammar").iterdir()] == [before]


def test_is_made_anew_where_it_is_broken(cache: Path) -> None:
    parse("ASK { }")
    (table,) = (cache / "grammar").iterdir()
    table.write_bytes(table.read_bytes()[:1000])
    query_parser.cache_clear()
    parse("ASK { }")
    assert table.stat().st_size > 1000


def test_is_not_needed(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    parse("ASK { }")
