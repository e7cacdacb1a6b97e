"""Which Java is found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from etalis_py.provision import java


def pretend(home: Path, version: str) -> Path:
    """A Java home whose ``release`` file tells ``version``."""
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\n')
    return home


@pytest.fixture(autouse=True)
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java, "_USUAL_PLACES", (str(tmp_path / "jvm" / "*"),))


def test_none() -> None:
    assert java.find_java() is None


def test_one_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(tmp_path / "eight", "1.8.0_402")))
    newer = pretend(tmp_path / "jvm" / "twenty-one", "21.0.2")
    assert java.find_java() == java.Java(newer, 21)


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path / "jvm" / "twenty-one", "21.0.2")
    named = pretend(tmp_path / "named", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert java.find_java() == java.Java(named, 17)


def test_a_link_on_path_leads_to_its_home(tmp_path: Path) -> None:
    home = pretend(tmp_path / "seventeen", "17.0.15")
    (tmp_path / "java").symlink_to(home / "bin" / "java")
    assert java.find_java() == java.Java(home, 17)


def test_spark_is_led_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(tmp_path / "eight", "1.8.0_402")))
    home = pretend(tmp_path / "jvm" / "seventeen", "17.0.15")
    java.lead_spark_to_java()
    assert os.environ["JAVA_HOME"] == str(home)
