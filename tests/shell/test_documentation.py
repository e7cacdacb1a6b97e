"""docs/shell.md: its session prints what it shows, its program too, and every command is told of.

The blocks after ``<!-- shell -->`` are one session: a line after ``etalis>`` or ``...`` is typed, all others
are what is printed. After an answer that ends with `` ;`` the next one is asked for.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py.shell.command_table import COMMANDS
from etalis_py.shell.commands import _DO
from tests.patience import PATIENCE

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "shell.md").read_text(encoding="utf-8")
README = (PROJECT / "README.md").read_text(encoding="utf-8")
SESSION = "".join(re.findall(r"^<!-- shell -->\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
COMMAND = re.findall(r"^\$ etalis shell (.*)$", PAGE, re.MULTILINE)[0].split()
TYPED = re.compile(r"(?:etalis>|\.\.\.)(?: (.*))?")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shell")
    for name, text in re.findall(
        r"<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_the_session_prints_what_is_shown(files: Path) -> None:
    typed, printed = [], []
    for line in SESSION.splitlines():
        match = TYPED.fullmatch(line)
        if match is None:
            printed.append(line)
            typed += [";"] if line.endswith(" ;") else []
        else:
            typed.append(match[1] or "")
    done = subprocess.run(
        [sys.executable, "-m", "etalis_py", "shell", *COMMAND],
        input="\n".join(typed) + "\n", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=files,
        timeout=PATIENCE, check=True,
    )  # fmt: skip
    shown = [line.rstrip() for line in done.stdout.splitlines()]
    assert shown[0] == "% warm: registered"
    assert shown[1:] == printed


def test_the_program_prints_what_is_shown(files: Path) -> None:
    [(program, output)] = re.findall(
        r"<!-- python -->\n```python\n(.*?)^```$.*?<!-- output -->\n```text\n(.*?)^```$",
        PAGE,
        re.MULTILINE | re.DOTALL,
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=files,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout == output


def test_every_command_is_told_of() -> None:
    assert [name for name in COMMANDS if f":{name}" not in PAGE] == []


def test_every_command_does_something() -> None:
    assert list(_DO) == list(COMMANDS)
