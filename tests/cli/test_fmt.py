"""``etalis fmt``: files are written anew or named, and what is no query stays as it is."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from etalis_py.cli import main

UGLY = "select ?x{?x a <urn:Storm>}"
FINE = "SELECT ?x { ?x a <urn:Storm> }\n"


@pytest.fixture
def query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "q.rq"
    path.write_text(UGLY)
    path.chmod(0o640)
    return path


def test_a_file_is_written_anew_once(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "q.rq"]) == 0
    assert (query.read_text(), query.stat().st_mode & 0o777) == (FINE, 0o640)
    assert capsys.readouterr() == ("", "1 file formatted\n")
    before = query.stat().st_mtime_ns
    assert main(["fmt", "q.rq"]) == 0
    assert query.stat().st_mtime_ns == before
    assert [path.name for path in query.parent.iterdir()] == ["q.rq"]


def test_a_link_stays_a_link(query: Path) -> None:
    link = query.with_name("link.rq")
    link.symlink_to(query)
    assert main(["fmt", "link.rq"]) == 0
    assert link.is_symlink()
    assert query.read_text() == FINE


def test_check_and_diff_write_nothing(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", "q.rq"]) == 1
    assert capsys.readouterr().out == "q.rq: is not formatted\n"
    assert main(["fmt", "--diff", "q.rq"]) == 1
    assert capsys.readouterr().out == (
        f"--- q.rq\n+++ q.rq (formatted)\n@@ -1 +1 @@\n-{UGLY}\n\\ No newline at end of file\n+{FINE}"
    )
    assert query.read_text() == UGLY
    query.write_text(FINE)
    assert main(["fmt", "--check", "--diff", "q.rq"]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UGLY.encode())))
    assert main(["fmt"]) == 0
    assert capsys.readouterr().out == FINE


def test_a_file_that_is_no_query_stays_and_the_others_are_formatted(
    query: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = query.with_name("broken.rq")
    broken.write_text("select ?x{?x a }")
    assert main(["fmt", "broken.rq", "q.rq", "none.rq"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("EP101 broken.rq, line 1, column 16: unexpected '}'")
    assert "EP502 none.rq" in said
    assert (broken.read_text(), query.read_text()) == ("select ?x{?x a }", FINE)


def test_other_languages_are_refused(query: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = query.with_name("a.event")
    rules.write_text("a <- b.")
    assert main(["fmt", "a.event"]) == 2
    assert capsys.readouterr().err.startswith("EP506 a.event is etalis: only EP-SPARQL can be formatted")
    assert rules.read_text() == "a <- b."
