"""docs/tutorial.md: the session in the shell prints what it shows. (Its files, commands and programs run in
test_readme.py.)
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE

PAGE = (Path(__file__).parents[1] / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_the_shell_session_prints_what_is_shown(tmp_path: Path) -> None:
    for name, text in re.findall(
        r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    [command] = re.findall(r"^etalis (shell .*)$", PAGE, re.MULTILINE)
    [session] = re.findall(r"^<!-- shell -->\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    typed, printed = [], []
    for line in session.splitlines():
        if line.startswith("etalis> "):
            typed.append(line.removeprefix("etalis> "))
        else:
            printed.append(line)
            typed += [";"] if line.endswith(" ;") else []
    done = subprocess.run(
        [sys.executable, "-m", "etalis_py", *command.split()], input="\n".join(typed) + "\n",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, timeout=PATIENCE,
        check=True,
    )  # fmt: skip
    shown = [line.rstrip() for line in done.stdout.splitlines()]
    assert shown[:2] == ["% replace: registered", "% suspect: registered"]
    assert shown[2:] == printed
