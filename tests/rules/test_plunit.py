"""Runs the plunit tests of the Prolog rules: one case a file.

A warning is a failure: a test that leaves a choice point gives one, and so does a file that loads with one.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from etalis_py.provision.swipl import cached_builds

FILES = sorted(Path(__file__).parent.glob("*.plt"))


@pytest.fixture(scope="session")
def swipl() -> str:
    """The ``swipl`` on PATH, else the newest that set-up built."""
    program = shutil.which("swipl") or next((str(each.program) for each in cached_builds()), None)
    assert program, "no swipl on PATH and none in the cache; make setup installs one"
    return program


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_plunit(file: Path, swipl: str) -> None:
    goals = ["-g", f"use_module('{file}')", "-g", "run_tests", "-t", "halt"]
    result = subprocess.run(
        [swipl, "-f", "none", "--no-packs", "--on-error=status", "--on-warning=status", *goals],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    problems = [line for line in result.stderr.splitlines() if not line.endswith("sec)")]
    assert result.returncode == 0, "\n".join([result.stdout, *problems])
    assert "tests passed" in result.stderr  # a file without tests would be green, too


def test_every_rule_file_has_pldoc_and_ascii() -> None:
    """Prolog reads other encodings as the locale has it."""
    for file in Path(__file__).parents[2].glob("rules/*.pl"):
        text = file.read_text("utf-8")
        assert text.isascii(), file.name
        assert "/** <module>" in text, file.name
