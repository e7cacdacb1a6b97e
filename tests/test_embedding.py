"""SWI-Prolog loads undisturbed by what the environment says of another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from etalis_py.core.errors import RunTimeError
from etalis_py.core.explanations import MESSAGES
from etalis_py.embedding.undisturbed import undisturbed

GOLDEN = MESSAGES / "EP534.txt"

LOAD = "from etalis_py.embedding.undisturbed import undisturbed\nwith undisturbed():\n    import janus_swi\n"
ASK = "print(janus_swi.query_once('X is 6 * 7')['X'])"


def test_the_home_of_another_prolog_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "boot.prc").write_text("of another version")
    environment = {**os.environ, "SWI_HOME_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LOAD + ASK], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "42\n"


def test_the_variables_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWI_HOME_DIR", "/somewhere")
    with undisturbed():
        assert "SWI_HOME_DIR" not in os.environ
    assert os.environ["SWI_HOME_DIR"] == "/somewhere"


def test_a_missing_library_is_told() -> None:
    with pytest.raises(RunTimeError) as caught, undisturbed():
        raise ImportError("libswipl.so.9: cannot open shared object file: No such file or directory")
    assert f"{caught.value}\n" == GOLDEN.read_text()
