"""A cache that somebody else could have written is not used, and the run goes on."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from etalis_py.compiler.parse.grammar_table import query_parser
from etalis_py.compiler.parse.parser import parse
from etalis_py.core import cache as compiled_files
from etalis_py.core.cache import checked_number, ready_folder, seal
from etalis_py.core.errors import EtalisWarning
from etalis_py.core.explanations import MESSAGES


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("ETALIS_CACHE", str(tmp_path / "a" / "cache"))
    compiled_files._warn_of.cache_clear()
    query_parser.cache_clear()
    yield tmp_path / "a" / "cache"
    compiled_files._warn_of.cache_clear()
    query_parser.cache_clear()


def sealed(path: Path) -> Path:
    path.write_bytes(b"content")
    path.chmod(0o600)
    seal(path, 7)
    return path


def test_new_folders_are_for_their_user_alone(cache: Path) -> None:
    before = os.umask(0)
    try:
        folder = ready_folder("background")
    finally:
        os.umask(before)
    assert folder == cache / "background"
    assert [oct(each.stat().st_mode & 0o777) for each in (folder, cache, cache.parent)] == ["0o700"] * 3


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
@pytest.mark.parametrize("level", ["", "..", "../.."])
def test_a_folder_that_others_may_write_to(cache: Path, level: str, mode: int) -> None:
    (cache / "background").mkdir(parents=True)
    (cache / "background" / level).resolve().chmod(mode)
    with pytest.warns(EtalisWarning, match=r"EW43 .* other users may write to"):
        assert ready_folder("background") is None
    with warnings.catch_warnings():  # said once
        warnings.simplefilter("error")
        assert ready_folder("background") is None


def test_the_message(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "background").mkdir(parents=True, mode=0o777)
    cache.chmod(0o777)
    with pytest.warns(EtalisWarning) as caught:
        ready_folder("background")
    text = str(caught[0].message).replace(str(cache), "/home/user/.cache/etalis_py") + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        (MESSAGES / "EW43.txt").write_text(text)
    assert text == (MESSAGES / "EW43.txt").read_text()


def test_a_folder_above_that_is_sticky(cache: Path) -> None:
    cache.parent.mkdir()
    cache.parent.chmod(0o1777)
    assert ready_folder("background") is not None
    (cache / "background").chmod(0o1777)  # the folder itself may not be like that
    with pytest.warns(EtalisWarning, match="EW43"):
        assert ready_folder("background") is None


def test_a_folder_of_another_user(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready_folder("background")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    if os.getuid() == 0:
        os.chown(cache, 4321, 4321)
    with pytest.warns(EtalisWarning, match=r"EW43 .* belongs to another user"):
        assert ready_folder("background") is None


def test_a_file_that_others_may_write_to(tmp_path: Path, cache: Path) -> None:
    path = sealed(tmp_path / "a.qlf")
    assert checked_number(path) == 7
    path.chmod(0o620)
    with pytest.warns(EtalisWarning, match="EW43"):
        assert checked_number(path) is None


def test_a_link_and_a_pipe_are_no_compiled_files(tmp_path: Path) -> None:
    sealed(tmp_path / "a.qlf")
    (tmp_path / "link.qlf").symlink_to(tmp_path / "a.qlf")
    os.mkfifo(tmp_path / "pipe.qlf")
    assert checked_number(tmp_path / "link.qlf") is None
    assert checked_number(tmp_path / "pipe.qlf") is None


def test_the_grammar_comes_from_no_file_that_is_not_trusted(cache: Path) -> None:
    parse("ASK { }")
    (table,) = (cache / "grammar").iterdir()
    assert checked_number(table) == 0
    table.write_bytes(b"cos\nsystem\n(S'touch " + str(cache / "ran").encode() + b"'\ntR.")
    query_parser.cache_clear()
    parse("ASK { }")  # damaged: made anew
    assert checked_number(table) == 0
    evil = table.read_bytes()
    table.write_bytes(evil)
    (cache / "grammar").chmod(0o777)
    query_parser.cache_clear()
    with pytest.warns(EtalisWarning, match="EW43"):
        parse("ASK { }")
    assert not (cache / "ran").exists()
