"""Compiled once; what is damaged, foreign or written by two at a time does no harm."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from etalis_py.core.cache import seal
from etalis_py.core.errors import DataError
from etalis_py.embedding import prolog
from etalis_py.ontologies import loader
from etalis_py.ontologies.loader import CompiledBackground, _write_facts, compile_background
from tests.ontologies.conftest import Load
from tests.patience import PATIENCE

TRIPLE = "<urn:s> <urn:p> <urn:o> ."


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.ttl"
    path.write_text(TRIPLE)
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def compiled(*paths: Path, cache: Path) -> CompiledBackground:
    return compile_background(paths, prolog=prolog, cache_dir=cache)


def test_the_same_content_is_compiled_once(source: Path, cache: Path) -> None:
    first = compiled(source, cache=cache)
    written = first.path.stat().st_mtime_ns
    copy = source.with_name("copy.ttl")
    copy.write_text(TRIPLE)
    assert compiled(copy, cache=cache) == first
    assert first.path.stat().st_mtime_ns == written
    assert [each.name for each in cache.iterdir()] == [first.path.name]


def test_what_decides_the_content_decides_the_name(source: Path, cache: Path) -> None:
    digests = {compiled(source, cache=cache).digest}
    other = source.with_name("b.ttl")
    other.write_text(TRIPLE + " ")
    digests |= {
        compiled(*paths, cache=cache).digest for paths in [(other,), (source, other), (other, source)]
    }
    lines = source.with_name("a.nt")
    lines.write_text(TRIPLE)
    assert len(digests | {compiled(lines, cache=cache).digest}) == 5


@pytest.mark.parametrize("damage", [b"", b"x" * 100, None])
def test_a_damaged_file_is_made_anew(
    load: Load, source: Path, cache: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    path = compiled(source, cache=cache).path
    content = path.read_bytes()
    path.write_bytes(content[:-60] + b"?" + content[-59:] if damage is None else damage)
    with caplog.at_level(logging.WARNING):
        assert load(source).explicit() == [("urn:s", "urn:p", "urn:o")]
    assert "damaged" in caplog.text
    assert path.read_bytes() != damage


def test_a_file_of_another_prolog_is_made_anew(load: Load, source: Path, cache: Path) -> None:
    path = compiled(source, cache=cache).path
    path.write_bytes(b"SWI-Prolog (c) 1990 Jan Wielemaker\n" + bytes(100))
    seal(path, 1)
    assert load(source).explicit() == [("urn:s", "urn:p", "urn:o")]


def test_nothing_is_left_behind_by_an_error(source: Path, cache: Path) -> None:
    source.write_text(TRIPLE + " <urn:s> <urn:p> .")
    with pytest.raises(Exception, match="EP422"):
        compiled(source, cache=cache)
    assert list(cache.iterdir()) == []


def test_without_a_cache_folder_it_is_compiled_all_the_same(load: Load, source: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert load(source).explicit() == [("urn:s", "urn:p", "urn:o")]


def test_a_cache_that_goes_away_meanwhile_is_done_without(
    load: Load, source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody empties it, or the disk is full."""

    def write_facts(*arguments: Any) -> bool:
        shutil.rmtree(cache, ignore_errors=True)
        return _write_facts(*arguments)

    monkeypatch.setattr(loader, "_write_facts", write_facts)
    with caplog.at_level(logging.WARNING):
        assert load(source).explicit() == [("urn:s", "urn:p", "urn:o")]
    assert caplog.text.count("no cache for compiled background") == 1


def test_a_file_that_changes_while_it_is_read_is_not_kept(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under its name all others with the first content would find the second."""

    def write_facts(*arguments: Any) -> bool:
        source.write_text("<urn:other> <urn:p> <urn:o> .")
        return _write_facts(*arguments)

    monkeypatch.setattr(loader, "_write_facts", write_facts)
    with pytest.raises(DataError, match="has changed while it was read"):
        compiled(source, cache=cache)
    assert list(cache.iterdir()) == []


def test_what_a_killed_process_began_goes_a_day_later(source: Path, cache: Path) -> None:
    (cache / "new-old").mkdir(parents=True)
    for name in ("new-old.qlf", "new-young.qlf"):
        (cache / name).write_text("")
    for name in ("new-old", "new-old.qlf"):
        os.utime(cache / name, (1_000_000_000, 1_000_000_000))
    path = compiled(source, cache=cache).path
    assert set(cache.iterdir()) == {path, cache / "new-young.qlf"}


def test_two_processes_at_a_time(source: Path, cache: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from etalis_py.embedding import prolog\n"
        "from etalis_py.ontologies.background import Background\n"
        "prolog.load_runtime()\n"
        "for number in range(20):\n"
        "    b = Background.load(prolog, [sys.argv[1]], 'rdfs', f'b{number}', cache_dir=sys.argv[2])\n"
        "    assert b.triple_count == 1; b.close()\n"
        "    if sys.argv[3] == '0' and number % 5 == 0: next(Path(sys.argv[2]).glob('[!n]*.qlf')).unlink()\n"
    )
    command = [sys.executable, "-c", script, str(source), str(cache)]
    processes = [subprocess.Popen([*command, str(number)], stderr=subprocess.PIPE) for number in range(3)]
    for process in processes:
        _, problems = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, problems.decode()
