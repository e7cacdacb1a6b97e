"""Runs the plunit tests of the Prolog rules: one case a file.

A warning is a failure: a test that leaves a choice point gives one, and so does a file that loads with one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from etalis_py.embedding import prolog
from etalis_py.provision.swipl import cached_builds
from tests.patience import PATIENCE

FILES = sorted(Path(__file__).parent.glob("*.plt"))
RULES = sorted(Path(__file__).parents[2].glob("rules/*/*.pl"))


@pytest.fixture(scope="session")
def swipl() -> str:
    """The ``swipl`` on PATH, else the newest that set-up built."""
    program = shutil.which("swipl") or next((str(each.program) for each in cached_builds()), None)
    assert program, "no swipl on PATH and none in the cache; make setup installs one"
    return program


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_plunit(file: Path, swipl: str) -> None:
    prolog.load_runtime()
    native = f"etalis_answers:load_native('{prolog.native_file()}')"
    answers = RULES[0].parents[1] / "engine" / "answers.pl"
    result = run(swipl, f"use_module('{answers}', [])", native, f"use_module('{file}')", "run_tests")
    problems = [line for line in result.stderr.splitlines() if not line.endswith("sec)")]
    assert result.returncode == 0, "\n".join([result.stdout, *problems])
    assert "tests passed" in result.stderr  # a file without tests would be green, too


def test_every_rule_file_loads_without_a_word(swipl: str) -> None:
    """An engine would go on without a clause that cannot be read."""
    result = run(swipl, *(f"use_module('{file}', [])" for file in RULES))
    assert (result.returncode, result.stderr) == (0, "")


def test_macros_are_imported_from_files_that_are_there() -> None:
    """``#import`` of a file that is not there says nothing, and its macros are not expanded."""
    for file in RULES:
        for name in re.findall(r"#import\('?([^')]+)'?\)", file.read_text("utf-8")):
            assert (file.parent / f"{name}.pl").is_file(), f"{file}: {name}"


def run(swipl: str, *goals: str) -> subprocess.CompletedProcess[str]:
    """Prolog with these goals; its status is not 0 if there was a warning or an error."""
    options = ["-f", "none", "--no-packs", "--on-error=status", "--on-warning=status"]
    words = [word for goal in goals for word in ("-g", goal)]
    return subprocess.run(
        [swipl, *options, *words, "-t", "halt"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_every_rule_file_has_pldoc_and_ascii() -> None:
    """Prolog reads other encodings as the locale has it."""
    for file in RULES:
        text = file.read_text("utf-8")
        assert text.isascii(), file.name
        assert "/** <module>" in text, file.name
