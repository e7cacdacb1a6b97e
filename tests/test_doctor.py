"""What ``etalis doctor`` finds, also where pieces are missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from etalis_py import doctor
from tests.sanitizers import not_sanitized


def finding(subject: str) -> doctor.Finding:
    return next(found for found in doctor.diagnose() if found.subject == subject)


def test_all_that_is_needed_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main([]) == 0
    assert "SWI-Prolog" in capsys.readouterr().out


def test_a_python_without_janus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    isolated = tmp_path / "python"
    isolated.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    isolated.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(isolated))
    found = finding("SWI-Prolog")
    assert found.verdict == "broken"
    assert "janus_swi" in found.detail
    assert "swipl" in found.remedy
    assert doctor.main([]) == 4


@not_sanitized
def test_a_variable_that_leads_to_another_prolog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libswipl.so.9").write_text("no library")
    (tmp_path / "libswipl.so.10").write_text("no library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    found = finding("SWI-Prolog")
    assert found.verdict == "broken"
    assert found.remedy == "unset LD_LIBRARY_PATH"


def test_a_library_that_the_rules_need_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LIBRARIES", ("lists", "no_such_library"))
    found = finding("SWI-Prolog")
    assert found.verdict == "broken"
    assert "library(no_such_library)" in found.remedy
    assert "library(lists)" not in found.remedy


def test_a_missing_java_is_no_reason_to_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor.java, "find_java", lambda: None)
    found = finding("Java")
    assert (found.verdict, found.needed) == ("missing", False)
    assert doctor.main([]) == 0
    assert "openjdk" in capsys.readouterr().out


def test_java_home_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    if doctor.java.find_java() is None:
        pytest.skip("there is no Java to point to")
    assert finding("Java").verdict == "broken"
